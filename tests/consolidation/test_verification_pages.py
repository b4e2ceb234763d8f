"""Tests of the staff pages, expert pages and exports of a project under verification."""

import json

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.publishing.cost_model import item_cents, role_costs
from annotation.domain.publishing.expected_revisions import (
    ASSUMED_SHARE,
    disputed_share,
    revisions_per_item,
)
from annotation.domain.publishing.forecast import forecast_costs
from audit.models import StateChange
from consolidation.domain.cases.own_gold import current_own_gold
from consolidation.domain.cases.queries import count_gold
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import CaseState
from consolidation.models import ExpertQueue, QueuedItem
from crowd.enums import HitState
from crowd.models import Hit
from dashboard.protocol import progress_of, steps_of
from datasets.domain.quality.validator_figures import validator_figures
from projects.enums import MemberRole, Role
from projects.models import Project
from schemes.registry import SCHEMES
from tests.annotation.page_data import page_data
from tests.browser.test_labels_page import STATIC
from tests.consolidation.verification import (
    end,
    generate,
    make_verification_project,
    revise,
    sweep,
    verify,
)
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _registered(monkeypatch, settings) -> None:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, STATIC]


def client_of(project: Project) -> Client:
    client = Client()
    client.force_login(make_user("ada", project, *MemberRole))
    return client


def make_disputed_project(**options) -> Project:
    """Create a project with a validated item and one that is disputed after a revision."""
    project = make_verification_project(items=2, **options)
    first, second = project.items.order_by("pk")
    verify(generate(first), True, True)
    verify(revise(verify(generate(second), True, False), "negative"), False, False)
    return project


# --- experts -------------------------------------------------------------------------------------


def annotate_as_expert(project: Project, label: str = "neutral") -> None:
    queued = QueuedItem.objects.get()
    address = reverse("consolidation:expert_submit", args=[project.slug, queued.pk])
    message = {"token": "", "revision": 0, "content": {str(queued.item_id): {"label": label}}}
    done = client_of(project).post(address, json.dumps(message), content_type="text/plain")
    assert done.status_code == 200, done.content


def test_expert_starts_from_the_disputed_annotation():
    project = make_disputed_project()
    queued = QueuedItem.objects.get()
    address = reverse("consolidation:expert_item", args=[project.slug, queued.pk])
    (item,) = page_data(client_of(project).get(address).content.decode())["items"]
    assert item["content"] == {"label": "negative"}
    assert item["disputes"] == {"label": "negative", "against": 2}


def test_gold_of_an_expert_resolves_the_dispute_and_belongs_to_the_dataset(tmp_path):
    project = make_disputed_project()
    assert count_gold(project=project).made == 1
    annotate_as_expert(project)
    case = project.items.get(key="s1:0").cases.get()
    assert case.state == CaseState.RESOLVED
    assert count_gold(project=project).made == 2
    own = {gold.item.key: (gold.source, gold.content) for gold in current_own_gold(project)}
    assert own == {
        "s0:0": ("validated", {"label": "positive"}),
        "s1:0": ("expert", {"label": "neutral"}),
    }
    call_command("export_gold", "moods", "--format", "jsonl", "--out", str(tmp_path))
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert (manifest["source"], manifest["counts"]["items"]) == ("validated", 2)
    assert manifest["disputed"] == {
        "left_out": 0,
        "being_revised": 0,
        "annotated_by_experts": 1,
    }
    card = (tmp_path / "README.md").read_text()
    assert "1 items that remained disputed were annotated by an expert" in card
    changes = StateChange.objects.filter(aggregate="consolidation.Case", object_id=case.pk)
    assert changes.latest("pk").new == CaseState.RESOLVED


def test_earlier_expert_gold_does_not_settle_a_dispute():
    project = make_verification_project(revisions=0, after_disputes="leave")
    item = project.items.get()
    content = {"label": "positive"}
    add_gold(item=item, source="expert", content=content, provenance=[], now=NOW)
    verify(generate(item), False, False)
    assert not current_own_gold(project).exists()
    assert count_gold(project=project).made == 0


