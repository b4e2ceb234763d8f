"""Comparison of records by measures, rows and decisions."""

import pytest

from schemes.contract.comparison import RowDecision
from schemes.contract.items import ItemContext
from schemes.frames.comparison import compare, count_kept, figures, measure

TOKENS = tuple("The fund sold three old bonds to a bank .".split())  # noqa: SIM905
CONTEXT = ItemContext(TOKENS, {"verb": [2], "lemma": "sell"})


def argument(head, element="", role=""):
    return {"head": head, "filler": "x", "element": element, "role": role}


def record(*arguments, frame="Commerce_sell", skip=""):
    return {
        "skip": skip,
        "verb": [2],
        "lemma": "sell",
        "frame": frame,
        "arguments": list(arguments),
        "confidence": 5,
    }


REFERENCE = record(
    argument([1], "Seller", "Agent"),
    argument([5], "Goods", "Theme"),
    argument([8], "", "Recipient"),
)
PREDICTED = record(
    argument([1], "Seller", "Theme"),  # different role
    argument([4, 5], "Goods", "Theme"),  # head too long
    argument([3], "Buyer", ""),  # extra
)


def test_measures_equal_those_worked_by_hand():
    assert measure(REFERENCE, PREDICTED, {}) == {
        "frame": {"correct": 1, "total": 1},
        "heads": {"tp": 1, "fp": 2, "fn": 2},
        "overlap": {"tp": 2, "fp": 1, "fn": 1},
        "elements": {"correct": 2, "total": 2},
        "roles": {"correct": 1, "total": 2},
        "labelled": {"tp": 0, "fp": 3, "fn": 3},
        "frame-kappa": {"pairs": [["Commerce_sell", "Commerce_sell"]]},
        "frame-alpha": {"pairs": [["Commerce_sell", "Commerce_sell"]]},
        "role-kappa": {"pairs": [["Agent", "Theme"], ["Theme", "Theme"]]},
        "role-alpha": {"pairs": [["Agent", "Theme"], ["Theme", "Theme"]]},
    }


def test_different_frame_makes_every_label_wrong():
    other = {**REFERENCE, "frame": "Giving"}
    measures = measure(REFERENCE, other, {})
    assert measures["frame"]["correct"] == 0
    assert measures["heads"] == {"tp": 3, "fp": 0, "fn": 0}
    assert measures["labelled"] == {"tp": 0, "fp": 3, "fn": 3}


def test_rows_describe_the_differences():
    rows = compare(REFERENCE, PREDICTED, CONTEXT).rows
    assert [(row.state, row.detail) for row in rows] == [
        ("found", ""),
        ("label-differs", "other role"),
        ("extra", ""),
        ("extent-differs", "head too long"),
        ("missed", ""),
    ]
    assert rows[0].reference.labels == ["Commerce_sell"]
    assert (rows[3].reference.value, rows[3].predicted.value) == ("bonds", "old bonds")


def test_skipped_record_is_compared_as_a_label():
    skipped = record(frame="", skip="no-frame")
    row, *other_rows = compare(REFERENCE, skipped, CONTEXT).rows
    assert (row.state, row.predicted.labels) == ("label-differs", ["(skipped)"])
    assert {row.state for row in other_rows} == {"missed"}
    assert measure(skipped, skipped, {})["frame"]["correct"] == 1


@pytest.mark.parametrize(
    ("decision", "key", "expected"),
    [
        (("label-accepted", "1", "1"), "roles", {"correct": 2, "total": 2}),
        (("label-accepted", "1", "1"), "labelled", {"tp": 1, "fp": 2, "fn": 2}),
        (("pair-refused", "5", "4_5"), "overlap", {"tp": 1, "fp": 2, "fn": 2}),
        (("pair-accepted", "8", "3"), "overlap", {"tp": 3, "fp": 0, "fn": 0}),
        (("argument-accepted", None, "3"), "heads", {"tp": 1, "fp": 1, "fn": 2}),
    ],
)
def test_decisions_override_the_comparison(decision, key, expected):
    assert measure(REFERENCE, PREDICTED, {}, [RowDecision(*decision)])[key] == expected


def test_accepted_frame_is_correct():
    other = {**REFERENCE, "frame": "Giving"}
    measures = measure(REFERENCE, other, {}, [RowDecision("label-accepted", "frame", "frame")])
    assert measures["frame"]["correct"] == 1
    assert measures["labelled"] == {"tp": 3, "fp": 0, "fn": 0}


@pytest.mark.parametrize("keys", [("1", "9"), ("9", "1")])
def test_decision_on_an_unknown_argument_is_refused(keys):
    with pytest.raises(ValueError, match="there is no argument"):
        measure(REFERENCE, PREDICTED, {}, [RowDecision("label-accepted", *keys)])


def test_figures_over_two_items():
    measures = [
        measure(REFERENCE, predicted, {})
        for predicted in (PREDICTED, {**REFERENCE, "frame": "Giving"})
    ]
    values = {
        figure.key: figure.value([item_measures[figure.key] for item_measures in measures])
        for figure in figures
    }
    assert values["frame"] == 0.5
    assert values["heads"] == pytest.approx(2 * 4 / (2 * 4 + 2 + 2))
    assert values["roles"] == pytest.approx(4 / 5)
    # Agent, Theme, Agent, Theme, Recipient against Theme, Theme, Agent, Theme, Recipient
    expected = (2 * 1 + 2 * 3 + 1 * 1) / 25
    assert values["role-kappa"] == pytest.approx((0.8 - expected) / (1 - expected))
    assert all(
        figure.interval([m[figure.key] for m in measures], 1).level == 0.95 for figure in figures
    )


def test_kept_arguments_share_a_word_and_a_label_with_one_of_the_reference():
    assert count_kept(REFERENCE, REFERENCE) == 3
    assert count_kept(REFERENCE, PREDICTED) == 2  # the third is in no other place
    other_role = record(argument([1], "", "Theme"), argument([5], "", "Theme"))
    assert count_kept(REFERENCE, other_role) == 1
    repeated = record(argument([4], "Goods", "Theme"), argument([5], "Goods", "Theme"))
    assert count_kept(record(argument([4, 5], "Goods", "Theme")), repeated) == 1


@pytest.mark.parametrize(("length", "kept"), [(1, 1), (3, 1), (4, 0), (20, 0)])
def test_heads_of_many_words_are_not_kept(length, kept):
    gold, long = argument([1], "", "Agent"), argument([*range(length)], "", "Agent")
    gold["head"] = [0]
    assert count_kept(record(gold), record(long)) == kept


def test_elements_of_another_frame_are_not_kept():
    elements = record(argument([1], "Seller"), argument([5], "Goods"), frame="Giving")
    assert count_kept(REFERENCE, elements) == 0
    assert count_kept(record(frame="", skip="no-verb"), REFERENCE) == 0
