from metrics.counts import MacroAverage
from metrics.role_kinds import compare_by_kind

CORE, ADJUNCT, BOTH = {"core"}, {"adjunct"}, {"core", "adjunct"}


def test_kinds_are_compared_among_themselves_and_averaged_over_items():
    reference = {
        "i": {(0, 2): CORE, (4, 6): ADJUNCT},
        "j": {(0, 2): CORE},
    }
    predicted = {
        "i": {(0, 2): CORE, (4, 6): CORE, (8, 9): ADJUNCT},
        "elsewhere": {(0, 1): CORE},
    }
    found = {kind: each.average for kind, each in compare_by_kind(reference, predicted).items()}
    assert found == {
        "all": MacroAverage(precision=2 / 3, recall=0.5, precision_items=1, recall_items=2),
        "core": MacroAverage(precision=0.5, recall=0.5, precision_items=1, recall_items=2),
        "adjunct": MacroAverage(precision=0.0, recall=0.0, precision_items=1, recall_items=1),
    }


def test_a_span_of_two_kinds_stands_in_both():
    found = compare_by_kind({"i": {(0, 2): CORE}}, {"i": {(0, 2): BOTH}})
    assert found["core"].average.precision == 1.0
    assert found["adjunct"].average.precision == 0.0
    assert found["adjunct"].average.recall is None


def test_macro_weighs_items_and_not_spans():
    reference = {"i": {(at, at + 1): CORE for at in range(0, 20, 2)}, "j": {(0, 1): CORE}}
    predicted = {"i": dict(reference["i"]), "j": {(5, 6): CORE}}
    assert compare_by_kind(reference, predicted)["core"].average.recall == 0.5


def test_counts_behind_the_average_are_per_item():
    found = compare_by_kind({"i": {(0, 1): CORE}, "j": {}}, {})
    assert [(c.tp, c.fp, c.fn) for c in found["all"].counts] == [(0, 0, 1), (0, 0, 0)]
