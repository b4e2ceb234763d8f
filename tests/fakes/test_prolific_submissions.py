"""The stand-in's submissions: places, completion by code, decisions and time limits."""

from contextlib import suppress
from datetime import timedelta
from threading import Thread

import pytest

from tests.fakes.prolific import CODE, NotEligibleError

REASON = "The work does not follow the guidelines: " + "x" * 100
REJECTION = {"action": "REJECT", "message": REASON, "rejection_category": "LOW_EFFORT"}
STATUSES = [
    "RESERVED",
    "ACTIVE",
    "AWAITING REVIEW",
    "APPROVED",
    "REJECTED",
    "RETURNED",
    "TIMED-OUT",
    "SCREENED OUT",
]
RESEARCHER_CODE = {"code": "MEND", "code_type": "OTHER", "actor": "researcher", "actions": []}
PARTICIPANT_CODE = {"code": CODE, "code_type": "COMPLETED", "actions": []}


def decide(prolific, submission, action, **fields):
    path = f"/submissions/{submission.id}/transition/"
    return prolific.call("POST", path, {"action": action, **fields})


def read(prolific, submission):
    return prolific.call("GET", f"/submissions/{submission.id}/")[1]


def submission_in(prolific, status, **fields):
    """Return a participant and a submission with the given status."""
    study = prolific.add_study(**fields)
    person = prolific.participant()
    if status == "RESERVED":
        return person, person.reserve(study)
    person.take(study)
    submission = person.submissions[0]
    if status == "TIMED-OUT":
        prolific.clock.advance(minutes=29)
        prolific.tick()
    elif status == "RETURNED":
        person.return_place()
    elif status != "ACTIVE":
        person.complete(CODE)
    if status == "APPROVED":
        decide(prolific, submission, "APPROVE")
    elif status == "REJECTED":
        decide(prolific, submission, **REJECTION)
    elif status == "SCREENED OUT":
        submission.status = status
    assert submission.status == status
    return person, submission


def test_arrival_has_the_three_ids(prolific):
    study = prolific.add_study()
    person = prolific.participant()
    address = person.take(study)
    submission = person.submissions[0]
    assert address == (
        f"http://127.0.0.1/arrive/?pid={person.id}&study={study.id}&session={submission.id}"
    )


def test_details_of_a_submission(prolific):
    person, submission = submission_in(prolific, "ACTIVE")
    prolific.clock.advance(minutes=5)
    person.complete(CODE)
    shared = {
        "id": submission.id,
        "status": "AWAITING REVIEW",
        "started_at": "2026-11-23T09:00:00Z",
        "completed_at": "2026-11-23T09:05:00Z",
        "is_complete": True,
        "time_taken": 300,
        "return_requested": None,
        "bonus_payments": [],
    }
    assert read(prolific, submission) == {
        **shared,
        "participant": person.id,
        "study_id": submission.study,
        "entered_code": CODE,
        "reward": 200,
    }
    [row] = prolific.call("GET", "/submissions/", None, study=submission.study)[1]["results"]
    assert row == {
        **shared,
        "participant_id": person.id,
        "study_code": CODE,
        "has_siblings": False,
        "reward": 20_000,
        "strata": {},
        "star_awarded": False,
        "ip": "",
    }


def test_reservation_ends_after_ten_minutes(prolific):
    _, submission = submission_in(prolific, "RESERVED")
    prolific.clock.advance(minutes=9, seconds=59)
    assert read(prolific, submission)["status"] == "RESERVED"
    prolific.clock.advance(seconds=1)
    assert read(prolific, submission)["status"] == "RETURNED"


def test_place_times_out(prolific):
    _, submission = submission_in(prolific, "ACTIVE")
    prolific.clock.advance(minutes=28)
    assert read(prolific, submission)["status"] == "ACTIVE"
    prolific.clock.advance(minutes=1)
    assert read(prolific, submission)["status"] == "TIMED-OUT"


def test_timed_out_work_can_be_completed_until_the_place_is_taken(prolific):
    person, submission = submission_in(prolific, "TIMED-OUT", total_available_places=1)
    other = prolific.participant()
    other.take(submission.study)
    with pytest.raises(NotEligibleError):
        person.complete(CODE)
    other.return_place()
    assert person.complete(CODE).status == "AWAITING REVIEW"


