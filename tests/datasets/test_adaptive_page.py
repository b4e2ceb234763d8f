"""The page and the command of adaptive redundancy."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.domain.publishing.redundancy import LEARNED_FROM
from annotation.models import Redundancy
from audit.models import StateChange
from dashboard.protocol import progress_of
from datasets.domain.quality.adaptive_settings import NotAdaptiveError, set_adaptive
from datasets.domain.quality.certainty import fit_certainty
from projects.command import InputError
from projects.enums import MemberRole
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.datasets.test_adaptive import ALL, annotate, crowd, learned, make_adaptive

__all__ = ["crowd"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    project = make_gold_project()
    fit_certainty(project=project, now=NOW)
    return project


@pytest.fixture
def office(client, project):
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    return client


def address(project, name="adaptive"):
    return reverse(f"datasets:{name}", args=[project.slug])


def test_target_and_budget_are_saved_and_logged(office, project):
    form = {"is_on": "on", "target": "88", "budget": "12.50"}
    page = office.post(address(project), form, follow=True).content.decode()
    project.refresh_from_db()
    assert (project.adaptive_percent, project.adaptive_cents) == (88, 1250)
    assert "target of adaptive redundancy: off -&gt; 88 %" in page
    assert StateChange.objects.filter(reason__contains="budget of adaptive redundancy").exists()
    office.post(address(project), {"target": "88", "budget": "12.50"})
    project.refresh_from_db()
    assert (project.adaptive_percent, project.adaptive_cents) == (None, None)


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"is_on": "on", "target": "", "budget": "1"}, "Enter a number"),
        ({"is_on": "on", "target": "90", "budget": ""}, "Enter a number"),
        ({"is_on": "on", "target": "49", "budget": "1"}, "greater than or equal to 50"),
        ({"is_on": "on", "target": "100", "budget": "1"}, "less than or equal to 99"),
        ({"is_on": "on", "target": "90", "budget": "-1"}, "greater than or equal to 0"),
        ({"is_on": "on", "target": "90", "budget": "21474836.48"}, "less than or equal to"),
        ({"is_on": "on", "target": "x", "budget": "1"}, "whole number"),
    ],
)
def test_wrong_numbers_are_refused(office, project, form, problem):
    response = office.post(address(project), form)
    assert response.status_code == 422
    assert problem in response.content.decode()
    project.refresh_from_db()
    assert project.adaptive_percent is None


def test_project_without_a_choice_is_refused(office, project):
    project.asks_implied = True
    project.save()
    assert "This project can't use it" in office.get(address(project)).content.decode()
    form = {"is_on": "on", "target": "90", "budget": "1"}
    assert office.post(address(project), form).status_code == 422
    with pytest.raises(NotAdaptiveError):
        set_adaptive(project=project, percent=90, cents=1, actor="ada", now=NOW)


def test_page_shows_the_items_and_the_curve(office, project):
    page = office.get(address(project)).content.decode()
    assert "Cost and coverage" in page
    assert "<dt>Audited</dt>" not in page  # nothing was published with it
    chart = office.get(address(project, "adaptive_chart") + "?format=svg").content.decode()
    assert "full protocol $0." in chart
    file = office.get(address(project, "adaptive_chart") + "?format=csv")
    rows = file.getvalue().decode().splitlines()
    assert rows[0] == "target,cents,saved,annotators,accepted,coverage,precision"
    assert len(rows) == 11


def test_page_without_estimates_says_what_they_need(office, project):
    project.certainty_fit.delete()
    assert "No estimates yet" in office.get(address(project)).content.decode()
    chart = office.get(address(project, "adaptive_chart"))
    assert "The curve needs items with gold" in chart.content.decode()


def test_changed_settings_apply_to_waiting_items_at_once(crowd):
    project, (item, *_) = learned(crowd, cents=0)
    annotate(item, crowd["lazy"])
    Redundancy.objects.filter(item=item).update(looked_at=NOW)
    set_adaptive(project=project, percent=85, cents=500, actor="ada", now=NOW)
    assert Redundancy.objects.get(item=item).looked_at is None
    set_adaptive(project=project, percent=None, cents=None, actor="ada", now=NOW)
    assert Redundancy.objects.get(item=item).people == 2


def test_progress_counts_the_annotations_that_items_need(crowd, client):
    project, (item, *_) = learned(crowd)
    assert progress_of(project=project).generations == 2 * LEARNED_FROM + 3
    annotate(item, crowd["anna"], *ALL)
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    page = client.get(reverse("consolidation:items", args=[project.slug]), {"text": item.key})
    assert "1 of 1" in page.content.decode()


def run(*args, **options) -> str:
    out = StringIO()
    call_command("adaptive_redundancy", *args, stdout=out, **options)
    return out.getvalue()


def test_command_shows_and_changes_it(project):
    assert run(project.slug).startswith("Target: off. Audited: 0")
    assert "| 90 |" in run(project.slug, target=90, budget="20")
    project.refresh_from_db()
    assert (project.adaptive_percent, project.adaptive_cents) == (90, 2000)
    facts = json.loads(run(project.slug, json=True))
    assert facts["budget_cents"] == 2000
    assert facts["items"]["waiting"] == 0
    assert facts["targets"][0]["target"] == 70
    run(project.slug, off=True)
    project.refresh_from_db()
    assert project.adaptive_percent is None


@pytest.mark.parametrize(
    "options",
    [
        {"target": 90},
        {"budget": "1"},
        {"target": 40, "budget": "1"},
        {"target": 90, "budget": "much"},
        {"target": 90, "budget": "0.001"},
        {"target": 90, "budget": "-1"},
        {"target": 90, "budget": "NaN"},
        {"target": 90, "budget": "1", "off": True},
    ],
)
def test_command_refuses_wrong_options(options):
    project = make_adaptive(percent=None, cents=None)
    with pytest.raises(InputError):
        run(project.slug, **options)
