"""The effect of the protocol compared with an expert, and coverage without an expert."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Item
from consolidation.domain.gold.add_gold import add_gold
from datasets.domain.quality.coverage import coverage_report
from datasets.domain.quality.protocol_effect import protocol_effect
from tests.consolidation.factories import SURVEY, make_project, source
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW
from tests.datasets.test_compare_protocols import settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    """Create a consolidated item.

    Its gold has four arguments: "the U.S. Geological Survey", "USGS", "a basin" and "1996". The first
    annotator marked a longer name, "a basin" and a wrong answer. The second annotator marked the name,
    "a basin" and "1996".
    """
    return make_gold_project()


def add_expert_gold(project) -> Item:
    """Add expert gold with "USGS", "a basin" and "1996" under the questions of the gold."""
    item = project.items.get()
    content = source(
        SURVEY,
        ("Who identified something?", ["USGS"]),
        ("What did someone identify?", ["a basin"]),
        ("When did someone identify something?", ["1996"]),
    )
    questions = [{**question, "slots": None} for question in content["questions"]]
    add_gold(
        item=item, source="expert", content={"questions": questions}, provenance=[{}] * 3, now=NOW
    )
    return item


def ua(stage) -> tuple[int, int, int]:
    total = stage.scores.totals["UA"]
    return total["tp"], total["fp"], total["fn"]


def test_stages_are_compared_with_the_expert(project):
    add_expert_gold(project)
    annotator, union, gold = protocol_effect(project=project).stages
    # The first annotator is right about the basin, and wrong about the name and "natural gas". The
    # second is right about the basin and 1996, and wrong about the name.
    assert ua(annotator) == (1 + 2, 2 + 1, 2 + 1)
    # The two names overlap by more than half, so they count as one false positive.
    assert ua(union) == (2, 2, 1)
    assert ua(gold) == (3, 1, 0)
    assert annotator.yields.items == 2
    assert union.yields.per_item("arguments") == 6
    assert gold.intervals["UA"].low == gold.intervals["UA"].high  # a single item has no spread


def test_costs_of_the_stages_add_up(project):
    item = add_expert_gold(project)
    settle(item, 30, 6)  # the only HIT of the item is the consolidator's
    costs = [stage.cents_per_item for stage in protocol_effect(project=project).stages]
    assert costs == [0, 0, 36]


def test_effect_requires_an_expert(project):
    assert protocol_effect(project=project) is None


def test_coverage_of_the_gold(project):
    report = coverage_report(project=project)
    captures = report.total.estimate.captures
    # The first annotator has one of the names and "a basin". The second has the name, "a basin" and
    # "1996".
    assert (captures.first, captures.second, captures.both) == (2, 3, 2)
    assert captures.missed == 0
    assert report.total.added == 1  # "USGS"
    assert report.total.expert_items == 0
    assert report.total.actual is None
    assert report.types == []
    first, second = sorted(report.workers, key=lambda worker: worker.recall)
    assert (first.recall, second.recall) == (pytest.approx(2 / 3), 1)


def test_coverage_is_checked_against_the_expert(project):
    add_expert_gold(project)
    report = coverage_report(project=project)
    # The annotators marked the expert's "a basin" and "1996", but not "USGS".
    assert report.total.actual == pytest.approx(2 / 3)
    assert report.total.expected == 1
    assert sorted(worker.actual for worker in report.workers) == pytest.approx([1 / 3, 2 / 3])


def test_command(project, capsys):
    add_expert_gold(project)
    call_command("protocol_effect", project.slug, "--json")
    figures = json.loads(capsys.readouterr().out)
    stages = {stage["stage"]: stage for stage in figures["against_expert"]["stages"]}
    assert stages["gold"]["figures"]["UA"]["recall"] == 1
    assert figures["coverage"]["total"]["added_by_merge"] == 1
    call_command("protocol_effect", project.slug)
    text = capsys.readouterr().out
    assert "All annotators together" in text
    assert "1 verb with an expert's gold." in text
    with pytest.raises(CommandError, match="can be compared"):
        call_command("protocol_effect", make_project().slug)


def test_page(project, admin_client):
    address = reverse("datasets:effect", args=[project.slug])
    page = admin_client.get(address).content.decode()
    assert "No expert gold to compare with" in page
    assert "Coverage by worker" in page
    add_expert_gold(project)
    empty = admin_client.get(reverse("datasets:effect", args=[make_project().slug]))
    assert "No items with two annotators" in empty.content.decode()


def test_page_with_an_expert(project, admin_client):
    add_expert_gold(project)
    page = admin_client.get(reverse("datasets:effect", args=[project.slug])).content.decode()
    assert "All annotators together" in page
    assert "66.7 %" in page