def test_researcher_completes_timed_out_work_for_an_extra_place(prolific):
    codes = [PARTICIPANT_CODE, RESEARCHER_CODE]
    _, submission = submission_in(
        prolific, "TIMED-OUT", total_available_places=1, completion_codes=codes
    )
    prolific.participant().take(submission.study)
    assert prolific.available_balance == 1_000_000 - 303
    assert decide(prolific, submission, "COMPLETE", completion_code="MEND")[0] == 200
    assert prolific.available_balance == 1_000_000 - 606
    assert read(prolific, submission)["entered_code"] == "MEND"


DECISIONS = {
    "APPROVE": ({}, {"AWAITING REVIEW"}, {"APPROVED"}),
    "REJECT": (
        {"message": REASON, "rejection_category": "LOW_EFFORT"},
        {"AWAITING REVIEW"},
        {"REJECTED"},
    ),
    "COMPLETE": (
        {"completion_code": "MEND"},
        {"ACTIVE", "TIMED-OUT"},
        {"AWAITING REVIEW", "APPROVED"},
    ),
}
RESULTS = {"APPROVE": "APPROVED", "REJECT": "REJECTED", "COMPLETE": "AWAITING REVIEW"}


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("action", DECISIONS)
def test_decision(prolific, action, status):
    fields, sources, ignored = DECISIONS[action]
    codes = [PARTICIPANT_CODE, RESEARCHER_CODE]
    _, submission = submission_in(prolific, status, completion_codes=codes)
    movements = len(prolific.movements)
    code, _ = decide(prolific, submission, action, **fields)
    if status in sources:
        assert (code, submission.status) == (200, RESULTS[action])
    else:
        # Repeated decisions are ignored, and other statuses are refused.
        assert (code, submission.status) == (200 if status in ignored else 400, status)
    is_paid = action == "APPROVE" and status in sources
    assert len(prolific.movements) == movements + is_paid


@pytest.mark.parametrize(
    "changes",
    [
        {"message": "x" * 99},
        {"message": ""},
        {"rejection_category": "BAD"},
        {"rejection_category": None},
    ],
)
def test_rejection_needs_a_long_reason_and_a_category(prolific, changes):
    _, submission = submission_in(prolific, "AWAITING REVIEW")
    assert decide(prolific, submission, **{**REJECTION, **changes})[0] == 400
    assert submission.status == "AWAITING REVIEW"


def test_rejections_can_be_capped(prolific):
    prolific.options.max_rejections = 0.5
    study = prolific.add_study()
    statuses = []
    for _ in range(2):
        person = prolific.participant()
        person.take(study)
        person.complete(CODE)
        statuses.append(decide(prolific, person.submissions[0], **REJECTION)[0])
    assert statuses == [200, 400]


@pytest.mark.parametrize("action", ["RETURN", "START", "SCREEN_OUT", "UNREJECT", "UNRETURN"])
def test_disputed_transitions_are_refused(prolific, action):
    _, submission = submission_in(prolific, "REJECTED")
    assert decide(prolific, submission, action)[0] == 400


@pytest.mark.parametrize(
    ("source", "action", "result"),
    [
        ("ACTIVE", "RETURN", "RETURNED"),
        ("RESERVED", "START", "ACTIVE"),
        ("ACTIVE", "SCREEN_OUT", "SCREENED OUT"),
        ("REJECTED", "UNREJECT", "AWAITING REVIEW"),
        ("RETURNED", "UNRETURN", "AWAITING REVIEW"),
    ],
)
def test_disputed_transitions_can_be_enabled(prolific, source, action, result):
    prolific.options.disputed_transitions = True
    _, submission = submission_in(prolific, source)
    submission.completed_at = prolific.clock()
    assert decide(prolific, submission, action)[1]["status"] == result


def test_unknown_transition_is_refused(prolific):
    _, submission = submission_in(prolific, "ACTIVE")
    assert decide(prolific, submission, "FORGET")[0] == 400


def test_work_can_be_returned_after_completion(prolific):
    person, submission = submission_in(prolific, "AWAITING REVIEW")
    person.return_place()
    assert read(prolific, submission)["status"] == "RETURNED"
    with pytest.raises(NotEligibleError):
        person.return_place()


