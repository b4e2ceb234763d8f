"""Projects that are created and changed by API, command and page."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from audit.models import StateChange
from crowd.domain.money.pay_scheme import check_pay_scheme
from projects.enums import MemberRole
from projects.models import Project
from schemes.registry import get_scheme
from tests.api.conftest import calling
from tests.dashboard.campaign import add_items, make_user

pytestmark = pytest.mark.django_db
TERMS = {
    "reward_cents": 7,
    "free_units": 2,
    "bonus_first_cents": 5,
    "bonus_step_cents": 1,
    "allowance_units": 6,
}
PRESETS = get_scheme("qasrl").vocabulary.pay_presets
PRESET = check_pay_scheme(next(iter(PRESETS)), PRESETS)
IMPOSSIBLE_SLUGS = ["new", "-", "__", "-a", "_a", "a b", "a/b", "ä", "x" * 61]


def create(client, **body):
    body = {"slug": "fresh", "scheme": "qasrl", **body}
    return client.post(reverse("api:projects"), json.dumps(body), content_type="application/json")


def change(client, body, **headers):
    url = reverse("api:project", args=["demo"])
    return client.patch(url, json.dumps(body), content_type="application/json", headers=headers)


def attrs_of(response) -> list[str]:
    return [error["attr"] for error in response.json()["errors"]]


# --- pay schemes ---------------------------------------------------------------------------------


def test_terms_of_some_roles_replace_those_of_the_preset(root):
    response = create(calling(root), pay_scheme={"generator": TERMS})
    assert response.status_code == 201
    pay = Project.objects.get().pay_scheme
    assert pay == response.json()["pay_scheme"]
    assert {name: pay["generator"][name] for name in TERMS} == TERMS
    assert {**pay, "generator": None} == {**PRESET, "generator": None}


@pytest.mark.parametrize(
    "pay_scheme",
    [
        {"foo": TERMS},
        {"expert": TERMS},
        {"generator": TERMS, "foo": TERMS},
        {"generator": {**TERMS, "bonus": 1}},
        {"generator": {"reward_cents": 5}},
        {"generator": {**TERMS, "reward_cents": "5"}},
        {"generator": {**TERMS, "reward_cents": -5}},
        {},
        [],
        "nothing",
        7,
    ],
)
def test_unknown_roles_and_incomplete_terms_are_refused(root, pay_scheme):
    response = create(calling(root), pay_scheme=pay_scheme)
    assert (response.status_code, attrs_of(response)) == (400, ["pay_scheme"])
    assert Project.objects.count() == 0


def test_pay_of_a_role_is_changed(api, project):
    before = project.pay_scheme
    response = change(api, {"pay_scheme": {"consolidator": TERMS}})
    assert response.status_code == 200
    project.refresh_from_db()
    assert response.json()["pay_scheme"] == project.pay_scheme
    assert project.pay_scheme == {**before, "consolidator": check_pay_scheme({"x": TERMS})["x"]}
    logged = StateChange.objects.filter(aggregate="projects.Project")
    assert "reward of consolidators: $0.05 -> $0.07" in {change.reason for change in logged}
    assert all(change.actor.startswith("rita by token ts_") for change in logged)


def test_project_that_lacks_the_pay_of_a_role_is_repaired(api, project):
    terms = project.pay_scheme["generator"]
    Project.objects.update(pay_scheme={"generator": {**terms, "reward_cents": 9}, "foo": terms})
    assert change(api, {"pay_scheme": {"consolidator": TERMS}}).status_code == 200
    project.refresh_from_db()
    assert project.pay_scheme.keys() == PRESET.keys()
    assert project.pay_scheme["generator"]["reward_cents"] == 9
    assert project.pay_scheme["consolidator"]["reward_cents"] == 7


def test_pay_of_published_work_is_not_changed(api, campaign):
    response = change(api, {"pay_scheme": {"generator": TERMS}})
    assert (response.status_code, response.json()["errors"][0]["code"]) == (409, "invalid_state")
    before = campaign.project.pay_scheme
    campaign.project.refresh_from_db()
    assert campaign.project.pay_scheme == before


# --- other changes -------------------------------------------------------------------------------


def test_title_and_limits_are_changed(api, project):
    body = {"title": "Renamed", "cap_cents": 12_345, "minimum_hourly_cents": 1500}
    response = change(api, body)
    assert response.status_code == 200
    assert {name: response.json()[name] for name in body} == body
    assert change(api, {"cap_cents": None}).json()["cap_cents"] is None
    assert api.get(reverse("api:project", args=["demo"])).json()["title"] == "Renamed"


def test_budget_limit_below_what_is_reserved_is_refused(api, campaign):
    response = change(api, {"title": "Renamed", "cap_cents": 1})
    assert (response.status_code, response.json()["errors"][0]["code"]) == (409, "budget_exceeded")
    campaign.project.refresh_from_db()
    assert campaign.project.title != "Renamed"


def test_settings_that_are_fixed_are_unknown(api, project):
    response = change(api, {"scheme": "frames", "slug": "other"})
    assert {error["code"] for error in response.json()["errors"]} == {"unknown_field"}
    assert sorted(attrs_of(response)) == ["scheme", "slug"]


def test_change_of_a_changed_project_is_refused(api, project):
    tag = api.get(reverse("api:project", args=["demo"])).headers["ETag"]
    assert change(api, {"title": "First"}, **{"If-Match": tag}).status_code == 200
    assert change(api, {"title": "Second"}, **{"If-Match": tag}).status_code == 412
    project.refresh_from_db()
    assert project.title == "First"


# --- slugs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", IMPOSSIBLE_SLUGS)
def test_impossible_slug_is_refused_by_api(root, slug):
    response = create(calling(root), slug=slug)
    assert (response.status_code, attrs_of(response)) == (400, ["slug"])
    assert Project.objects.count() == 0


@pytest.mark.parametrize("slug", IMPOSSIBLE_SLUGS)
def test_impossible_slug_is_refused_by_command(db, slug):
    with pytest.raises(CommandError):
        call_command("create_project", "--scheme", "qasrl", "--", slug)
    assert Project.objects.count() == 0


@pytest.mark.parametrize("slug", IMPOSSIBLE_SLUGS)
def test_impossible_slug_is_refused_on_the_page(root, client, slug):
    client.force_login(root)
    form = {"title": "Fresh", "slug": slug, "scheme": "qasrl"}
    page = client.post(reverse("projects:project_new"), form)
    assert (page.status_code, list(page.context["form"].errors)) == (422, ["slug"])
    assert Project.objects.count() == 0


@pytest.mark.parametrize("slug", ["new-1", "New", "a", "7", "a_b-c", "x" * 60])
def test_possible_slug_has_pages(root, client, slug):
    assert create(calling(root), slug=slug).status_code == 201
    client.force_login(root)
    assert client.get(reverse("dashboard:project", args=[slug])).status_code == 200


# --- permissions ---------------------------------------------------------------------------------


def test_change_needs_the_scope_publish(project):
    user = make_user("olga", project, MemberRole.ADMIN)
    response = change(calling(user, scopes=["read", "import"]), {"title": "Renamed"})
    assert response.json()["errors"][0]["code"] == "insufficient_scope"


def test_publishing_without_items_asks_for_a_corpus(api, project):
    def detail() -> str:
        response = api.post(
            reverse("api:batches", args=["demo"]),
            '{"limit": 1}',
            content_type="application/json",
            headers={"Idempotency-Key": "one"},
        )
        return response.json()["errors"][0]["detail"]

    assert detail() == "demo has no items yet. Import a corpus first."
    add_items(project, 1)
    project.items.update(in_production=False)
    assert detail() == "demo has no items yet. Import a corpus first."


# --- settings ------------------------------------------------------------------------------------


def test_settings_are_changed(api, project):
    wanted = {
        "generators_per_item": 3,
        "exclusion_scope": "sentence",
        "bonus_timing": "at-once",
        "input_signals": "off",
        "suggestions": "off",
        "shown_context": "2",
    }
    response = change(api, wanted)
    assert response.status_code == 200
    assert response.json() | wanted == response.json()
    assert change(api, {"generators_per_item": 10}).status_code == 400
    assert change(api, {"bonus_timing": "never"}).status_code == 400


def test_number_of_generators_is_that_of_the_protocol(api, project):
    Project.objects.update(protocol="validation", generators_per_item=1)
    response = change(api, {"generators_per_item": 2})
    assert response.status_code == 409
    assert "Under validation, each item has one annotator." in response.content.decode()


def test_number_of_generators_stays_once_items_are_published(api, campaign):
    response = change(api, {"generators_per_item": 5, "title": "New"})
    assert response.status_code == 409
    campaign.project.refresh_from_db()
    assert campaign.project.title != "New"


# --- protocol ------------------------------------------------------------------------------------


def test_protocol_is_changed_as_on_the_page(api, project):
    wanted = {"protocol": "validation", "validators_per_item": 3, "validators_to_agree": 2}
    response = change(api, wanted)
    assert response.status_code == 200
    assert response.json() | wanted == response.json()
    assert response.json()["generators_per_item"] == 1
    logged = StateChange.objects.get(aggregate="projects.Project", new="validation")
    assert (logged.old, logged.reason) == ("consolidation", "2 of 3 validators")
    assert logged.actor.startswith("rita by token ts_")
    # The rest of the protocol stays.
    assert change(api, {"validators_per_item": 4}).json()["validators_to_agree"] == 2
    assert change(api, {"protocol": "consolidation"}).json()["validators_per_item"] == 4


def test_impossible_protocol_is_refused(api, project):
    for body in (
        {"protocol": "verification"},  # not with this scheme
        {"validators_per_item": 2, "validators_to_agree": 3},
        {"validators_per_item": 1},
    ):
        response = change(api, body | {"title": "Renamed"})
        assert (response.status_code, attrs_of(response)) == (400, ["protocol"])
    for body in (
        {"protocol": "vote"},
        {"protocol": None},
        {"validators_per_item": 10},
        {"revision_limit": 4},
        {"after_disputes": ""},
    ):
        response = change(api, body)
        assert (response.status_code, attrs_of(response)) == (400, list(body))
    assert not StateChange.objects.filter(aggregate="projects.Project").exists()


def test_protocol_stays_once_items_are_published(api, campaign):
    response = change(api, {"protocol": "validation", "title": "Renamed"})
    assert (response.status_code, response.json()["errors"][0]["code"]) == (409, "invalid_state")
    assert "published items under consolidation" in response.content.decode()
    campaign.project.refresh_from_db()
    assert (campaign.project.protocol, campaign.project.title) == ("consolidation", "Project demo")
    # The present protocol is no change.
    assert change(api, {"protocol": "consolidation", "validators_to_agree": 2}).status_code == 200


def test_what_follows_a_dispute_is_changed_later(api, campaign):
    wanted = {"revision_limit": 2, "after_disputes": "leave"}
    assert change(api, wanted).json() | wanted == change(api, {}).json()
    reasons = set(StateChange.objects.values_list("reason", flat=True))
    assert "revisions of a disputed annotation: 1 -> 2" in reasons


def test_protocol_of_a_changed_project_is_refused(api, project):
    tag = api.get(reverse("api:project", args=["demo"])).headers["ETag"]
    Project.objects.update(title="Other")
    assert change(api, {"protocol": "validation"}, **{"If-Match": tag}).status_code == 412
    project.refresh_from_db()
    assert project.protocol == "consolidation"
