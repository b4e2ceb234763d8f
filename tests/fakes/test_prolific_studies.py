"""The stand-in's studies: drafts, validation, transitions, changes, lists and filters."""

from datetime import timedelta

import pytest

from tests.fakes.prolific import CODE, FakeProlific, NotEligibleError, study_fields

FIRST_CODE = {"code": "A", "code_type": "COMPLETED", "actions": []}


def transition(prolific, study, action, **fields):
    path = f"/studies/{study.id}/transition/"
    return prolific.call("POST", path, {"action": action, **fields})


def change(prolific, study, **fields):
    return prolific.call("PATCH", f"/studies/{study.id}/", fields)


def status_of(prolific, study):
    return prolific.call("GET", f"/studies/{study.id}/")[1]["status"]


def test_draft_has_defaults_and_costs_nothing(prolific):
    status, study = prolific.call("POST", "/studies/", study_fields())
    assert status == 201
    assert study["status"] == "UNPUBLISHED"
    assert study["project"] == prolific.project.id
    assert study["maximum_allowed_time"] == 29  # 2 + 2 * 10 + 2 * sqrt(10), rounded up
    assert study["submissions_config"] == {"max_submissions_per_participant": 1}
    assert prolific.available_balance == prolific.balance == 1_000_000


@pytest.mark.parametrize(
    "name",
    [
        "name",
        "description",
        "external_study_url",
        "prolific_id_option",
        "total_available_places",
        "estimated_completion_time",
        "reward",
        "completion_codes",
        "filters",
    ],
)
def test_required_field_is_missing(prolific, name):
    fields = study_fields()
    del fields[name]
    status, body = prolific.call("POST", "/studies/", fields)
    assert status == 400
    assert body["error"]["detail"] == {name: ["This field is required."]}


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("reward", {"reward": 133}),
        ("reward", {"reward": 2.5}),
        ("reward", {"reward": 0}),
        ("maximum_allowed_time", {"maximum_allowed_time": 28}),
        ("maximum_allowed_time", {"maximum_allowed_time": 1440}),
        ("total_available_places", {"total_available_places": 0}),
        ("prolific_id_option", {"prolific_id_option": "none"}),
        ("unknown", {"unknown": 1}),
        ("completion_codes", {"completion_codes": [FIRST_CODE, FIRST_CODE]}),
        ("completion_codes", {"completion_codes": [{**FIRST_CODE, "actor": "trainer"}]}),
        (
            "completion_codes",
            {"completion_codes": [{**FIRST_CODE, "actions": [{"action": "PAY"}]}]},
        ),
        (
            "completion_codes",
            {"completion_codes": [{**FIRST_CODE, "actions": [{"action": "DYNAMIC_PAYMENT"}]}]},
        ),
        ("filters", {"filters": [{"filter_id": "age", "selected_values": ["1"]}]}),
        (
            "filters",
            {"filters": [{"filter_id": "current-country-of-residence", "selected_values": ["GB"]}]},
        ),
        ("access_details", {"access_details": [{"external_url": "x", "total_allocation": 2}]}),
        (
            "access_details",
            {
                "external_study_url": None,
                "access_details": [{"external_url": "x", "total_allocation": 1}],
            },
        ),
        ("submissions_config", {"submissions_config": {"max_submissions_per_participant": 0}}),
        ("submissions_config", {"submissions_config": {"most": 1}}),
        (
            "submissions_config",
            {"submissions_config": {"auto_rejection_categories": ["EXCEPTIONALLY_FAST"]}},
        ),
        (
            "completion_codes",
            {"completion_codes": [{**FIRST_CODE, "code_type": "COMPLETED_BY_US"}]},
        ),
        ("completion_codes", {"completion_codes": [{**FIRST_CODE, "title": "Done"}]}),
        (
            "completion_codes",
            {
                "completion_codes": [
                    {
                        **FIRST_CODE,
                        "actions": [
                            {"action": "AUTOMATICALLY_APPROVE"},
                            {"action": "MANUALLY_REVIEW"},
                        ],
                    }
                ]
            },
        ),
        ("device_compatibility", {"device_compatibility": ["phone"]}),
        ("content_warnings", {"content_warnings": ["violence"]}),
        ("content_warnings", {"content_warnings": ["sensitive", "explicit"]}),
        ("study_labels", {"study_labels": ["ai_annotation", "survey"]}),
        (
            "filter_set_id",
            {
                "filter_set_id": "5f0000000000000000000001",
                "filters": [{"filter_id": "approval_rate", "selected_range": {"lower": 95}}],
            },
        ),
    ],
)
def test_invalid_field_is_named(prolific, field, changes):
    status, body = prolific.call("POST", "/studies/", study_fields(**changes))
    assert status == 400
    assert list(body["error"]["detail"]) == [field]