def test_submission_without_a_code(prolific):
    person, submission = submission_in(prolific, "ACTIVE")
    person.leave_without_code()
    assert read(prolific, submission)["entered_code"] == "NOCODE"
    assert submission.status == "AWAITING REVIEW"


def test_unknown_code_runs_no_action(prolific):
    person, submission = submission_in(prolific, "ACTIVE")
    assert person.complete("WRONG").entered_code == "WRONG"
    assert submission.status == "AWAITING REVIEW"


@pytest.mark.parametrize("status", ["ACTIVE", "PROCESSING"])
def test_completion_becomes_visible_late(prolific, status):
    prolific.options.completion_lag = timedelta(seconds=30)
    prolific.options.lag_status = status
    person, submission = submission_in(prolific, "ACTIVE")
    person.complete(CODE)
    assert read(prolific, submission)["status"] == status
    assert read(prolific, submission)["entered_code"] is None
    assert decide(prolific, submission, "APPROVE")[0] == 400
    prolific.clock.advance(seconds=30)
    assert decide(prolific, submission, "APPROVE")[0] == 200


def code_with(*actions):
    return [{"code": CODE, "code_type": "OTHER", "actions": list(actions)}]


def test_code_approves(prolific):
    person, submission = submission_in(
        prolific, "ACTIVE", completion_codes=code_with({"action": "AUTOMATICALLY_APPROVE"})
    )
    person.complete(CODE)
    assert submission.status == "APPROVED"
    assert [movement.total for movement in prolific.movements] == [303]


