"""The bias report: how IoU and c-IoU rate the same predictions (Suter et al. 2021, table 1).

The table has a row per kind of prediction:

- upper bound: a candidate passes
- system: the given predictions
- pruned: the system with the pruned candidates, if there are any
- pruned and enlarged: the same, with both sides of each box enlarged by half and clipped to the image
- max box: the whole image for IoU, and all objects found for c-IoU
- random: 2 to 5 random objects with different labels, or boxes of the image if a file has no candidates

and each row has the accuracy with *singles*, where predictions and candidates are single objects, and
with *all*, where they may be several. The single object of the system is the best candidate with one box,
or the largest predicted box if the candidates have no scores. Pruning leaves single objects as they are,
and needs scores.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from metrics.boxes import (
    BoxSets,
    accepted,
    box_areas,
    box_sets_from_lists,
    clipped,
    enlarged_sides,
    random_box_sets,
    scaled,
    whole_images,
)
from metrics.counts import ratio
from schemes.contract.values import Json
from schemes.grounding.candidates import SETTINGS, best, boxes_of, single_objects
from schemes.grounding.content import has_proper_components
from schemes.grounding.evaluation import ITEM_COLUMNS, ScoredPhrases

ROWS = (
    ("upper_bound", "Upper bound"),
    ("system", "System"),
    ("pruned", "Pruned"),
    ("pruned_enlarged", "Pruned and enlarged"),
    ("max_box", "Max box"),
    ("random", "Random"),
)
KINDS = tuple(SETTINGS)
METRICS = (("iou", "IoU"), ("c_iou", "c-IoU"), ("both", "both"))
GROUPS = ("all", "plural")
# Rows that a file without these can't have.
_NEEDS = {"upper_bound": "candidates", "pruned": "scores", "pruned_enlarged": "scores"}
COLUMNS = ("predictions", "candidates", "metric", *GROUPS)


def bias_report(evaluation: ScoredPhrases) -> Json:
    """Return the report as JSON.

    `{"phrases", "plural_phrases", "table": {row: {"singles" or "all": {"iou", "c_iou" or "both": {"all",
    "singular", "plural": {"n", "correct", "accuracy"}}}}}, "absent": {row: reason}, "gold": statistics,
    "disagreements"}`. An absent row is None, and so are pruned single objects.
    """
    cases, figures = disagreements(evaluation), evaluation.figures()
    return {
        "phrases": len(evaluation.phrases),
        "plural_phrases": int(evaluation.plural.sum()),
        "table": _table(evaluation, figures),
        "absent": {
            row: reason for row, need in _NEEDS.items() if (reason := lacks(evaluation, need))
        },
        "gold": _gold_statistics(evaluation, figures),
        "disagreements": {
            "iou_only": sum(case["iou_correct"] for case in cases),
            "c_iou_only": sum(case["c_iou_correct"] for case in cases),
        },
    }


def lacks(evaluation: ScoredPhrases, need: str) -> str:
    """Return why candidates, their labels or their scores can't be used, or ""."""
    if not evaluation.has_candidates.any():
        return "there are no candidates"
    if need == "scores" and not evaluation.has_scores:
        return "the candidates have no scores"
    if need == "labels" and not evaluation.has_labels:
        return "the candidates have no labels"
    return ""


def _table(evaluation: ScoredPhrases, figures: Json) -> Json:
    bounds = figures.get("upper_bound")
    table: Json = {
        "upper_bound": bounds
        and {"singles": bounds["single_box"], "all": bounds["all_candidates"]},
        "system": {
            "singles": evaluation.accuracies(evaluation.gold, largest(evaluation.predicted)),
            "all": evaluation.accuracies(evaluation.gold, evaluation.predicted),
        },
        "pruned": None,
        "pruned_enlarged": None,
        "max_box": {kind: _max_box(evaluation, kind) for kind in KINDS},
        "random": {kind: _random(evaluation, kind) for kind in KINDS},
    }
    if evaluation.has_scores:
        singles, pruned = _best_singles(evaluation), _best_pruned(evaluation)
        among = evaluation.has_candidates
        table["system"]["singles"] = evaluation.accuracies(evaluation.gold, singles, among)
        pruned_accuracies = evaluation.accuracies(evaluation.gold, pruned, among)
        table["pruned"] = {"singles": None, "all": pruned_accuracies}
        table["pruned_enlarged"] = {
            kind: _enlarged(evaluation, sets)
            for kind, sets in zip(KINDS, (singles, pruned), strict=True)
        }
    return table


def _best_singles(evaluation: ScoredPhrases) -> BoxSets:
    """Return the single object that the system predicts for each phrase."""
    return box_sets_from_lists(
        [
            best(single_objects(phrase.candidates or ()), plural=False)[1]
            for phrase in evaluation.phrases
        ]
    )


