"""Hull IoU, component-wise c-IoU, filler and manipulated predictions for sets of boxes.

Boxes are half-open `[x1, y1, x2, y2)`. `BoxSets` stores the boxes of n phrases in one array.
Integer coordinates stay integers, so that an IoU of exactly 1/2 is not subject to rounding. Suter,
Parcalabescu and Frank 2021, section 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bootstrap import Floats, quotient

Numbers = NDArray[Any]  # int64, or float64 if a coordinate is not an integer
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

# Summed areas of enlarged integer boxes in quarter units must fit 64 bits.
_MAX_COORDINATE = 1 << 26
# Maximum number of values per step of the sweep, which limits its memory.
_MAX_CELLS = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class BoxSets:
    """A list of n sets of boxes, in which set i is `boxes[offsets[i]:offsets[i + 1]]`.

    `boxes` is (b, 4) and `offsets` (n + 1,), ascending from 0 to b. `box_sets` drops boxes without
    area.
    """

    boxes: Numbers
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Ints:
        """Return the number of boxes in each set (n,)."""
        return np.diff(self.offsets)

    def select(self, sets: ArrayLike) -> "BoxSets":
        """Return the sets at these indices, which may repeat, or at n flags."""
        indices = np.arange(len(self))[np.asarray(sets)]
        sizes = self.sizes[indices]
        return BoxSets(self.boxes[_members(self.offsets[indices], sizes)], _offsets(sizes))


@dataclass(frozen=True, slots=True, eq=False)
class AreaOverlap:
    """The areas of intersection and union of n pairs of regions, each (n,)."""

    intersection: Numbers
    union: Numbers

    @property
    def iou(self) -> Floats:
        """Return the IoU (n,), which is 0 if a side is empty and NaN if both are."""
        return quotient(self.intersection, self.union)

    @property
    def correct(self) -> Flags:
        """Return IoU >= 1/2 as flags (n,), which are exact for integers."""
        flags: Flags = (2 * self.intersection >= self.union) & (self.union > 0)
        return flags


def box_sets(boxes: ArrayLike, offsets: ArrayLike) -> BoxSets:
    """Create BoxSets from arrays and drop boxes without area.

    Raise ValueError for wrong shapes, invalid offsets, and coordinates that are NaN or beyond
    2**26.
    """
    table, bounds = _table(boxes), np.asarray(offsets, dtype=np.int64)
    if len(bounds) < 1 or bounds[0] != 0 or bounds[-1] != len(table) or (np.diff(bounds) < 0).any():
        raise ValueError(f"offsets must ascend from 0 to the number of boxes, {len(table)}")
    solid = (table[:, 0] < table[:, 2]) & (table[:, 1] < table[:, 3])
    if not solid.all():
        solid_before = np.concatenate(([0], np.cumsum(solid)))
        table, bounds = table[solid], solid_before[bounds]
    return BoxSets(table, bounds)


def box_sets_from_lists(sets: Sequence[Sequence[Sequence[float]]]) -> BoxSets:
    """Create BoxSets from a list of boxes per set. See `box_sets`."""
    boxes = [box for members in sets for box in members]
    return box_sets(
        np.array(boxes) if boxes else np.zeros((0, 4), dtype=np.int64),
        _offsets(np.array([len(members) for members in sets], dtype=np.int64)),
    )


def _table(boxes: ArrayLike) -> Numbers:
    raw = np.asarray(boxes)
    table = raw.astype(np.int64 if raw.dtype.kind in "iub" else np.float64, copy=False)
    if table.ndim != 2 or table.shape[1] != 4:
        raise ValueError(f"boxes must be an array of shape (b, 4), not {table.shape}")
    # The negated comparison also refuses NaN.
    if len(table) and not np.abs(table).max() <= _MAX_COORDINATE:
        raise ValueError(f"a coordinate is NaN or beyond {_MAX_COORDINATE}")
    return table


def _offsets(sizes: Ints) -> Ints:
    offsets: Ints = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return offsets


def _members(starts: Ints, sizes: Ints) -> Ints:
    """Return the concatenated ranges from `starts[i]` to `starts[i] + sizes[i] - 1`."""
    shift: Ints = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return np.arange(int(sizes.sum())) + shift


def joined(first: BoxSets, second: BoxSets) -> BoxSets:
    """Return the sets with the boxes of both sides at each index."""
    _check_lengths(first, second)
    boxes = np.concatenate((first.boxes, second.boxes))
    owner = np.concatenate(
        (
            np.repeat(np.arange(len(first)), first.sizes),
            np.repeat(np.arange(len(second)), second.sizes),
        )
    )
    return BoxSets(boxes[np.argsort(owner, kind="stable")], _offsets(first.sizes + second.sizes))


def _check_lengths(gold: BoxSets, predicted: BoxSets) -> None:
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} gold sets but {len(predicted)} predicted sets")


def hulls(sets: BoxSets) -> Numbers:
    """Return the smallest box around each set (n, 4), which is 0, 0, 0, 0 for an empty set."""
    boxes = np.zeros((len(sets), 4), dtype=sets.boxes.dtype)
    filled = np.flatnonzero(sets.sizes)
    if len(filled):
        starts = sets.offsets[filled]  # sets between two filled ones are empty
        boxes[filled, :2] = np.minimum.reduceat(sets.boxes[:, :2], starts)
        boxes[filled, 2:] = np.maximum.reduceat(sets.boxes[:, 2:], starts)
    return boxes


def box_areas(boxes: Numbers) -> Numbers:
    """Return the area of each box (b,)."""
    areas: Numbers = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return areas


def region_areas(sets: BoxSets) -> Numbers:
    """Return the area that the boxes of each set cover (n,). Overlaps count once."""
    areas = np.zeros(len(sets), dtype=sets.boxes.dtype)
    sizes = sets.sizes
    for size in np.unique(sizes[sizes > 0]).tolist():
        indices = np.flatnonzero(sizes == size)
        step = max(1, _MAX_CELLS // (2 * size * size))
        for start in range(0, len(indices), step):
            chunk = indices[start : start + step]
            members = sets.offsets[chunk][:, None] + np.arange(size)
            areas[chunk] = _union_areas(sets.boxes[members])
    return areas


def _union_areas(boxes: Numbers) -> Numbers:
    """Return the area of the union of each row of an (m, k, 4) array."""
    if boxes.shape[1] == 1:
        return box_areas(boxes[:, 0])
    # Sweep the vertical slabs between neighbouring x, with the boxes in order of y1.
    order = np.argsort(boxes[:, :, 1], axis=1)
    boxes = np.take_along_axis(boxes, order[:, :, None], axis=1)
    edges = np.sort(np.concatenate((boxes[:, :, 0], boxes[:, :, 2]), axis=1), axis=1)
    left, right = edges[:, :-1], edges[:, 1:]
    reached = np.full(left.shape, np.min(boxes[:, :, 1]), dtype=boxes.dtype)
    covered = np.zeros(left.shape, dtype=boxes.dtype)
    for column in range(boxes.shape[1]):
        x1, y1, x2, y2 = (boxes[:, column, i, None] for i in range(4))
        inside = (x1 <= left) & (x2 >= right)
        gain = np.maximum(y2 - np.maximum(y1, reached), 0)
        covered += np.where(inside, gain, 0)
        reached = np.where(inside, np.maximum(reached, y2), reached)
    areas: Numbers = ((right - left) * covered).sum(axis=1)
    return areas


def hull_overlap(gold: BoxSets, predicted: BoxSets) -> AreaOverlap:
    """Return the intersection and union of the hulls, from which IoU is computed.

    An empty side has intersection 0. Raise ValueError if the lengths differ.
    """
    _check_lengths(gold, predicted)
    first = hulls(gold)
    second = hulls(predicted)
    low = np.maximum(first[:, :2], second[:, :2])
    high = np.minimum(first[:, 2:], second[:, 2:])
    sides = np.maximum(high - low, 0)
    common = sides[:, 0] * sides[:, 1]
    return AreaOverlap(common, box_areas(first) + box_areas(second) - common)


def component_overlap(gold: BoxSets, predicted: BoxSets) -> AreaOverlap:
    """Return the intersection and union of the regions, from which c-IoU is computed.

    The result equals `hull_overlap` if each side has one box. Boxes inside other boxes of their set
    have no effect. Raise ValueError if the lengths differ. Suter et al. 2021, section 3.
    """
    overlap = hull_overlap(gold, predicted)
    several = np.flatnonzero((gold.sizes > 1) | (predicted.sizes > 1))
    if not len(several):
        return overlap
    golds, predictions = gold.select(several), predicted.select(several)
    union = region_areas(joined(golds, predictions))
    common = region_areas(golds) + region_areas(predictions) - union
    dtype = np.result_type(overlap.union, union)
    intersections, unions = overlap.intersection.astype(dtype), overlap.union.astype(dtype)
    intersections[several], unions[several] = common, union
    return AreaOverlap(intersections, unions)


def filler(sets: BoxSets) -> Floats:
    """Return the share of the hull that no box covers (n,).

    It is 0 for a single box and NaN for an empty set. Suter et al. 2021, section 3.
    """
    hull_areas = box_areas(hulls(sets))
    # Rounding of fractional coordinates can make a region larger than its hull.
    return quotient(np.maximum(hull_areas - region_areas(sets), 0), hull_areas)


def accepted(gold: BoxSets, predicted: BoxSets) -> dict[str, Flags]:
    """Return flags (n,) for the predictions that `iou`, `c_iou` and `both` of them accept.

    A metric accepts 1/2 or more. Suter et al. 2021, sections 3 and 4.
    """
    by_iou = hull_overlap(gold, predicted).correct
    by_c_iou = component_overlap(gold, predicted).correct
    return {"iou": by_iou, "c_iou": by_c_iou, "both": by_iou & by_c_iou}


def cardinality_matches(sets: BoxSets, cardinalities: ArrayLike) -> Flags:
    """Return flags (n,) for the sets that have as many boxes as their phrase requires."""
    flags: Flags = sets.sizes == np.asarray(cardinalities)
    return flags


def any_candidate_accepted(
    gold: BoxSets, candidates: BoxSets, phrases: ArrayLike
) -> dict[str, Flags]:
    """Return flags (n,) for the gold sets with an accepted candidate, as an upper bound.

    The keys are those of `accepted`. `phrases[j]` is the index of the gold set of candidate j. A phrase
    without candidates fails.
    """
    indices = np.asarray(phrases, dtype=np.int64)
    bounds = {}
    for name, passed in accepted(gold.select(indices), candidates).items():
        bounds[name] = np.zeros(len(gold), dtype=np.bool_)
        bounds[name][indices[passed]] = True
    return bounds


def whole_images(images: ArrayLike) -> BoxSets:
    """Return a box per image that covers it. `images` is (n, 2), width and height."""
    sizes = np.asarray(images)
    return box_sets(
        np.concatenate((np.zeros_like(sizes), sizes), axis=1), np.arange(len(sizes) + 1)
    )


def random_box_sets(images: ArrayLike, *, seed: int) -> BoxSets:
    """Return 2 to 5 boxes per image with uniformly distributed integer corners."""
    sizes = np.asarray(images, dtype=np.int64)
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 6, len(sizes), dtype=np.int64)
    limits = np.repeat(sizes, counts, axis=0)
    low = rng.integers(0, limits)
    high = rng.integers(low + 1, limits, endpoint=True)
    return BoxSets(np.concatenate((low, high), axis=1), _offsets(counts))


def random_objects(labels: Sequence[Sequence[str | None]], *, seed: int) -> list[list[int]]:
    """Return the positions of 2 to 5 objects with different labels, drawn from each list of labels.

    A list with fewer labels gives an object of each. Objects without a label (None) differ from all.
    """
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 6, len(labels))
    return [
        _first_of_each_label(rng.permutation(len(own)).tolist(), own)[:count]
        for own, count in zip(labels, counts.tolist(), strict=True)
    ]


def _first_of_each_label(order: Sequence[int], labels: Sequence[str | None]) -> list[int]:
    places: dict[str | int, int] = {}
    for at in order:
        label = labels[at]
        places.setdefault(at if label is None else label, at)
    return list(places.values())


def enlarged_sides(sets: BoxSets) -> BoxSets:
    """Enlarge both sides of each box by half about its centre, **in quarter units**.

    All coordinates are multiplied by 4, so that integers stay integers. Scale the gold boxes and
    the image by 4 as well (`scaled`).
    """
    grown = 4 * sets.boxes
    margin = sets.boxes[:, 2:] - sets.boxes[:, :2]
    return BoxSets(np.concatenate((grown[:, :2] - margin, grown[:, 2:] + margin), 1), sets.offsets)


def enlarged_areas(sets: BoxSets) -> BoxSets:
    """Enlarge the area of each box by half about its centre."""
    margin = (np.sqrt(1.5) - 1) / 2 * (sets.boxes[:, 2:] - sets.boxes[:, :2])
    low, high = sets.boxes[:, :2] - margin, sets.boxes[:, 2:] + margin
    return BoxSets(np.concatenate((low, high), axis=1), sets.offsets)


def scaled(sets: BoxSets, factor: int) -> BoxSets:
    """Return the sets with all coordinates multiplied by `factor`."""
    return BoxSets(factor * sets.boxes, sets.offsets)


def clipped(sets: BoxSets, images: ArrayLike) -> BoxSets:
    """Clip each box to its image (n, 2). Boxes outside the image are dropped."""
    limits = np.repeat(np.asarray(images), sets.sizes, axis=0)
    low = np.maximum(sets.boxes[:, :2], 0)
    high = np.minimum(sets.boxes[:, 2:], limits)
    return box_sets(np.concatenate((low, high), axis=1), sets.offsets)
