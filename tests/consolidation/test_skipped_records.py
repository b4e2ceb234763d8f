"""A skip of one worker needs the support of verifiers before the record leaves the dataset."""

import pytest
from django.urls import reverse

from annotation.domain.publishing.publish import publish_batch
from consolidation.domain.cases.queries import items_of
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Gold
from datasets.domain.exports.export_gold import ExportOptions, NothingToExportError, export_gold
from projects.domain.choose_protocol import choose_protocol
from projects.enums import MemberRole, Protocol
from schemes.contract.values import Json
from tests.annotation.factories import make_project as make_qasrl_project
from tests.consolidation.verification import submit, sweep
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.frames.projects import content_of, make_frames_project, make_record
from tests.schemes.frames.projects import submit as submit_annotation

pytestmark = pytest.mark.django_db
SKIPPED = {"skip": "no-frame", "verb": [2], "frame": "", "arguments": [], "confidence": None}
VERIFIED = {"verdict": "verified", "reason": "", "proposal": ""}
DISPUTED = {"verdict": "disputed", "reason": "It is Commerce_sell.", "proposal": ""}


@pytest.fixture
def case() -> Case:
    """Return the case of a record that its annotator skipped."""
    project = choose_protocol(
        project=make_frames_project(),
        protocol=Protocol.VERIFICATION,
        actor="test",
        now=NOW,
        validators=2,
        agree=2,
    )
    item = make_record(project)
    publish_batch(project=project, now=NOW)
    submit(item.tasks.get(role="generator").hit, make_worker(), SKIPPED)
    sweep()
    return Case.objects.get(item=item)


def judge(case: Case, *judgments: Json) -> Case:
    for judgment in judgments:
        content = {"skip": judgment, "verb": None, "frame": None, "arguments": []}
        submit(case.task.hit, make_worker(), content)
    sweep()
    case.refresh_from_db()
    return case


def test_skip_is_published_to_verifiers(case):
    assert (case.state, case.is_empty) == (CaseState.OFFERED, False)
    assert not Gold.objects.exists()
    assert judge(case, VERIFIED).state == CaseState.OFFERED


def test_verified_skip_is_gold(case):
    assert judge(case, VERIFIED, VERIFIED).state == CaseState.VALIDATED
    assert Gold.objects.get().content["skip"] == "no-frame"


def test_disputed_skip_returns_to_its_author(case):
    assert judge(case, VERIFIED, DISPUTED).state == CaseState.REVISING
    assert case.disputes.get().content["skip"] == [
        {"reason": "It is Commerce_sell.", "proposal": ""}
    ]
    assert not Gold.objects.exists()


def listed(case: Case, **criteria) -> list[int]:
    return [item.pk for item in items_of(project=case.item.project, **criteria)]


def test_skipped_items_are_listed_before_and_after_their_gold(case):
    other = make_record(case.item.project)
    assert listed(case, skipped=True) == [case.item_id]
    assert listed(case, skipped=False) == [other.pk]
    judge(case, VERIFIED, VERIFIED)
    assert listed(case, skipped=True) == [case.item_id]
    assert listed(case, skipped=True, state="validated") == [case.item_id]
    assert listed(case, skipped=True, state="disputed") == []


def test_newer_gold_that_is_no_skip_counts(case):
    add_gold(
        item=case.item, source=GoldSource.EXPERT, content=content_of(), provenance=[{}], now=NOW
    )
    assert listed(case, skipped=True) == []


def test_annotation_that_is_no_skip_is_not_listed(case):
    other = make_record(case.item.project)
    submit_annotation(other)
    assert listed(case, skipped=True) == [case.item_id]


def test_page_and_api_filter_skipped_items(case, client):
    project = case.item.project
    make_record(project, "buy")
    client.force_login(make_user("ada", project, MemberRole.REQUESTER))
    page = client.get(reverse("consolidation:items", args=[project.slug]), {"skipped": "on"})
    assert "Skipped only" in page.text
    assert "s1/3" in page.text
    assert "s2/3" not in page.text
    found = client.get(reverse("api:items", args=[project.slug]), {"skipped": "true"}).json()
    assert [item["key"] for item in found["results"]] == ["s1/3"]


def test_schemes_without_skips_have_no_such_filter(client):
    project = make_qasrl_project()
    client.force_login(make_user("ada", project, MemberRole.REQUESTER))
    page = client.get(reverse("consolidation:items", args=[project.slug]), {"skipped": "on"})
    assert "Skipped only" not in page.text
    assert list(items_of(project=project, skipped=True)) == []


def test_export_of_skipped_records_only_is_refused(case, tmp_path):
    """The file of sentences beside the records would have a row, but none of the records."""
    project = judge(case, VERIFIED, VERIFIED).item.project
    with pytest.raises(NothingToExportError, match="semeval has a place for none of the 1 items"):
        export_gold(project=project, options=ExportOptions(fmt="semeval"), folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()
