"""Areas of regions of a few boxes, in exact integers and without numpy.

`metrics.boxes` computes the same for many phrases at once. Boxes are half-open `[x1, y1, x2, y2)`.
"""

from collections.abc import Sequence
from itertools import pairwise

Box = Sequence[int]


def box_area(box: Box) -> int:
    return max(0, box[2] - box[0]) * max(0, box[3] - box[1])


def hull(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around the boxes. Raise ValueError if there is none."""
    columns = list(zip(*boxes, strict=True))
    if not columns:
        raise ValueError("no box has no hull")
    return [min(columns[0]), min(columns[1]), max(columns[2]), max(columns[3])]


def region_area(boxes: Sequence[Box]) -> int:
    """Return the area of the union of the boxes."""
    if len(boxes) <= 1:
        return sum(map(box_area, boxes))
    edges = sorted({edge for box in boxes for edge in (box[0], box[2])})
    area = 0
    for left, right in pairwise(edges):
        inside = sorted((box[1], box[3]) for box in boxes if box[0] <= left and box[2] >= right)
        reached = covered = 0
        for at, (top, bottom) in enumerate(inside):
            start = top if at == 0 else max(top, reached)
            covered += max(0, bottom - start)
            reached = bottom if at == 0 else max(reached, bottom)
        area += (right - left) * covered
    return area


def region_overlap(first: Sequence[Box], second: Sequence[Box]) -> tuple[int, int]:
    """Return the areas of intersection and union of two regions, from which c-IoU is computed."""
    union = region_area([*first, *second])
    return region_area(first) + region_area(second) - union, union


def hull_overlap(first: Sequence[Box], second: Sequence[Box]) -> tuple[int, int]:
    """Return the areas of intersection and union of two hulls. An empty side has area 0."""
    return region_overlap([hull(first)] if first else [], [hull(second)] if second else [])
