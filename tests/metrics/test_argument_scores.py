from metrics.argument_scores import ArgumentScores, ItemScore, argument_scores, score_items
from metrics.counts import Counts

A, B = frozenset("a"), frozenset("b")
REFERENCE = {"one": {(0, 2): A, (3, 5): A}, "two": {(0, 1): A}, "none": {}}


def test_scores_are_summed_over_the_items_of_the_reference():
    predicted = {"one": {(0, 2): B, (7, 8): A}, "elsewhere": {(0, 1): A}, "else": {}}
    assert argument_scores(REFERENCE, predicted) == ArgumentScores(
        items=3, ignored_items=2, ua=Counts(1, 1, 2), la=Counts(0, 2, 3)
    )


def test_spans_of_an_item_without_predictions_are_missed():
    scores = score_items(REFERENCE, {})
    assert scores["one"] == ItemScore(Counts(0, 0, 2), Counts(0, 0, 2))
    assert scores["none"] == ItemScore(Counts(), Counts())


def test_items_keep_the_order_of_the_reference():
    assert list(score_items(REFERENCE, {"none": {}, "one": {}})) == ["one", "two", "none"]


def test_figures_without_items_are_undefined():
    scores = argument_scores({}, {"a": {(0, 1): A}})
    assert (scores.items, scores.ignored_items, scores.ua.f1) == (0, 1, None)
