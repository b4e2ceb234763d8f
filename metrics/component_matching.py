"""Matching of predicted component boxes with gold boxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .matching import lexicographic_matching

Box = Sequence[float]


@dataclass(frozen=True, slots=True)
class ComponentMatch:
    """Indices of the (gold, predicted) pairs, of missed gold boxes and of extra predicted boxes."""

    pairs: list[tuple[int, int]]
    missed: list[int]
    extra: list[int]


def match_components(gold: Sequence[Box], predicted: Sequence[Box]) -> ComponentMatch:
    """Return the one-to-one matching of boxes with IoU >= 1/2.

    It has the most pairs, then the greatest total IoU. The arithmetic is exact, also for fractions
    of a pixel, and exchanging the sides only exchanges their names.
    """
    edges: dict[tuple[int, int], tuple[int | Fraction, ...]] = {}
    for index, box in enumerate(gold):
        for other_index, other in enumerate(predicted):
            iou = box_iou(box, other)
            if 2 * iou >= 1:
                edges[index, other_index] = (1, iou)
    pairs = lexicographic_matching(edges)
    matched_gold = {index for index, _ in pairs}
    matched_predicted = {index for _, index in pairs}
    return ComponentMatch(
        pairs,
        [index for index in range(len(gold)) if index not in matched_gold],
        [index for index in range(len(predicted)) if index not in matched_predicted],
    )


def box_iou(first: Box, second: Box) -> Fraction:
    """Return the exact IoU of two half-open boxes, which is 0 if either has no area."""
    ax1, ay1, ax2, ay2 = map(Fraction, first)
    bx1, by1, bx2, by2 = map(Fraction, second)
    width, height = min(ax2, bx2) - max(ax1, bx1), min(ay2, by2) - max(ay1, by1)
    if width <= 0 or height <= 0:
        return Fraction(0)
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - width * height
    return width * height / union
