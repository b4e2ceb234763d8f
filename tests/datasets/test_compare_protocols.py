"""Comparison of two protocols on the same items, and agreement of validators."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Item, Submission
from consolidation.domain.gold.add_gold import add_gold
from consolidation.models import Gold
from crowd.models import Assignment, LedgerEntry, Payment
from datasets.domain.agreement.scores import Scores
from datasets.domain.quality.compare_protocols import compare_protocols
from datasets.domain.quality.quality import NothingToCompareError
from datasets.domain.quality.validator_figures import validator_figures
from projects.models import Project
from tests.consolidation.factories import CONTAIN, SURVEY, make_case, make_project, source, span_of
from tests.consolidation.gold import consolidate
from tests.consolidation.validation import (
    GOOD,
    INVALID,
    MIGHT,
    WHAT,
    make_validation_case,
    sweep,
    validate,
    verdict,
)
from tests.crowd.factories import NOW, make_assignment

pytestmark = pytest.mark.django_db


def counts(scores: Scores) -> tuple[int, int, int]:
    """Return the true positives, false positives and false negatives of UA."""
    total = scores.totals["UA"]
    return total["tp"], total["fp"], total["fn"]


def settle(item: Item, cents: int, fee: int) -> None:
    """Record what the item's HITs have cost so far."""
    hit = item.tasks.first().hit
    payment = Payment.objects.create(
        assignment=make_assignment(hit),
        kind="bonus",
        amount_cents=cents,
        fee_cents=fee,
        token=f"test-{hit.pk}",
        reason="x",
        state="confirmed",
        intended_at=NOW,
        confirmed_at=NOW,
    )
    LedgerEntry.objects.create(
        budget=item.project.budget,
        hit=hit,
        kind="settle",
        amount_cents=cents,
        fee_cents=fee,
        key=f"test:{hit.pk}",
        payment=payment,
        at=NOW,
    )


@pytest.fixture
def consolidated() -> Project:
    """Create an item whose consolidation keeps both questions, the first with one answer."""
    generation = source(SURVEY, (MIGHT, ["that basin"]), (WHAT, ["natural gas"]))
    case = make_case(SURVEY, CONTAIN, generation, source(SURVEY, no_question="none"))
    questions = [
        {
            **question,
            "source": {"submission": 0, "question": index},
            "verdict": "keep",
            "same_as": None,
        }
        for index, question in enumerate(generation["questions"])
    ]
    gold = consolidate(case, {"questions": questions})
    Submission.objects.filter(item=gold.item).update(active_seconds=60)
    Assignment.objects.update(recorded_at=NOW)
    return gold.item.project


@pytest.fixture
def validated(consolidated) -> Project:
    """Create the same item with validation, which keeps one question with two answers."""
    case = make_validation_case()
    Item.objects.filter(pk=case.item_id).update(key=consolidated.items.get().key)
    validate(case, verdict("that basin", "USGS"), INVALID, INVALID)
    validate(case, verdict("that basin"), GOOD[1], INVALID)
    sweep()
    Submission.objects.filter(item=case.item, role="validator").update(active_seconds=25)
    return case.item.project


def test_shared_items_are_compared(consolidated, validated):
    comparison = compare_protocols(first=consolidated, second=validated)
    first, second = comparison.sides
    assert (comparison.items, comparison.expert_items) == (1, 0)
    assert (first.gold.per_item("roles"), first.gold.per_item("arguments")) == (2, 2)
    assert (second.gold.per_item("roles"), second.gold.per_item("arguments")) == (1, 2)
    # The consolidation has one argument of the validated gold, misses one and adds one.
    assert counts(comparison.each_other) == (1, 1, 1)
    assert first.seconds == {"consolidator": 60, "generator": 120}
    assert second.seconds == {"generator": 0, "validator": 50}
    assert second.seconds_per_item == 50
    assert first.against_expert is None


def test_costs_cover_shared_items_only(consolidated, validated):
    settle(consolidated.items.get(), 40, 8)
    settle(validated.items.get(), 20, 4)
    comparison = compare_protocols(first=consolidated, second=validated)
    assert [side.cents for side in comparison.sides] == [48, 24]
    assert [side.cents_per("arguments") for side in comparison.sides] == [24, 12]


def test_both_projects_are_compared_with_the_expert_of_either(consolidated, validated):
    content = {
        "questions": [
            {"question": WHAT, "answers": [span_of(SURVEY, "natural gas")], "slots": None}
        ]
    }
    item = validated.items.get()
    add_gold(item=item, source="expert", content=content, provenance=[{}], now=NOW)
    comparison = compare_protocols(first=consolidated, second=validated)
    first, second = (side.against_expert for side in comparison.sides)
    assert counts(first) == (1, 1, 0)
    assert counts(second) == (0, 2, 1)


def test_projects_without_a_common_item_are_refused(consolidated):
    with pytest.raises(NothingToCompareError, match="no finished item in common"):
        compare_protocols(first=consolidated, second=make_project())


def test_command_reports_both_directions(consolidated, validated, capsys):
    call_command("compare_protocols", consolidated.slug, validated.slug, "--json")
    report = json.loads(capsys.readouterr().out)
    assert [entry["protocol"] for entry in report["projects"]] == ["consolidation", "validation"]
    assert report["each_other"]["UA"]["tp"] == 1
    call_command("compare_protocols", consolidated.slug, validated.slug)
    assert "Roles an item" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no finished item in common"):
        call_command("compare_protocols", consolidated.slug, make_project().slug)


# --- validators --------------------------------------------------------------------------------


def test_validators_are_compared_with_one_another(validated):
    first, second = validator_figures(project=validated)
    assert [(figures.items, figures.verdicts) for figures in (first, second)] == [(1, 3), (1, 3)]
    assert {figures.valid for figures in (first, second)} == {1, 2}
    # Two of three verdicts are equal. Each side has two arguments, and one is shared.
    assert (first.same_verdicts, second.same_verdicts) == (2 / 3, 2 / 3)
    total = first.total
    assert (total["tp"], total["fp"], total["fn"]) == (2, 2, 2)
    assert validator_figures(project=validated, limit=0) == []


def test_agreement_command_lists_the_validators(validated, capsys):
    call_command("agreement", validated.slug, "--json")
    validators = json.loads(capsys.readouterr().out)["validators"]
    assert [entry["same_verdicts"] for entry in validators] == [2 / 3, 2 / 3]
    call_command("agreement", validated.slug)
    assert "Same verdict %" in capsys.readouterr().out


def test_projects_keep_separate_gold(consolidated, validated):
    assert set(Gold.objects.values_list("item__project", "source")) == {
        (consolidated.pk, "consolidated"),
        (validated.pk, "validated"),
    }