def screen_out(reward: int, code: str = "OUT") -> dict:
    action = {
        "action": "FIXED_SCREEN_OUT_PAYMENT",
        "fixed_screen_out_reward": reward,
        "slots": 5,
    }
    return {"code": code, "code_type": "SCREENED_OUT", "actions": [action]}


@pytest.mark.parametrize(
    ("codes", "status"),
    [
        ([screen_out(14)], 201),
        ([screen_out(199)], 201),
        ([screen_out(13)], 400),
        ([screen_out(200)], 400),
        ([screen_out(50), screen_out(60, "OUT2")], 400),
    ],
)
def test_screen_out_payment_is_one_and_below_the_reward(codes, status):
    with FakeProlific(features=["FIXED_SCREEN_OUT_PAYMENT"]) as prolific:
        fields = study_fields(completion_codes=[FIRST_CODE, *codes])
        assert prolific.call("POST", "/studies/", fields)[0] == status


def test_unknown_field_of_a_change_is_refused(prolific):
    study = prolific.add_study(publish=False)
    status, body = change(prolific, study, colour="red")
    assert (status, list(body["error"]["detail"])) == (400, ["colour"])


def test_hourly_rates_are_recommended_for_the_currency_of_the_workspace(prolific):
    query = {"workspace_id": prolific.workspace.id, "currency": "USD"}
    status, rates = prolific.call("GET", "/reward-recommendations/", **query)
    assert status == 200
    assert rates[0]["min_reward_per_hour"] == 800
    query["currency"] = "EUR"
    assert prolific.call("GET", "/reward-recommendations/", **query)[0] == 400


@pytest.mark.parametrize(("currency", "least"), [("USD", 134), ("GBP", 100)])
def test_least_reward_depends_on_the_currency(currency, least):
    with FakeProlific(currency=currency) as prolific:
        assert prolific.call("POST", "/studies/", study_fields(reward=least))[0] == 201
        assert prolific.call("POST", "/studies/", study_fields(reward=least - 1))[0] == 400


def test_publication_locks_the_cost(prolific):
    study = prolific.add_study(publish=False)
    assert transition(prolific, study, "PUBLISH")[1]["status"] == "PUBLISHING"
    assert status_of(prolific, study) == "ACTIVE"
    # 200 + 86 fee + 17 VAT, twice
    assert prolific.available_balance == 1_000_000 - 606
    assert prolific.balance == 1_000_000


def test_publication_without_funds_is_refused(prolific):
    study = prolific.add_study(publish=False)
    prolific.workspace.start = 605
    status, body = transition(prolific, study, "PUBLISH")
    assert status == 400
    assert "funds" in body["error"]["detail"]
    assert status_of(prolific, study) == "UNPUBLISHED"


ALLOWED = {
    "UNPUBLISHED": {"PUBLISH", "SCHEDULE_PUBLISH"},
    "SCHEDULED": {"CANCEL_PUBLISH"},
    "PUBLISHING": set(),
    "ACTIVE": {"PAUSE", "STOP"},
    "PAUSED": {"START", "STOP"},
    "AWAITING REVIEW": set(),
    "COMPLETED": set(),
}
RESULTS = {
    "PUBLISH": "PUBLISHING",
    "SCHEDULE_PUBLISH": "SCHEDULED",
    "CANCEL_PUBLISH": "UNPUBLISHED",
    "PAUSE": "PAUSED",
    "START": "ACTIVE",
    "STOP": "COMPLETED",
}


