"""The bias report: how IoU and c-IoU rate the same predictions (Suter et al. 2021, table 1).

The table has a row per kind of prediction:

- upper bound: a candidate passes
- system: the given predictions
- pruned: of singular phrases, only the largest predicted box
- pruned and enlarged: the same, with both sides of each box enlarged by half and clipped to the image
- max box: the whole image
- random: random boxes of the candidates, or of the image if a file has no candidates

and each row has the accuracy with *singles*, where predictions and candidates are single boxes, and with
*all*, where they may be sets. The single box of a prediction is its largest one. Random sets have 2 to 5
boxes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from metrics.boxes import (
    BoxSets,
    box_areas,
    box_sets_from_lists,
    clipped,
    enlarged_sides,
    random_box_sets,
    random_selections,
    scaled,
    whole_images,
)
from metrics.counts import ratio
from schemes.base import Json
from schemes.grounding.evaluation import ITEM_COLUMNS, Evaluation

ROWS = (
    ("upper_bound", "Upper bound"),
    ("system", "System"),
    ("pruned", "Pruned"),
    ("pruned_enlarged", "Pruned and enlarged"),
    ("max_box", "Max box"),
    ("random", "Random"),
)
KINDS = ("singles", "all")
METRICS = (("iou", "IoU"), ("c_iou", "c-IoU"))
GROUPS = ("all", "plural")
COLUMNS = ("predictions", "candidates", "metric", *GROUPS)


def bias_report(evaluation: Evaluation) -> Json:
    """Return the report as JSON.

    `{"phrases", "plural_phrases", "table": {row: {"singles" or "all": {"iou" or "c_iou": {"all",
    "singular", "plural": {"n", "correct", "accuracy"}}}}}, "gold": statistics, "disagreements"}`. A row
    is None if the file has no candidates.
    """
    cases, figures = disagreements(evaluation), evaluation.figures()
    return {
        "phrases": len(evaluation.phrases),
        "plural_phrases": int(evaluation.plural.sum()),
        "table": _table(evaluation, figures),
        "gold": _gold_statistics(evaluation, figures),
        "disagreements": {
            "iou_only": sum(case["iou_correct"] for case in cases),
            "c_iou_only": sum(case["c_iou_correct"] for case in cases),
        },
    }


def _table(evaluation: Evaluation, figures: Json) -> Json:
    bounds = figures.get("upper_bound")
    whole = whole_images(evaluation.images)
    table: Json = {
        "upper_bound": bounds
        and {"singles": bounds["single_box"], "all": bounds["all_candidates"]},
        "max_box": {kind: evaluation.accuracies(evaluation.gold, whole) for kind in KINDS},
    }
    for kind, sets in (("singles", largest(evaluation.predicted)), ("all", evaluation.predicted)):
        pruned = _pruned(sets, evaluation)
        rows = {
            "system": evaluation.accuracies(evaluation.gold, sets),
            "pruned": evaluation.accuracies(evaluation.gold, pruned),
            "pruned_enlarged": _enlarged(pruned, evaluation),
            "random": evaluation.accuracies(evaluation.gold, _random(kind, evaluation)),
        }
        for name, accuracies in rows.items():
            table.setdefault(name, {})[kind] = accuracies
    return {name: table[name] for name, _ in ROWS}


def largest(sets: BoxSets) -> BoxSets:
    """Return the largest box of each set, the first of equally large ones."""
    areas = box_areas(sets.boxes)
    owner = np.repeat(np.arange(len(sets)), sets.sizes)
    order = np.lexsort((np.arange(len(areas)), -areas, owner))
    filled = sets.sizes > 0
    chosen = order[sets.offsets[:-1][filled]]
    offsets = np.concatenate(([0], np.cumsum(filled))).astype(np.int64)
    return BoxSets(sets.boxes[chosen], offsets)


def _pruned(sets: BoxSets, evaluation: Evaluation) -> BoxSets:
    singles, count = largest(sets), len(sets)
    both = BoxSets(
        np.concatenate((sets.boxes, singles.boxes)),
        np.concatenate((sets.offsets, singles.offsets[1:] + sets.offsets[-1])),
    )
    return both.select(np.where(evaluation.plural, np.arange(count), np.arange(count) + count))


def _enlarged(sets: BoxSets, evaluation: Evaluation) -> Json:
    """Return the accuracy of enlarged boxes, in quarter units of pixels."""
    grown = clipped(enlarged_sides(sets), 4 * evaluation.images)
    return evaluation.accuracies(scaled(evaluation.gold, 4), grown)


def _random(kind: str, evaluation: Evaluation) -> BoxSets:
    pools = [
        list(dict.fromkeys(box for candidate in phrase.candidates or () for box in candidate))
        for phrase in evaluation.phrases
    ]
    if any(pools):
        drawn = random_selections(box_sets_from_lists(pools), seed=evaluation.seed)
    else:
        drawn = random_box_sets(evaluation.images, seed=evaluation.seed)
    return first(drawn) if kind == "singles" else drawn


def first(sets: BoxSets) -> BoxSets:
    """Return the first box of each set."""
    filled = sets.sizes > 0
    offsets = np.concatenate(([0], np.cumsum(filled))).astype(np.int64)
    return BoxSets(sets.boxes[sets.offsets[:-1][filled]], offsets)


def _gold_statistics(evaluation: Evaluation, figures: Json) -> Json:
    """Return statistics of the gold boxes, most of them of plural phrases."""
    sizes = evaluation.gold.select(evaluation.plural).sizes
    numbers, times = np.unique(sizes, return_counts=True)
    known = figures["cardinality"]["gold"]["all"]
    one_box = figures["components"]["gold_with_one_box"]
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
    }


def disagreements(evaluation: Evaluation) -> list[Json]:
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
                accuracies = report["table"][name]
                shares: Sequence[float | None] = [None] * len(GROUPS)
                if accuracies:
                    shares = [accuracies[kind][metric][group]["accuracy"] for group in GROUPS]
                yield title, kind, metric_title, *shares
