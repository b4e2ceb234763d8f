"""Figures, the log and cancelled jobs by API."""

import json

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from audit.domain.change_state import log_state_change
from consolidation.models import Gold
from datasets.domain.quality.quality import quality_json, quality_report
from jobs.enums import JobState
from projects.enums import MemberRole
from qualification.domain.training.funnel import funnel_of
from tests.api.conftest import calling
from tests.api.training import add_evaluations
from tests.dashboard.campaign import CONTENT, START, make_user
from tests.jobs.factories import make_export, make_import, queued_evaluation, queued_export

pytestmark = pytest.mark.django_db


def get(api, name, *arguments, **query):
    response = api.get(reverse(f"api:{name}", args=["demo", *arguments]), query)
    assert response.status_code == 200, response.content
    return response.json()


def post(api, url):
    return api.post(url, "{}", content_type="application/json")


def printed(capsys, *command, **options) -> dict:
    call_command(*command, json=True, **options)
    return json.loads(capsys.readouterr().out)


# --- figures -------------------------------------------------------------------------------------


def test_quality_compares_gold_with_a_reference(api, campaign):
    assert get(api, "quality")["problem"]
    for gold in list(Gold.objects.all()):
        Gold.objects.create(
            item=gold.item, source="expert", version=1, content=CONTENT, schema_version=1,
            provenance=[], created_at=START,
        )  # fmt: skip
    cache.clear()
    found = get(api, "quality")
    assert found.pop("counted_at")
    assert (found.pop("problem"), found["source"], found["against"]) == (
        "",
        "consolidated",
        "expert",
    )
    project = campaign.project
    report = quality_report(project=project, source="consolidated", against="expert")
    assert found == json.loads(json.dumps(quality_json(report)))
    assert found["rows"][0]["items"] == 3
    swapped = get(api, "quality", source="expert", against="consolidated")
    assert (swapped["source"], swapped["against"]) == ("expert", "consolidated")


def test_figures_are_those_of_the_commands(api, campaign, capsys):
    agreement = get(api, "agreement")
    command = printed(capsys, "agreement", "demo", items=500)
    assert {name: agreement[name] for name in command} == command
    assert agreement["workers"]["items"] > 0

    forecast = get(api, "forecast")
    command = printed(capsys, "forecast", "demo")
    assert {name: command[name] for name in forecast if name != "counted_at"} == {
        name: value for name, value in forecast.items() if name != "counted_at"
    }
    assert forecast["roles"][0]["expected_cents"] > 0

    statistics = get(api, "statistics")
    command = printed(capsys, "frame_statistics", "demo")
    assert {name: statistics[name] for name in command} == command
    assert statistics["groups"]["gold"]


def test_figures_are_cached_like_those_of_pages(api, campaign, settings):
    settings.FIGURES_TIMEOUT = 60
    first = get(api, "agreement")
    campaign.add(8, workers=2)
    assert get(api, "agreement") == first


def test_funnel_counts_workers_by_round(api, campaign):
    add_evaluations(campaign.project, campaign.workers)
    [stage] = get(api, "funnel")["results"]
    [expected] = funnel_of(project=campaign.project)
    assert stage == {name: getattr(expected, name) for name in stage}
    assert (stage["invited"], stage["finished"]) == (6, 6)


def test_trainers_see_the_funnel_and_experts_the_quality(project):
    roles = {"funnel": MemberRole.TRAINER, "quality": MemberRole.EXPERT}
    for name, role in roles.items():
        client = calling(make_user(role, project, role))
        for other in ("funnel", "quality", "agreement", "log"):
            status = client.get(reverse(f"api:{other}", args=["demo"])).status_code
            assert status == (200 if other == name else 403), (role, other)


# --- log -----------------------------------------------------------------------------------------


def add_changes(project, count, **fields):
    fields = {"old": "a", "actor": "ada", "now": START, **fields}
    for number in range(count):
        log_state_change(instance=project, new=str(number), **fields)


def test_log_is_paged_in_both_directions(api, project):
    before = len(get(api, "log", limit=200)["results"])
    add_changes(project, 7)
    whole = get(api, "log", limit=200)["results"]
    assert [row["new"] for row in whole[:7]] == ["6", "5", "4", "3", "2", "1", "0"]
    assert len(whole) == before + 7
    first = get(api, "log", limit=3, id_after=whole[6]["id"] - 1)
    assert first["previous"] is None
    second = api.get(first["next"]).json()
    third = api.get(second["next"]).json()
    assert third["next"] is None
    pages = [first, second, third]
    assert [row for page in pages for row in page["results"]] == whole[:7]
    assert api.get(third["previous"]).json()["results"] == second["results"]
    assert api.get(second["previous"]).json()["results"] == first["results"]


def test_log_rows_name_who_did_what(api, requester, project):
    add_changes(project, 1, reason="why")
    [row, *_] = get(api, "log")["results"]
    del row["id"]
    assert row == {
        "at": "2026-09-01T09:00:00Z",
        "actor": "ada",
        "kind": "projects.Project",
        "object_id": project.pk,
        "old": "a",
        "new": "0",
        "reason": "why",
    }


def test_actions_by_token_are_those_of_people(api, project, requester):
    """On the page as well."""
    url = reverse("api:project", args=["demo"])
    api.patch(url, '{"title": "Renamed"}', content_type="application/json")
    [row] = get(api, "log", by="people")["results"]
    assert row["actor"].startswith("rita by token ts_")
    assert row not in get(api, "log", by="automatic", limit=200)["results"]
    page = Client()
    page.force_login(requester)
    people = page.get(reverse("dashboard:log", args=["demo"]), {"by": "people"})
    assert "by token ts_" in people.content.decode()


# --- cancelled jobs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("import", make_import),
        ("export", queued_export),
        ("system_evaluation", queued_evaluation),
    ],
)
def test_job_is_cancelled(api, campaign, name, make):
    job = make(campaign.project)
    url = reverse(f"api:cancel_{name}", args=["demo", job.pk])
    response = post(api, url)
    assert (response.status_code, response.json()["state"]) == (200, "cancelled")
    assert response.json() == get(api, name, job.pk)
    again = post(api, url)
    assert (again.status_code, again.json()) == (200, response.json())


def test_finished_export_is_not_cancelled(api, campaign):
    job = make_export(campaign.project)
    response = post(api, reverse("api:cancel_export", args=["demo", job.pk]))
    assert response.status_code == 409
    job.refresh_from_db()
    assert job.state == JobState.FINISHED


def test_jobs_of_another_kind_or_project_are_not_found(api, campaign):
    job = queued_export(campaign.project)
    assert post(api, reverse("api:cancel_import", args=["demo", job.pk])).status_code == 404
    job.scope = "other"
    job.save()
    assert post(api, reverse("api:cancel_export", args=["demo", job.pk])).status_code == 404