def _best_pruned(evaluation: ScoredPhrases) -> BoxSets:
    """Return what the system predicts for each phrase from its pruned candidates."""
    return box_sets_from_lists(
        [
            best(phrase.candidates or (), plural=phrase.plural, prune=True)[1]
            for phrase in evaluation.phrases
        ]
    )


def largest(sets: BoxSets) -> BoxSets:
    """Return the largest box of each set, the first of equally large ones."""
    areas = box_areas(sets.boxes)
    owner = np.repeat(np.arange(len(sets)), sets.sizes)
    order = np.lexsort((np.arange(len(areas)), -areas, owner))
    filled = sets.sizes > 0
    chosen = order[sets.offsets[:-1][filled]]
    offsets = np.concatenate(([0], np.cumsum(filled))).astype(np.int64)
    return BoxSets(sets.boxes[chosen], offsets)


def _enlarged(evaluation: ScoredPhrases, sets: BoxSets) -> Json:
    """Return the accuracy of enlarged boxes, in quarter units of pixels."""
    grown = clipped(enlarged_sides(sets), 4 * evaluation.images)
    return evaluation.accuracies(scaled(evaluation.gold, 4), grown, evaluation.has_candidates)


def _max_box(evaluation: ScoredPhrases, kind: str) -> Json:
    """Return the accuracy of the image by IoU, and of all objects found by c-IoU.

    A phrase without a list of candidates has the image for both.
    """
    objects = box_sets_from_lists(
        [
            [(0, 0, *phrase.image)]
            if phrase.candidates is None
            else boxes_of(SETTINGS[kind](phrase.candidates))
            for phrase in evaluation.phrases
        ]
    )
    by_iou = accepted(evaluation.gold, whole_images(evaluation.images))["iou"]
    by_c_iou = accepted(evaluation.gold, objects)["c_iou"]
    flags = {"iou": by_iou, "c_iou": by_c_iou, "both": by_iou & by_c_iou}
    return {name: evaluation.by_number(own) for name, own in flags.items()}


def _random(evaluation: ScoredPhrases, kind: str) -> Json:
    among = evaluation.has_candidates
    if among.any():
        drawn = evaluation.random_objects(kind)
        return evaluation.accuracies(evaluation.gold, drawn, among)
    drawn = random_box_sets(evaluation.images, seed=evaluation.seed)
    return evaluation.accuracies(evaluation.gold, drawn)


def _gold_statistics(evaluation: ScoredPhrases, figures: Json) -> Json:
    """Return statistics of the gold boxes, most of them of plural phrases."""
    sizes = evaluation.gold.select(evaluation.plural).sizes
    numbers, times = np.unique(sizes, return_counts=True)
    known = figures["cardinality"]["gold"]["all"]
    one_box = figures["components"]["gold_with_one_box"]
    improper = sum(
        not has_proper_components(len(phrase.gold), phrase.cardinality)
        for phrase in evaluation.phrases
        if phrase.plural
    )
    return {
        "components": {
            "mean": figures["components"]["gold_mean"],
            "phrases_by_number": {
                int(number): int(count) for number, count in zip(numbers, times, strict=True)
            },
        },
        "filler": figures["filler"],
        "cardinality": {
            "n": known["n"],
            "mismatches": known["n"] - known["correct"],
            "share": ratio(known["n"] - known["correct"], known["n"]),
        },
        "plural_with_one_box": {"n": one_box, "share": ratio(one_box, len(sizes))},
        "plural_without_components": {"n": improper, "share": ratio(improper, len(sizes))},
    }


def disagreements(evaluation: ScoredPhrases) -> list[Json]:
    """Return the phrases that one metric accepts and the other rejects, largest difference first.

    Each has its `place` among the phrases, `id`, `iou`, `c_iou`, `iou_correct` and `c_iou_correct`.
    """
    cases = []
    for place, row in enumerate(evaluation.item_rows()):
        entry = dict(zip(ITEM_COLUMNS, row, strict=True))
        if entry["iou_correct"] != entry["c_iou_correct"]:
            names = ("id", "iou", "c_iou", "iou_correct", "c_iou_correct")
            cases.append({"place": place, **{name: entry[name] for name in names}})
    return sorted(cases, key=lambda case: (-abs(case["iou"] - case["c_iou"]), case["place"]))


def table_rows(report: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield a line per row, kind and metric, in the order of COLUMNS. Accuracies are in [0, 1]."""
    for name, title in ROWS:
        for kind in KINDS:
            for metric, metric_title in METRICS:
                accuracies = (report["table"][name] or {}).get(kind)
                shares: Sequence[float | None] = [None] * len(GROUPS)
                if accuracies:
                    shares = [accuracies[metric][group]["accuracy"] for group in GROUPS]
                yield title, kind, metric_title, *shares