@pytest.mark.parametrize("source", ALLOWED)
@pytest.mark.parametrize("action", RESULTS)
def test_transition(prolific, source, action):
    prolific.options.publishing_time = timedelta(minutes=1)
    study = prolific.add_study(publish=False)
    study.status = source
    study.stopped = source == "COMPLETED"
    if source == "AWAITING REVIEW":
        study.status = "ACTIVE"
        prolific.participant().take(study)
        prolific.participant().take(study)
    status, body = transition(prolific, study, action, publish_at="2026-11-24T09:00:00Z")
    if action in ALLOWED[source]:
        assert (status, body["status"]) == (200, RESULTS[action])
    else:
        assert status == 400
        assert study.status == source


def test_full_study_can_be_stopped_where_enabled(prolific):
    study = prolific.add_study(total_available_places=1)
    person = prolific.participant()
    person.take(study)
    assert transition(prolific, study, "STOP")[0] == 400
    prolific.options.full_studies_can_be_stopped = True
    assert transition(prolific, study, "STOP")[1]["status"] == "COMPLETED"
    person.return_place()
    assert status_of(prolific, study) == "COMPLETED"


def test_unknown_transition_is_refused(prolific):
    study = prolific.add_study()
    assert transition(prolific, study, "FINISH")[0] == 400


def test_scheduled_study_is_published_in_time(prolific):
    study = prolific.add_study(publish=False)
    transition(prolific, study, "SCHEDULE_PUBLISH", publish_at="2026-11-24T09:00:00Z")
    assert prolific.available_balance == 1_000_000 - 606
    prolific.clock.advance(hours=23)
    assert status_of(prolific, study) == "SCHEDULED"
    prolific.clock.advance(hours=1)
    assert status_of(prolific, study) == "ACTIVE"


def test_paused_study_lets_only_present_participants_finish(prolific):
    study = prolific.add_study()
    first, second = prolific.participant(), prolific.participant()
    first.take(study)
    transition(prolific, study, "PAUSE")
    assert second.available_studies() == []
    assert first.complete("COMPLETE1").status == "AWAITING REVIEW"
    transition(prolific, study, "START")
    assert second.available_studies() == [study]


def test_stop_releases_open_places(prolific):
    study = prolific.add_study()
    prolific.participant().take(study)
    transition(prolific, study, "STOP")
    assert status_of(prolific, study) == "COMPLETED"
    assert prolific.available_balance == 1_000_000 - 303


def test_stopped_study_can_read_awaiting_review(prolific):
    prolific.options.status_after_stop = "AWAITING REVIEW"
    study = prolific.add_study()
    transition(prolific, study, "STOP")
    assert status_of(prolific, study) == "AWAITING REVIEW"
    assert prolific.participant().available_studies() == []


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"internal_name": "other"}, 200),
        ({"total_available_places": 3}, 200),
        ({"total_available_places": 2}, 200),
        ({"total_available_places": 1}, 400),
        ({"submissions_config": {"max_submissions_per_participant": 2}}, 200),
        ({"reward": 300}, 400),
        ({"name": "other"}, 400),
        ({"filters": []}, 400),
        ({"internal_name": "other", "reward": 300}, 400),
    ],
)
def test_change_after_publication(prolific, changes, status):
    study = prolific.add_study()
    before = dict(study.fields)
    assert change(prolific, study, **changes)[0] == status
    is_changed = any(study.fields[name] != before[name] for name in changes)
    assert is_changed == (status == 200 and changes != {"total_available_places": 2})


def test_draft_can_be_changed_freely(prolific):
    study = prolific.add_study(publish=False)
    status, body = change(prolific, study, reward=300, total_available_places=1)
    assert (status, body["reward"], body["total_available_places"]) == (200, 300, 1)
    assert change(prolific, study, reward=1)[0] == 400


