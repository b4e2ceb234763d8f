"""Which predicted component box stands for which gold one: the count check, box by box."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from metrics.matching import lexicographic_matching

Box = Sequence[float]


@dataclass(frozen=True, slots=True)
class ComponentMatch:
    """Places in the gold and the predicted list: pairs (gold, predicted), missed gold, extra."""

    pairs: list[tuple[int, int]]
    missed: list[int]
    extra: list[int]


def match_components(gold: Sequence[Box], predicted: Sequence[Box]) -> ComponentMatch:
    """The one-to-one matching of boxes with IoU >= 1/2: most pairs, then greatest total IoU.

    Symmetric up to the names of the sides; exact, fractions of a pixel included.
    """
    edges: dict[tuple[int, int], tuple[int | Fraction, ...]] = {}
    for at, box in enumerate(gold):
        for other_at, other in enumerate(predicted):
            iou = box_iou(box, other)
            if 2 * iou >= 1:
                edges[at, other_at] = (1, iou)
    pairs = lexicographic_matching(edges)
    found, taken = {at for at, _ in pairs}, {at for _, at in pairs}
    return ComponentMatch(
        pairs,
        [at for at in range(len(gold)) if at not in found],
        [at for at in range(len(predicted)) if at not in taken],
    )


def box_iou(first: Box, second: Box) -> Fraction:
    """Exact IoU of two half-open boxes `[x1, y1, x2, y2)`; in [0, 1], 0 if either has no area."""
    ax1, ay1, ax2, ay2 = map(Fraction, first)
    bx1, by1, bx2, by2 = map(Fraction, second)
    width, height = min(ax2, bx2) - max(ax1, bx1), min(ay2, by2) - max(ay1, by1)
    if width <= 0 or height <= 0:
        return Fraction(0)
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - width * height
    return width * height / union
