"""Two protocols on the same items, and how validators agree."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Item, Submission
from consolidation.domain.add_gold import add_gold
from consolidation.models import Gold
from crowd.models import Assignment, LedgerEntry, Payment
from datasets.domain.compare_protocols import compare_protocols
from datasets.domain.quality import NothingToCompareError
from datasets.domain.scores import Scores
from datasets.domain.validator_figures import validator_figures
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
    """TP, FP and FN of UA."""
    total = scores.totals["UA"]
    return total["tp"], total["fp"], total["fn"]


def settle(item: Item, cents: int, fee: int) -> None:
    """Money that the item's HITs have cost so far."""
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
    """One item: both questions kept, the first with one answer."""
    asked = source(SURVEY, (MIGHT, ["that basin"]), (WHAT, ["natural gas"]))
    case = make_case(SURVEY, CONTAIN, asked, source(SURVEY, no_question="none"))
    questions = [
        {
            **one,
            "source": {"submission": 0, "question": at},
            "verdict": "keep",
            "same_as": None,
        }
        for at, one in enumerate(asked["questions"])
    ]
    gold = consolidate(case, {"questions": questions})
    Submission.objects.filter(item=gold.item).update(active_seconds=60)
    Assignment.objects.update(recorded_at=NOW)
    return gold.item.project


@pytest.fixture
def validated(consolidated) -> Project:
    """The same item: one question stays, with two answers."""
    case = make_validation_case()
    Item.objects.filter(pk=case.item_id).update(key=consolidated.items.get().key)
    validate(case, verdict("that basin", "USGS"), INVALID, INVALID)
    validate(case, verdict("that basin"), GOOD[1], INVALID)
    sweep()
    Submission.objects.filter(item=case.item, role="validator").update(active_seconds=25)
    return case.item.project


def test_same_items_are_held_against_each_other(consolidated, validated):
    found = compare_protocols(first=consolidated, second=validated)
    first, second = found.sides
    assert (found.items, found.expert_items) == (1, 0)
    assert (first.gold.per_item("roles"), first.gold.per_item("arguments")) == (2, 2)
    assert (second.gold.per_item("roles"), second.gold.per_item("arguments")) == (1, 2)
    # The consolidation has one argument of the validated gold, lacks one, has one too many.
    assert counts(found.each_other) == (1, 1, 1)
    assert first.seconds == {"consolidator": 60, "generator": 120}
    assert second.seconds == {"generator": 0, "validator": 50}
    assert second.seconds_per_item == 50
    assert first.against_expert is None


def test_costs_are_those_of_the_shared_items(consolidated, validated):
    settle(consolidated.items.get(), 40, 8)
    settle(validated.items.get(), 20, 4)
    found = compare_protocols(first=consolidated, second=validated)
    assert [side.cents for side in found.sides] == [48, 24]
    assert [side.cents_per("arguments") for side in found.sides] == [24, 12]


def test_both_are_held_against_an_expert_of_either(consolidated, validated):
    content = {
        "questions": [
            {"question": WHAT, "answers": [span_of(SURVEY, "natural gas")], "slots": None}
        ]
    }
    item = validated.items.get()
    add_gold(item=item, source="expert", content=content, provenance=[{}], now=NOW)
    found = compare_protocols(first=consolidated, second=validated)
    first, second = (side.against_expert for side in found.sides)
    assert counts(first) == (1, 1, 0)
    assert counts(second) == (0, 2, 1)


def test_projects_without_a_common_item_are_refused(consolidated):
    with pytest.raises(NothingToCompareError, match="no finished item in common"):
        compare_protocols(first=consolidated, second=make_project())


def test_command_tells_both_ways(consolidated, validated, capsys):
    call_command("compare_protocols", consolidated.slug, validated.slug, "--json")
    told = json.loads(capsys.readouterr().out)
    assert [one["protocol"] for one in told["projects"]] == ["consolidation", "validation"]
    assert told["each_other"]["UA"]["tp"] == 1
    call_command("compare_protocols", consolidated.slug, validated.slug)
    assert "Roles an item" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no finished item in common"):
        call_command("compare_protocols", consolidated.slug, make_project().slug)


# --- validators --------------------------------------------------------------------------------


def test_each_validator_is_compared_with_the_others(validated):
    one, other = validator_figures(project=validated)
    assert [(each.items, each.verdicts) for each in (one, other)] == [(1, 3), (1, 3)]
    assert {each.valid for each in (one, other)} == {1, 2}
    # Two of three verdicts alike; of two arguments each, one in common, both ways.
    assert (one.same_verdicts, other.same_verdicts) == (2 / 3, 2 / 3)
    total = one.total
    assert (total["tp"], total["fp"], total["fn"]) == (2, 2, 2)
    assert validator_figures(project=validated, limit=0) == []


def test_agreement_command_lists_the_validators(validated, capsys):
    call_command("agreement", validated.slug, "--json")
    told = json.loads(capsys.readouterr().out)["validators"]
    assert [one["same_verdicts"] for one in told] == [2 / 3, 2 / 3]
    call_command("agreement", validated.slug)
    assert "Same verdict %" in capsys.readouterr().out


def test_golds_of_both_are_their_own(consolidated, validated):
    assert set(Gold.objects.values_list("item__project", "source")) == {
        (consolidated.pk, "consolidated"),
        (validated.pk, "validated"),
    }