def test_more_places_need_funds_and_revive_a_stopped_study(prolific):
    study = prolific.add_study()
    transition(prolific, study, "STOP")
    prolific.workspace.start = 908
    assert change(prolific, study, total_available_places=3)[0] == 400
    assert (study.places, study.status) == (2, "COMPLETED")
    prolific.workspace.start = 909
    assert change(prolific, study, total_available_places=3)[1]["status"] == "ACTIVE"
    assert prolific.available_balance == 0


def test_access_details_change_with_the_places(prolific):
    details = [
        {"external_url": "http://a/?s={{%SESSION_ID%}}", "total_allocation": 1},
        {"external_url": "http://b/?s={{%SESSION_ID%}}", "total_allocation": 1},
    ]
    study = prolific.add_study(external_study_url=None, access_details=details)
    addresses = {prolific.participant().take(study)[:9] for _ in range(2)}
    assert addresses == {"http://a/", "http://b/"}
    assert change(prolific, study, total_available_places=3)[0] == 400
    added = [{**details[1], "total_allocation": 1}]
    assert change(prolific, study, total_available_places=4, access_details=added)[0] == 400
    body = change(prolific, study, total_available_places=3, access_details=added)[1]
    assert [detail["total_allocation"] for detail in body["access_details"]] == [1, 2]
    assert prolific.participant().take(study).startswith("http://b/")
    new_details = [{"external_url": "http://c/", "total_allocation": 2}]
    assert change(prolific, study, access_details=new_details)[1]["total_available_places"] == 5
    assert prolific.participant().take(study) == "http://c/"


def test_only_drafts_can_be_deleted(prolific):
    draft, published = prolific.add_study(publish=False), prolific.add_study()
    assert prolific.call("DELETE", f"/studies/{draft.id}/") == (204, None)
    assert prolific.call("GET", f"/studies/{draft.id}/")[0] == 404
    assert prolific.call("DELETE", f"/studies/{published.id}/")[0] == 400


def reject(prolific, person):
    person.complete(CODE)
    body = {"action": "REJECT", "message": "x" * 100, "rejection_category": "NO_DATA"}
    path = f"/submissions/{person.submissions[0].id}/transition/"
    assert prolific.call("POST", path, body)[0] == 200


@pytest.mark.parametrize(
    ("leave", "status"),
    [
        (lambda prolific, person: person.return_place(), "RETURNED"),
        (lambda prolific, person: prolific.clock.advance(minutes=29), "TIMED-OUT"),
        (reject, "REJECTED"),
    ],
)
def test_places_reopen(prolific, leave, status):
    study = prolific.add_study(total_available_places=1)
    first, second = prolific.participant(), prolific.participant()
    first.take(study)
    assert status_of(prolific, study) == "AWAITING REVIEW"
    assert second.available_studies() == []
    leave(prolific, first)
    assert status_of(prolific, study) == "ACTIVE"
    assert first.submissions[0].status == status
    second.take(study)
    with pytest.raises(NotEligibleError):
        first.take(study)


def test_list_of_a_project(prolific):
    other = prolific.platform.add_project(prolific.workspace)
    names = []
    for number in range(3):
        prolific.clock.advance(minutes=1)
        prolific.add_study(publish=False, name=f"Study {number}", internal_name=f"batch-{number}")
        names.append(f"Study {number}")
    prolific.add_study(publish=False, project=other.id)
    path = f"/projects/{prolific.project.id}/studies/"
    status, body = prolific.call("GET", path, ordering="-date_created")
    assert status == 200
    assert [row["name"] for row in body["results"]] == names[::-1]
    assert body["results"][0]["internal_name"] == "batch-2"
    assert body["results"][0]["reward"] == 20_000  # too large by a factor of 100
    assert body["meta"] == {"count": 3}


