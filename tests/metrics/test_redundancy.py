"""When an item needs no more people: each step, and properties of the rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.judgment_model import (
    Estimate,
    ItemCertainty,
    ItemJudgments,
    KnownSkills,
    PartJudgments,
    expected_certainties,
    fit_judgments,
)
from metrics.redundancy import Step, next_step


def certainty(*probabilities: float, missed: float | None = 0.0) -> ItemCertainty:
    return ItemCertainty(Estimate(0, 1), probabilities, None, missed)


def step(found: ItemCertainty, found_by, annotators, *, most=2, target=0.9):
    return next_step(found, found_by, annotators=annotators, most=most, target=target)


def test_certain_annotation_is_accepted():
    choice = step(certainty(0.95, 0.97), [{0}, {0}], 1)
    assert (choice.step, choice.accepted) == (Step.ACCEPT, 0)
    assert choice.worth.coverage == pytest.approx(1.0)
    assert choice.worth.precision == pytest.approx(0.96)


def test_better_of_two_annotations_is_accepted():
    choice = step(certainty(0.99, 0.99, 0.95), [{0, 1}, {0, 1}, {1}], 2, target=0.6)
    assert choice.accepted == 1


@pytest.mark.parametrize("probability", [0.5, 0.89])
def test_uncertain_part_asks_another_and_then_consolidates(probability):
    one = step(certainty(probability), [{0}], 1)
    assert (one.step, one.accepted) == (Step.ASK, None)
    assert step(certainty(probability), [{0}], 2).step is Step.CONSOLIDATE


def test_missed_parts_ask_a_third_annotator_only_if_the_protocol_has_one():
    found = certainty(0.95, 0.6, missed=2.0)
    assert step(found, [{0}, {1}], 2, most=3).step is Step.ASK
    assert step(found, [{0}, {1}], 2, most=2).step is Step.CONSOLIDATE
    certain = certainty(0.95, 0.6, missed=0.01)
    assert step(certain, [{0}, {1}], 2, most=3).step is Step.CONSOLIDATE


def test_annotations_without_parts_are_never_accepted():
    assert step(certainty(), [], 1, target=0.5).step is Step.ASK
    assert step(certainty(missed=None), [], 2, target=0.5).step is Step.CONSOLIDATE


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.sets(st.integers(0, 2), min_size=1)), min_size=0, max_size=6
    ),
    st.floats(0, 5),
    st.floats(0.5, 0.99),
    st.floats(0.5, 0.99),
)
def test_higher_target_never_needs_fewer_people(parts, missed, first, second):
    """It never accepts what a lower one did not, and never stops asking before it."""
    low, high = sorted((first, second))
    found = certainty(*(probability for probability, _ in parts), missed=missed)
    found_by = [positions for _, positions in parts]
    at_low = step(found, found_by, 3, most=4, target=low)
    at_high = step(found, found_by, 3, most=4, target=high)
    if at_high.step is Step.ACCEPT:
        assert at_low.step is Step.ACCEPT
    if at_low.step is Step.ASK:
        assert at_high.step is not Step.CONSOLIDATE
    assert 0 <= at_low.worth.coverage <= 1
    assert 0 <= at_low.worth.precision <= 1


SKILLS = KnownSkills(
    finds={"good": 0.95, "poor": 0.4},
    invents={"good": 0.05, "poor": 0.5},
    right=0.8,
    spread=0.3,
    annotators=2,
)


def one_part(*names: str, found_by=None) -> ItemJudgments:
    return ItemJudgments(names, (PartJudgments(frozenset(found_by or names)),))


def test_parts_of_skilled_people_are_more_certain_and_less_is_missed():
    good, poor, unknown, both = expected_certainties(
        [one_part("good"), one_part("poor"), one_part("new"), one_part("good", "poor")], SKILLS
    )
    assert good.probabilities[0] > unknown.probabilities[0] > poor.probabilities[0]
    assert good.missed < unknown.missed < poor.missed
    assert both.missed < good.missed


def test_verdicts_are_ignored():
    part = PartJudgments(frozenset({"good"}), kept=(("judge", False),), in_gold=False)
    judged, plain = expected_certainties(
        [ItemJudgments(("good",), (part,)), one_part("good")], SKILLS
    )
    assert judged.probabilities == plain.probabilities


def test_prediction_for_people_of_equal_skill_is_that_of_the_fit():
    items = [one_part("a", "b")] * 20
    items += [one_part("a", "b", found_by={"a"}), one_part("a", "b", found_by={"b"})] * 4
    fitted = fit_judgments(items)
    predicted = expected_certainties(items, fitted.skills(annotators=2))
    for ours, theirs in zip(predicted, fitted.items, strict=True):
        assert ours.probabilities == pytest.approx(theirs.probabilities, abs=1e-4)
        assert ours.missed == pytest.approx(theirs.missed, abs=1e-4)


def test_without_any_skills_those_of_the_priors_count():
    nobody = KnownSkills(finds={}, invents={}, right=0.7, spread=0.5, annotators=2)
    (found,) = expected_certainties([one_part("a")], nobody)
    assert 0.5 < found.probabilities[0] < 1
    assert found.missed > 0
