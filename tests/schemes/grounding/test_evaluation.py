import json

import pytest

from schemes.contract.errors import FileError
from schemes.grounding.candidates import Candidate
from schemes.grounding.evaluation import ScoredPhrases, evaluate_file
from schemes.grounding.phrases import Phrase

TWO = ((0, 0, 10, 10), (90, 0, 100, 10))


def _phrase(name, gold, predicted, *, plural=False, cardinality=None, candidates=None):
    if candidates is not None:
        candidates = tuple(map(Candidate, candidates))
    return Phrase(name, (100, 100), gold, predicted, plural, cardinality, candidates, 1)


UNION_BOX = _phrase("union", TWO, ((0, 0, 100, 10),), plural=True, cardinality=2)
HALF = _phrase("half", ((0, 0, 10, 10),), ((0, 0, 10, 5),))
EMPTY = _phrase("empty", ((0, 0, 10, 10),), ())


def _accuracy(n, correct):
    return {"n": n, "correct": correct, "accuracy": correct / n if n else None}


def test_union_box_is_correct_by_iou_but_not_by_c_iou():
    figures = ScoredPhrases([UNION_BOX, HALF, EMPTY]).figures()
    assert figures["phrases"] == 3
    assert figures["iou"] == {
        "all": _accuracy(3, 2),
        "singular": _accuracy(2, 1),
        "plural": _accuracy(1, 1),
    }
    assert figures["c_iou"] == {
        "all": _accuracy(3, 1),
        "singular": _accuracy(2, 1),
        "plural": _accuracy(1, 0),
    }
    assert "upper_bound" not in figures


def test_filler_components_and_cardinality_are_reported():
    one_box = _phrase("one", ((0, 0, 4, 4),), TWO, plural=True, cardinality=3)
    figures = ScoredPhrases([UNION_BOX, one_box, HALF]).figures()
    assert figures["filler"] == {"n": 2, "mean": 0.4, "over_half": 1, "over_half_share": 0.5}
    assert figures["components"] == {
        "plural_phrases": 2,
        "gold_mean": 1.5,
        "predicted_mean": 1.5,
        "gold_with_one_box": 1,
        "predicted_with_one_box": 1,
    }
    assert figures["cardinality"]["gold"]["plural"] == _accuracy(2, 1)
    assert figures["cardinality"]["predicted"]["all"] == _accuracy(2, 0)


def test_figures_of_plural_phrases_are_undefined_without_them():
    figures = ScoredPhrases([HALF]).figures()
    assert figures["iou"]["plural"] == _accuracy(0, 0)
    assert figures["filler"] == {"n": 0, "mean": None, "over_half": 0, "over_half_share": None}
    assert figures["components"]["gold_mean"] is None
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_upper_bounds_depend_on_the_allowed_candidates():
    plural = _phrase("p", TWO, (), plural=True, candidates=(TWO, ((0, 0, 100, 10),)))
    singular = _phrase("s", ((0, 0, 10, 10),), (), candidates=(((0, 0, 10, 10), (0, 0, 2, 2)), ()))
    bounds = ScoredPhrases([plural, singular, HALF]).figures()["upper_bound"]
    assert {kind: bound["c_iou"]["all"] for kind, bound in bounds.items()} == {
        "all_candidates": _accuracy(2, 2),
        "single_box": _accuracy(2, 0),
        "pruned": _accuracy(2, 1),
    }
    assert bounds["single_box"]["iou"]["plural"] == _accuracy(1, 1)


def test_manipulated_predictions_are_named_and_scored():
    grown = _phrase("g", ((10, 10, 20, 20),), ((10, 10, 20, 20),))
    whole_image = _phrase("w", ((0, 0, 100, 60),), ((0, 0, 100, 60),))
    manipulated = ScoredPhrases([grown, whole_image]).figures()["manipulated"]
    assert set(manipulated) == {
        "whole_image",
        "random_components",
        "enlarged_sides_clipped",
        "enlarged_sides_unclipped",
        "enlarged_area_clipped",
        "enlarged_area_unclipped",
    }
    assert manipulated["whole_image"]["iou"]["all"] == _accuracy(2, 1)
    # With sides enlarged by half, 100 of 225 fails. With the area enlarged by half, 100 of 150 passes.
    assert manipulated["enlarged_sides_unclipped"]["c_iou"]["all"] == _accuracy(2, 0)
    assert manipulated["enlarged_area_unclipped"]["c_iou"]["all"] == _accuracy(2, 2)
    # A clipped large box only grows downwards, so 6000 of 7500 passes.
    assert manipulated["enlarged_sides_clipped"]["c_iou"]["all"] == _accuracy(2, 1)


def test_enlarged_sides_are_decided_exactly():
    # 4 x 4 grows to 6 x 6 from (7, 7). A gold box of 6 x 3 covers exactly half of it.
    predicted = ((8, 8, 12, 12),)
    exact = _phrase("exact", ((7, 7, 13, 10),), predicted)
    below = _phrase("below", ((7, 7, 12, 10),), predicted)
    figures = ScoredPhrases([exact, below]).figures()["manipulated"]["enlarged_sides_unclipped"]
    assert figures["iou"]["all"] == figures["c_iou"]["all"] == _accuracy(2, 1)


def test_random_predictions_follow_the_seed():
    phrases = [_phrase(str(at), ((0, 0, 80, 80),), ()) for at in range(300)]
    first = ScoredPhrases(phrases, seed=1).figures()["manipulated"]
    assert first == ScoredPhrases(phrases, seed=1).figures()["manipulated"]
    assert first != ScoredPhrases(phrases, seed=2).figures()["manipulated"]


def test_random_candidates_are_drawn_from_those_of_the_phrase():
    candidates = (((0, 0, 10, 10),), ((90, 0, 100, 10),))
    phrases = [_phrase("p", TWO, (), plural=True, candidates=candidates), HALF]
    figures = ScoredPhrases(phrases).figures()["manipulated"]["random_candidate_components"]
    assert figures["c_iou"]["all"] == _accuracy(1, 1)


def test_rows_are_written_per_phrase_and_per_box():
    evaluation = ScoredPhrases([UNION_BOX, HALF])
    assert list(evaluation.item_rows()) == [
        ("union", True, 2, 2, 1, 0.8, 1.0, True, 0.2, False, False),
        ("half", False, None, 1, 1, 0.0, 0.5, True, 0.5, True, None),
    ]
    assert list(evaluation.alignment_rows()) == [
        ("union", True, "missed", "0 0 10 10", "", None),
        ("union", True, "missed", "90 0 100 10", "", None),
        ("union", True, "extra", "", "0 0 100 10", None),
        ("half", False, "matched", "0 0 10 10", "0 0 10 5", 0.5),
    ]


def test_intervals_cover_both_metrics_and_all_groups():
    intervals = ScoredPhrases([HALF, EMPTY] * 50).intervals(repetitions=300, seed=1)
    assert 0.3 < intervals["iou"]["all"].low < 0.5 < intervals["iou"]["all"].high < 0.7
    assert intervals["c_iou"]["plural"].low is None


def test_file_without_phrases_is_refused(tmp_path):
    path = tmp_path / "none.jsonl"
    path.write_text("\n")
    with pytest.raises(FileError, match=r"none\.jsonl: contains no phrase"):
        evaluate_file(path)