@pytest.mark.parametrize(
    ("query", "names", "has_next"),
    [
        ({"page_size": "2"}, ["0", "1"], True),
        ({"page_size": "2", "page": "2"}, ["2"], False),
        ({"limit": "1", "offset": "1"}, ["1"], True),
        ({"limit": "2", "offset": "5"}, [], False),
    ],
)
def test_paging(prolific, query, names, has_next):
    for number in range(3):
        prolific.add_study(publish=False, name=str(number))
    status, body = prolific.call("GET", "/studies/", None, **query)
    assert status == 200
    assert [row["name"] for row in body["results"]] == names
    assert bool(body["_links"]["next"]["href"]) == has_next


def test_page_past_the_end_is_not_found(prolific):
    prolific.add_study(publish=False)
    assert prolific.call("GET", "/studies/", None, page="1")[0] == 200
    status, body = prolific.call("GET", "/studies/", None, page="2")
    assert (status, body["detail"]) == (404, "Invalid page.")
    assert prolific.call("GET", "/studies/", None, page="x")[0] == 400


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({"published": "0"}, "draft"),
        ({"active": "1"}, "live"),
        ({"status": "active"}, "live"),
        ({"completed": "1"}, "stopped"),
    ],
)
def test_list_by_status(prolific, query, name):
    prolific.add_study(publish=False, name="draft")
    prolific.add_study(name="live")
    transition(prolific, prolific.add_study(name="stopped"), "STOP")
    rows = prolific.call("GET", "/studies/", None, **query)[1]["results"]
    assert [row["name"] for row in rows] == [name]


def test_group_filters_act_on_live_studies(prolific):
    groups = [
        prolific.call(
            "POST",
            "/participant-groups/",
            {"workspace_id": prolific.workspace.id, "name": name},
        )[1]["id"]
        for name in ("trained", "expert", "blocked")
    ]
    study = prolific.add_study(
        filters=[
            {"filter_id": "participant_group_allowlist", "selected_values": groups[:2]},
            {"filter_id": "participant_group_blocklist", "selected_values": groups[2:]},
        ]
    )
    person = prolific.participant()
    members = {"participant_ids": [person.id]}
    assert person.available_studies() == []
    prolific.call("POST", f"/participant-groups/{groups[1]}/participants/", members)
    assert person.available_studies() == [study]
    prolific.call("POST", f"/participant-groups/{groups[2]}/participants/", members)
    assert person.available_studies() == []
    prolific.call("DELETE", f"/participant-groups/{groups[2]}/participants/", members)
    assert person.available_studies() == [study]


@pytest.mark.parametrize(
    ("row", "traits", "is_eligible"),
    [
        ({"filter_id": "approval_rate", "selected_range": {"lower": 95, "upper": 100}}, {}, True),
        (
            {"filter_id": "approval_rate", "selected_range": {"lower": 95, "upper": 100}},
            {"approval_rate": 94},
            False,
        ),
        (
            {"filter_id": "current-country-of-residence", "selected_values": ["1"]},
            {"country": "1"},
            True,
        ),
        ({"filter_id": "current-country-of-residence", "selected_values": ["1"]}, {}, False),
    ],
)
def test_trait_filters(prolific, row, traits, is_eligible):
    prolific.add_study(filters=[row])
    assert bool(prolific.participant(**traits).available_studies()) == is_eligible


def test_filters_are_listed_with_choices(prolific):
    rows = {row["filter_id"]: row for row in prolific.call("GET", "/filters/")[1]["results"]}
    assert rows["current-country-of-residence"]["choices"]["0"] == "United Kingdom"
    assert rows["approval_rate"]["type"] == "range"


def test_test_study_where_enabled(prolific):
    draft = prolific.add_study(publish=False)
    path = f"/studies/{draft.id}/test-study"
    assert prolific.call("POST", path)[0] == 404
    prolific.workspace.features.add("TEST_PARTICIPANTS")
    email = {"email": "tester@example.org"}
    tester = prolific.call("POST", "/researchers/participants/", email)[1]["participant_id"]
    study = prolific.call("POST", path)[1]["study_id"]
    prolific.tick()
    assert [row.id for row in prolific.participant(tester).available_studies()] == [study]
    assert prolific.participant().available_studies() == []