def test_code_changes_groups_and_asks_for_a_return(prolific):
    body = {"workspace_id": prolific.workspace.id, "name": "group"}
    joined_group, left_group = (
        prolific.call("POST", "/participant-groups/", body)[1] for _ in range(2)
    )
    person, submission = submission_in(
        prolific,
        "ACTIVE",
        completion_codes=code_with(
            {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": joined_group["id"]},
            {"action": "REMOVE_FROM_PARTICIPANT_GROUP", "participant_group": left_group["id"]},
            {"action": "REQUEST_RETURN", "return_reason": "Not eligible"},
        ),
    )
    prolific.platform.groups[left_group["id"]].members[person.id] = prolific.clock()
    person.complete(CODE)
    groups = prolific.platform.groups
    assert list(groups[joined_group["id"]].members) == [person.id]
    assert list(groups[left_group["id"]].members) == []
    assert submission.status == "AWAITING REVIEW"
    assert submission.return_requested == prolific.clock()


def test_code_screens_out_until_the_slots_are_used(prolific):
    prolific.workspace.features.add("FIXED_SCREEN_OUT_PAYMENT")
    action = {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 20, "slots": 1}
    person, submission = submission_in(prolific, "ACTIVE", completion_codes=code_with(action))
    assert prolific.available_balance == 1_000_000 - 606 - 31
    person.complete(CODE)
    assert submission.status == "SCREENED OUT"
    assert submission.bonus_payments == [20]
    assert prolific.platform.studies[submission.study].status == "PAUSED"
    assert [(row.kind, row.total) for row in prolific.movements] == [("screen_out", 31)]


def test_researcher_pays_a_part_of_the_reward(prolific):
    prolific.workspace.features.add("DYNAMIC_PAYMENT")
    code = {**RESEARCHER_CODE, "actions": [{"action": "DYNAMIC_PAYMENT"}]}
    _, submission = submission_in(prolific, "ACTIVE", completion_codes=[PARTICIPANT_CODE, code])
    for percentage in (7, 100, "x"):
        data = {"percentage_of_reward": percentage}
        answer = decide(
            prolific, submission, "COMPLETE", completion_code="MEND", completion_code_data=data
        )
        assert answer[0] == 400
    data = {"percentage_of_reward": 50}
    decide(prolific, submission, "COMPLETE", completion_code="MEND", completion_code_data=data)
    assert submission.status == "PARTIALLY APPROVED"
    assert [row.amount for row in prolific.movements] == [100]


@pytest.mark.parametrize("code", [CODE, "OTHER"])
def test_researcher_needs_a_code_for_researchers(prolific, code):
    _, submission = submission_in(prolific, "ACTIVE")
    assert decide(prolific, submission, "COMPLETE", completion_code=code)[0] == 400


def test_undecided_work_is_approved_after_21_days(prolific):
    _, submission = submission_in(prolific, "AWAITING REVIEW")
    prolific.clock.advance(days=20, hours=23)
    assert prolific.movements == []
    prolific.clock.advance(hours=1)
    assert [row.submission for row in prolific.movements] == [submission.id]


@pytest.mark.parametrize(("minutes", "status"), [(4, "AWAITING REVIEW"), (5, "APPROVED")])
def test_quick_repeated_work_is_not_approved_by_time(prolific, minutes, status):
    config = {"max_submissions_per_participant": -1}
    person, submission = submission_in(prolific, "ACTIVE", submissions_config=config)
    prolific.clock.advance(minutes=minutes)
    person.complete(CODE)
    prolific.clock.advance(days=22)
    assert read(prolific, submission)["status"] == status


def test_bulk_approval_happens_later(prolific):
    study = prolific.add_study()
    people = [prolific.participant() for _ in range(2)]
    for person in people:
        person.take(study)
    people[0].complete(CODE)
    keys = {"submission_ids": [person.submissions[0].id for person in people]}
    assert prolific.call("POST", "/submissions/bulk-approve/", keys)[0] == 200
    assert prolific.movements == []
    prolific.clock.advance(minutes=1)
    assert len(prolific.movements) == 1
    assert [person.submissions[0].status for person in people] == ["APPROVED", "ACTIVE"]


def test_bulk_approval_by_study_and_participants(prolific):
    person, submission = submission_in(prolific, "AWAITING REVIEW")
    body = {"study_id": submission.study, "participant_ids": [person.id]}
    assert prolific.call("POST", "/submissions/bulk-approve/", body)[0] == 200
    prolific.clock.advance(minutes=1)
    assert [row.submission for row in prolific.movements] == [submission.id]


@pytest.mark.parametrize("status", ["AWAITING REVIEW", "awaiting_review", "Awaiting_Review"])
def test_list_by_status(prolific, status):
    _, submission = submission_in(prolific, "AWAITING REVIEW")
    submission_in(prolific, "ACTIVE")
    rows = prolific.call("GET", "/submissions/", None, status=status)[1]["results"]
    assert [row["id"] for row in rows] == [submission.id]


@pytest.mark.parametrize("keys", [[], ["a" * 24], ["a" * 24] * 1001, "a", None])
def test_bulk_approval_of_invalid_ids_is_refused(prolific, keys):
    body = {"submission_ids": keys}
    assert prolific.call("POST", "/submissions/bulk-approve/", body)[0] == 400


def test_request_to_return_does_not_change_the_status(prolific):
    _, submission = submission_in(prolific, "AWAITING REVIEW")
    path = f"/submissions/{submission.id}/request-return/"
    status, body = prolific.call("POST", path, {"request_return_reasons": ["Withdrew consent."]})
    assert (status, body["status"]) == (200, "AWAITING REVIEW")
    assert body["return_requested"] == "2026-11-23T09:00:00Z"
    assert prolific.call("POST", path, {"request_return_reasons": []})[0] == 400


def test_submissions_per_participant(prolific):
    config = {"max_submissions_per_participant": 2}
    study = prolific.add_study(total_available_places=9, submissions_config=config)
    person = prolific.participant()
    for _ in range(2):
        person.take(study)
        assert person.available_studies() == []
        person.complete(CODE)
    with pytest.raises(NotEligibleError):
        person.take(study)


def test_concurrent_submissions_are_limited(prolific):
    config = {"max_concurrent_submissions": 1}
    study = prolific.add_study(submissions_config=config)
    first, second = prolific.participant(), prolific.participant()
    first.take(study)
    assert second.available_studies() == []
    first.complete(CODE)
    assert second.available_studies() == [study]


def test_concurrent_participants_get_each_place_once(prolific):
    study = prolific.add_study(total_available_places=3)
    addresses = []

    def take():
        with suppress(NotEligibleError):
            addresses.append(prolific.participant().take(study))

    threads = [Thread(target=take) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(addresses) == 3


def test_counts_by_status(prolific):
    _, submission = submission_in(prolific, "AWAITING REVIEW")
    counts = prolific.call("GET", f"/studies/{submission.study}/submissions/counts/")[1]
    assert {name: count for name, count in counts.items() if count} == {
        "AWAITING REVIEW": 1,
        "TOTAL": 1,
    }
