"""Tests of identical annotations that become gold without a paid consolidation."""

import pytest
from django.test import Client
from django.urls import reverse

from consolidation.domain.cases.open_cases import open_case, publish_open_cases
from consolidation.domain.cases.reopen_item import plan_reopening, reopen_item
from consolidation.domain.experts.monitor import draw_due_reviews
from consolidation.domain.gold.accept_identical import RULE, are_same, identical_figures
from consolidation.models import Case, Gold, Review
from datasets.domain.exports.export_gold import DATA_CARD, ExportOptions, export_gold
from projects.enums import MemberRole
from projects.models import Project
from schemes.custom.scheme import scheme_of_definition
from schemes.registry import SCHEMES, get_scheme
from tests.consolidation.experts import set_review_rate
from tests.consolidation.factories import (
    IDENTIFIED,
    SURVEY,
    make_generation,
    make_item,
    make_project,
)
from tests.consolidation.gold import FIRST, SECOND
from tests.consolidation.test_republish_cases import submit_consolidation
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.schemes.custom.samples import starter
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db
# The same questions and answers in another order.
REORDERED = {**FIRST, "questions": list(reversed(FIRST["questions"]))}


def clock():
    return NOW


@pytest.fixture
def project():
    project = make_project()
    Project.objects.filter(pk=project.pk).update(accepts_identical=True)
    project.refresh_from_db()
    return project


def finish(project, *contents) -> Case:
    """Annotate an item, open its case and offer it. Return the case."""
    item = make_item(SURVEY, IDENTIFIED, project)
    for content in contents:
        make_generation(item, content)
    assert open_case(item=item, now=NOW)
    publish_open_cases(clock=clock)
    return Case.objects.get(item=item)


def test_identical_annotations_become_gold_without_a_hit(project):
    case = finish(project, FIRST, REORDERED)
    assert (case.state, case.task) == ("consolidated", None)
    gold = Gold.objects.get()
    assert (gold.source, gold.rule, gold.case, gold.submission) == (
        "consolidated",
        RULE,
        case,
        None,
    )
    assert {origin["state"] for origin in gold.provenance} == {"kept"}
    assert len(gold.content["questions"]) == len(FIRST["questions"])
    assert not project.batches.filter(role="consolidator").exists()


@pytest.mark.parametrize(
    "others",
    [[SECOND], [{**FIRST, "questions": FIRST["questions"][:2]}]],
    ids=["other questions", "one question less"],
)
def test_different_annotations_are_consolidated(project, others):
    assert finish(project, FIRST, *others).state == "offered"
    assert not Gold.objects.exists()


@pytest.mark.parametrize("setting", ["accepts_identical", "asks_implied"])
def test_project_decides(project, setting):
    Project.objects.filter(pk=project.pk).update(**{setting: setting != "accepts_identical"})
    assert finish(project, FIRST, FIRST).state == "offered"


def test_monitoring_samples_the_items_too(project):
    finish(project, FIRST, FIRST)
    set_review_rate(project=project, per_thousand=1000)
    assert draw_due_reviews(clock=clock) == 1
    assert Review.objects.get().gold.rule == RULE


def test_accepted_item_can_be_reopened_for_a_consolidation(project):
    case = finish(project, FIRST, FIRST)
    plan = plan_reopening(item=case.item, now=NOW)
    assert (plan.role, plan.cents > 0) == ("consolidator", True)
    assert not project.batches.filter(role="consolidator").exists()
    reopen_item(item=case.item, reason="Both look wrong.", actor="rita", now=NOW)
    case = Case.objects.select_related("item__project", "task").get(pk=case.pk)
    assert (case.state, Gold.objects.count()) == ("offered", 1)
    questions = [
        {
            **question,
            "source": {"submission": at, "question": number},
            "verdict": "keep" if at == 0 and number else "invalid",
            "same_as": None,
        }
        for at, row in enumerate(case.sources.all())
        for number, question in enumerate(row.submission.content["questions"])
    ]
    submit_consolidation(case, questions)
    newest = Gold.objects.get(version=2)
    assert (newest.rule, len(newest.content["questions"])) == ("", 2)


def test_figures_count_what_was_and_would_have_been_saved(project):
    finish(project, FIRST, FIRST)
    merged = finish(project, FIRST, SECOND)
    Case.objects.filter(pk=merged.pk).update(state="consolidated")
    figures = identical_figures(project=project)
    assert (figures.items, figures.identical, figures.accepted) == (2, 1, 1)
    # 5 cents and 3 for each of 6 questions, and 20 % of both (Roit et al. 2020).
    assert figures.saved_cents > 5


def test_pages_show_the_saving_and_the_rule(project):
    case = finish(project, FIRST, FIRST)
    client = Client()
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    for page in ("projects:settings", "datasets:costs"):
        html = client.get(reverse(page, args=[project.slug])).content.decode()
        assert "Generators wrote the same for 1 of 1 finished item." in html
        assert "1 was accepted without a consolidation." in html
    item = client.get(reverse("consolidation:item", args=[project.slug, case.item_id]))
    assert RULE in item.content.decode()


def test_data_card_and_files_name_the_rule(project, tmp_path):
    finish(project, FIRST, FIRST)
    export = export_gold(project=project, options=ExportOptions(fmt="qasrl-csv"), folder=tmp_path)
    assert export.manifest["without_consolidation"] == {RULE: 1}
    card = (tmp_path / DATA_CARD).read_text()
    assert "The annotators of 1 item wrote the same" in card
    assert RULE in card
    [file] = [path for path in tmp_path.iterdir() if path.name.endswith(".gold.csv")]
    rows = file.read_text().splitlines()[1:]
    assert rows
    assert all(",identical," in row for row in rows)


@pytest.mark.parametrize("scheme", ["qasrl", "frames", "grounding", "labels"])
def test_order_of_units_does_not_matter_and_positions_do(monkeypatch, scheme):
    monkeypatch.setitem(SCHEMES, "labels", SCHEME)
    merging = get_scheme(scheme).get_merging()
    units = {"qasrl": "questions", "frames": "arguments", "grounding": "phrases"}.get(scheme)
    samples = {
        "qasrl": {"questions": FIRST["questions"], "no_question": ""},
        "frames": {
            "verb": [1],
            "lemma": "say",
            "frame": "Statement",
            "arguments": [
                {"head": [at], "filler": "x", "element": "Speaker", "role": "Agent"}
                for at in (0, 2)
            ],
        },
        "grounding": {
            "phrases": [
                {"id": str(at), "state": "boxes", "boxes": [[1, 5, 3, 9], [0, 0, 2, 2]]}
                for at in (0, 1)
            ]
        },
        "labels": {"label": "positive"},
    }
    content = samples[scheme]
    assert are_same([content, content], merging=merging)
    if units is None:
        assert not are_same([content, {"label": "negative"}], merging=merging)
        return
    reordered = {**content, units: list(reversed(content[units]))}
    assert are_same([content, reordered], merging=merging)
    assert not are_same([content, {**content, units: content[units][:1]}], merging=merging)


def test_order_of_spans_does_not_matter_in_custom_schemes():
    merging = scheme_of_definition(starter("entities")).get_merging()
    spans = [{"start": at, "end": at + 1, "label": "PER"} for at in (0, 2)]
    content = {"answers": {"entities": spans}}
    assert are_same([content, {"answers": {"entities": spans[::-1]}}], merging=merging)
    for other in (spans[:1], [spans[0], {**spans[1], "label": "ORG"}], []):
        assert not are_same([content, {"answers": {"entities": other}}], merging=merging)
