from metrics.counts import Counts, MacroAverage
from metrics.role_kinds import compare_by_kind

CORE, ADJUNCT, BOTH = {"core"}, {"adjunct"}, {"core", "adjunct"}


def averages(reference, predicted):
    compared = compare_by_kind(reference, predicted)
    return {kind: comparison.average for kind, comparison in compared.items()}


def test_recall_uses_reference_kinds_and_precision_uses_predicted_kinds():
    reference = {
        "i": {(0, 2): CORE, (4, 6): ADJUNCT},
        "j": {(0, 2): CORE},
    }
    predicted = {
        "i": {(0, 2): CORE, (4, 6): CORE, (8, 9): ADJUNCT},
        "elsewhere": {(0, 1): CORE},
    }
    assert averages(reference, predicted) == {
        "all": MacroAverage(precision=2 / 3, recall=0.5, precision_items=1, recall_items=2),
        "core": MacroAverage(precision=1.0, recall=0.5, precision_items=1, recall_items=2),
        "adjunct": MacroAverage(precision=0.0, recall=1.0, precision_items=1, recall_items=1),
    }


def test_span_of_two_kinds_counts_for_both():
    figures = averages({"i": {(0, 2): CORE}}, {"i": {(0, 2): BOTH}})
    assert figures["core"].precision == 1.0
    assert figures["adjunct"].precision == 1.0
    assert figures["adjunct"].recall is None


def test_reference_span_without_kinds_is_not_recalled_but_its_match_is_correct():
    reference = {"i": {(0, 2): CORE, (4, 6): set()}}
    assert averages(reference, {"i": {(0, 2): CORE}})["all"] == MacroAverage(1.0, 1.0, 1, 1)
    assert averages(reference, {"i": {(4, 6): CORE}})["all"] == MacroAverage(1.0, 0.0, 1, 1)


def test_reference_span_without_kinds_leaves_a_prediction_to_another():
    reference = {"i": {(0, 3): set(), (0, 2): CORE}}
    # The prediction equals the span without kinds and also matches the other.
    assert averages(reference, {"i": {(0, 3): CORE}})["core"].recall == 1.0


def test_extra_spans_of_a_kind_count_once_per_group():
    predicted = {"i": {(5, 9): CORE, (6, 9): ADJUNCT, (5, 8): CORE, (20, 21): CORE}}
    compared = compare_by_kind({"i": {(0, 1): CORE}}, predicted)
    assert [compared[kind].predicted[0].fp for kind in ("all", "core", "adjunct")] == [2, 2, 1]


def test_macro_average_weights_items_equally():
    reference = {"i": {(at, at + 1): CORE for at in range(0, 20, 2)}, "j": {(0, 1): CORE}}
    predicted = {"i": dict(reference["i"]), "j": {(5, 6): CORE}}
    assert averages(reference, predicted)["core"].recall == 0.5


def test_counts_behind_the_average_are_per_item():
    compared = compare_by_kind({"i": {(0, 1): CORE}, "j": {}}, {"j": {(0, 1): CORE}})
    assert compared["all"].recalled == [Counts(0, 0, 1), Counts(0, 0, 0)]
    assert compared["all"].predicted == [Counts(0, 0, 0), Counts(0, 1, 0)]