def test_disputed_items_left_out_are_counted_in_the_export(tmp_path):
    make_disputed_project(after_disputes="leave")
    call_command("export_gold", "moods", "--format", "jsonl", "--out", str(tmp_path))
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["counts"]["items"] == 1
    assert manifest["disputed"] == {
        "left_out": 1,
        "being_revised": 0,
        "annotated_by_experts": 0,
    }
    assert not ExpertQueue.objects.exists()


# --- staff ---------------------------------------------------------------------------------------


def test_item_page_shows_every_dispute():
    project = make_disputed_project(after_disputes="leave")
    item = project.items.get(key="s1:0")
    page = client_of(project).get(reverse("consolidation:item", args=[project.slug, item.pk]))
    text = page.content.decode()
    assert "First annotation, disputed" in text
    assert "Revision 1, disputed" in text
    assert "Not revised." in text
    assert "so the item is left out of the dataset" in text


def test_overview_counts_revisions_and_disputes():
    project = make_disputed_project()
    step = next(
        step for step in steps_of(progress_of(project=project)) if step.name == "verification"
    )
    assert (step.title, step.done, step.total) == ("Verification", 1, 2)
    assert step.notes == (
        "0 cases open",
        "4 verifications accepted",
        "0 being revised",
        "1 disputed",
        "0 resolved by experts",
    )


def test_verifications_that_a_revision_replaced_count_as_work_of_verifiers():
    figures = validator_figures(project=make_disputed_project())
    assert sum(row.items for row in figures) == 6
    # The pairs agreed on the first item and on the revision, but not on the revised annotation.
    assert sum(row.compared for row in figures) == 6
    assert sum(row.alike for row in figures) == 4


def test_settings_of_verification_can_be_changed_later():
    project = make_verification_project()
    client = client_of(project)
    address = reverse("projects:settings", args=[project.slug])
    assert "Verifiers must not have annotated" in client.get(address).content.decode()
    form = {"title": "Moods", "exclusion_scope": "item", "revision_limit": "3", "monitoring": "1"}
    response = client.post(address, form | {"after_disputes": "leave"})
    assert response.status_code == 302
    project.refresh_from_db()
    assert (project.revision_limit, project.after_disputes) == (3, "leave")
    assert client.post(address, form | {"revision_limit": "4"}).status_code == 422


def test_settings_of_other_protocols_have_no_revisions():
    project = make_verification_project()
    Project.objects.update(protocol="validation")
    client = client_of(project)
    page = client.get(reverse("projects:settings", args=[project.slug])).content.decode()
    assert "Revisions of a disputed annotation" not in page


def test_batch_of_revisions_can_be_ended_and_its_items_stay_disputed():
    project = make_verification_project()
    case = verify(generate(project.items.get()), False, False)
    batch = project.batches.get(role=Role.REVISER)
    Hit.objects.filter(pk=case.task.hit_id).update(state=HitState.LIVE, external_id="H1")
    client = client_of(project)
    page = client.get(reverse("consolidation:batch", args=[project.slug, batch.pk]))
    assert "revision" in page.content.decode()
    call_command("batch", str(batch.pk), "expire")
    end(case.task.hit, HitState.EXPIRED)
    sweep()
    case.refresh_from_db()
    assert case.state == CaseState.DISPUTED


# --- forecasts -----------------------------------------------------------------------------------


def test_forecast_expects_a_share_of_revisions_until_the_project_has_its_own():
    project = make_verification_project(items=8, revisions=1)
    rows = {row.role: row for row in forecast_costs(project=project)}
    assert disputed_share(project) == ASSUMED_SHARE
    # 8 annotations need verification, and a quarter of them is expected to be revised.
    assert (rows["reviser"].to_come, rows["validator"].to_come) == (2, 20)
    assert (rows["reviser"].low_cents, rows["reviser"].high_cents) == (0, 8 * 3)
    assert "consolidator" not in rows
    costs = role_costs(project=project)
    # A generator, two verifiers and a quarter of a revision with two verifications, 3 cents each.
    assert item_cents(costs, project=project) == 3 * (1 + 2 + 0.25 * (1 + 2))


def test_own_share_of_disputes_replaces_the_assumed_one():
    project = make_verification_project(items=6, revisions=2)
    for number, item in enumerate(project.items.order_by("pk")):
        verify(generate(item), number < 3, True)
    assert disputed_share(project) == 0.5
    assert revisions_per_item(project) == 0.5 + 0.25
