"""Sets of boxes in an image: hull IoU, component-wise c-IoU, filler, manipulated predictions.

Boxes are half-open `[x1, y1, x2, y2)`. A whole collection is scored at once: `BoxSets` keeps the
boxes of n phrases in one array. Whole-number coordinates stay whole numbers, so a figure of exactly
one half is decided without rounding. Suter, Parcalabescu and Frank 2021, section 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.bootstrap import Floats, quotient

Numbers = NDArray[Any]  # int64, or float64 where a coordinate is no whole number
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

# Areas of whole-number boxes, grown, in quarter units and added up, must fit 64 bits.
_MAX_COORDINATE = 1 << 26
# How many numbers one step of the sweep may hold; bounds the memory, not the result.
_MAX_CELLS = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class BoxSets:
    """n sets of boxes: those of set i are `boxes[offsets[i]:offsets[i + 1]]`.

    `boxes` is (b, 4), `offsets` (n + 1,) ascending from 0 to b. No box is without area: see
    `box_sets`, which drops those.
    """

    boxes: Numbers
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Ints:
        """The number of boxes in each set (n,)."""
        return np.diff(self.offsets)

    def select(self, sets: ArrayLike) -> "BoxSets":
        """The sets at these places, in this order (places or n flags; a place may recur)."""
        places = np.arange(len(self))[np.asarray(sets)]
        sizes = self.sizes[places]
        return BoxSets(self.boxes[_members(self.offsets[places], sizes)], _offsets(sizes))


@dataclass(frozen=True, slots=True, eq=False)
class AreaOverlap:
    """Areas of intersection and union for n pairs of regions, each (n,) and >= 0."""

    intersection: Numbers
    union: Numbers

    @property
    def iou(self) -> Floats:
        """Intersection over union (n,), in [0, 1]; 0 where a side is empty, NaN where both are."""
        return quotient(self.intersection, self.union)

    @property
    def correct(self) -> Flags:
        """Whether IoU >= 1/2 (n,): 2 x intersection >= union, so exact for whole numbers."""
        found: Flags = (2 * self.intersection >= self.union) & (self.union > 0)
        return found


def box_sets(boxes: ArrayLike, offsets: ArrayLike) -> BoxSets:
    """Checked BoxSets from arrays; boxes without area are dropped.

    Raises ValueError for other shapes, offsets that are none, a coordinate that is no number or
    beyond 2**26.
    """
    table, bounds = _table(boxes), np.asarray(offsets, dtype=np.int64)
    if len(bounds) < 1 or bounds[0] != 0 or bounds[-1] != len(table) or (np.diff(bounds) < 0).any():
        raise ValueError(f"offsets must ascend from 0 to the number of boxes, {len(table)}")
    solid = (table[:, 0] < table[:, 2]) & (table[:, 1] < table[:, 3])
    if not solid.all():
        kept = np.concatenate(([0], np.cumsum(solid)))
        table, bounds = table[solid], kept[bounds]
    return BoxSets(table, bounds)


def box_sets_from_lists(sets: Sequence[Sequence[Sequence[float]]]) -> BoxSets:
    """The same from a list of boxes per set."""
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
    # Turned round so that NaN is refused too.
    if len(table) and not np.abs(table).max() <= _MAX_COORDINATE:
        raise ValueError(f"a coordinate is no number or beyond {_MAX_COORDINATE}")
    return table


def _offsets(sizes: Ints) -> Ints:
    found: Ints = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return found


def _members(starts: Ints, sizes: Ints) -> Ints:
    """Places `starts[i] ... starts[i] + sizes[i] - 1` for all i, one after the other."""
    shift: Ints = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return np.arange(int(sizes.sum())) + shift


def joined(first: BoxSets, second: BoxSets) -> BoxSets:
    """For each place the boxes of both sets together."""
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


# --- regions and their figures


def hulls(sets: BoxSets) -> Numbers:
    """The smallest box around each set (n, 4); an empty set has the box 0, 0, 0, 0 without area."""
    found = np.zeros((len(sets), 4), dtype=sets.boxes.dtype)
    filled = np.flatnonzero(sets.sizes)
    if len(filled):
        starts = sets.offsets[filled]  # what lies between two filled sets is empty
        found[filled, :2] = np.minimum.reduceat(sets.boxes[:, :2], starts)
        found[filled, 2:] = np.maximum.reduceat(sets.boxes[:, 2:], starts)
    return found


def box_areas(boxes: Numbers) -> Numbers:
    """The area of each box (b,)."""
    areas: Numbers = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return areas


def region_areas(sets: BoxSets) -> Numbers:
    """The area that the boxes of each set cover together (n,): overlaps count once, 0 if empty."""
    areas = np.zeros(len(sets), dtype=sets.boxes.dtype)
    sizes = sets.sizes
    for size in np.unique(sizes[sizes > 0]).tolist():
        places = np.flatnonzero(sizes == size)
        step = max(1, _MAX_CELLS // (2 * size * size))
        for at in range(0, len(places), step):
            chunk = places[at : at + step]
            members = sets.offsets[chunk][:, None] + np.arange(size)
            areas[chunk] = _union_areas(sets.boxes[members])
    return areas


def _union_areas(boxes: Numbers) -> Numbers:
    """The area of the union of each row of an (m, k, 4) array."""
    if boxes.shape[1] == 1:
        return box_areas(boxes[:, 0])
    # Vertical slabs between neighbouring x; within one, boxes from the lowest y1 up.
    order = np.argsort(boxes[:, :, 1], axis=1)
    boxes = np.take_along_axis(boxes, order[:, :, None], axis=1)
    edges = np.sort(np.concatenate((boxes[:, :, 0], boxes[:, :, 2]), axis=1), axis=1)
    left, right = edges[:, :-1], edges[:, 1:]
    reached = np.full(left.shape, np.min(boxes[:, :, 1]), dtype=boxes.dtype)
    covered = np.zeros(left.shape, dtype=boxes.dtype)
    for at in range(boxes.shape[1]):
        x1, y1, x2, y2 = (boxes[:, at, i, None] for i in range(4))
        inside = (x1 <= left) & (x2 >= right)
        gain = np.maximum(y2 - np.maximum(y1, reached), 0)
        covered += np.where(inside, gain, 0)
        reached = np.where(inside, np.maximum(reached, y2), reached)
    areas: Numbers = ((right - left) * covered).sum(axis=1)
    return areas


def hull_overlap(gold: BoxSets, predicted: BoxSets) -> AreaOverlap:
    """What IoU is made of: the intersection and union of both hulls.

    Symmetric; an empty side gives intersection 0, so an empty prediction scores 0. Raises
    ValueError where the lengths differ.
    """
    _check_lengths(gold, predicted)
    return _box_overlap(hulls(gold), hulls(predicted))


def _box_overlap(first: Numbers, second: Numbers) -> AreaOverlap:
    low = np.maximum(first[:, :2], second[:, :2])
    high = np.minimum(first[:, 2:], second[:, 2:])
    sides = np.maximum(high - low, 0)
    common = sides[:, 0] * sides[:, 1]
    return AreaOverlap(common, box_areas(first) + box_areas(second) - common)


def component_overlap(gold: BoxSets, predicted: BoxSets) -> AreaOverlap:
    """What c-IoU is made of: the intersection and union of both regions (Suter et al., section 3).

    Equal to `hull_overlap` where both sides have one box. Symmetric; a box that recurs, or lies
    inside another of its set, changes nothing. Raises ValueError where the lengths differ.
    """
    found = hull_overlap(gold, predicted)
    several = np.flatnonzero((gold.sizes > 1) | (predicted.sizes > 1))
    if not len(several):
        return found
    ours, theirs = gold.select(several), predicted.select(several)
    union = region_areas(joined(ours, theirs))
    common = region_areas(ours) + region_areas(theirs) - union
    dtype = np.result_type(found.union, union)
    intersections, unions = found.intersection.astype(dtype), found.union.astype(dtype)
    intersections[several], unions[several] = common, union
    return AreaOverlap(intersections, unions)


def filler(sets: BoxSets) -> Floats:
    """1 - area(region) / area(hull) (n,), in [0, 1): the share of the hull that no box covers.

    0 for a single box, NaN for an empty set. Suter et al. 2021, section 3.
    """
    around = box_areas(hulls(sets))
    # With fractions of a pixel the region may come out a rounding above its hull.
    return quotient(np.maximum(around - region_areas(sets), 0), around)


def cardinality_matches(sets: BoxSets, cardinalities: ArrayLike) -> Flags:
    """Whether each set has as many boxes as its phrase calls for (n,)."""
    found: Flags = sets.sizes == np.asarray(cardinalities)
    return found


def any_candidate_passes(
    gold: BoxSets, candidates: BoxSets, phrases: ArrayLike, *, by_component: bool
) -> Flags:
    """Upper bound: for each of the n gold sets, whether some candidate has IoU >= 1/2 (c-IoU if
    `by_component`). `phrases[j]` is the place of the gold set that candidate j stands for; a
    phrase without candidates fails."""
    places = np.asarray(phrases, dtype=np.int64)
    measure = component_overlap if by_component else hull_overlap
    passed = measure(gold.select(places), candidates).correct
    found = np.zeros(len(gold), dtype=np.bool_)
    found[places[passed]] = True
    return found


# --- manipulated predictions


def whole_images(images: ArrayLike) -> BoxSets:
    """One box per image that covers it all; `images` is (n, 2), width and height."""
    sizes = np.asarray(images)
    return box_sets(
        np.concatenate((np.zeros_like(sizes), sizes), axis=1), np.arange(len(sizes) + 1)
    )


def random_box_sets(images: ArrayLike, *, seed: int) -> BoxSets:
    """2 to 5 boxes per image, corners uniform over its whole-number positions."""
    sizes = np.asarray(images, dtype=np.int64)
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 6, len(sizes), dtype=np.int64)
    limits = np.repeat(sizes, counts, axis=0)
    low = rng.integers(0, limits)
    high = rng.integers(low + 1, limits, endpoint=True)
    return BoxSets(np.concatenate((low, high), axis=1), _offsets(counts))


def random_selections(pools: BoxSets, *, seed: int) -> BoxSets:
    """2 to 5 different boxes of each pool, all equally likely; all of them where fewer."""
    rng = np.random.default_rng(seed)
    counts = np.minimum(rng.integers(2, 6, len(pools), dtype=np.int64), pools.sizes)
    # A random key per box, sorted within its pool: the first ones are a fair draw.
    owner = np.repeat(np.arange(len(pools)), pools.sizes)
    shuffled = np.lexsort((rng.random(len(owner)), owner))
    chosen = shuffled[_members(pools.offsets[:-1], counts)]
    return BoxSets(pools.boxes[chosen], _offsets(counts))


def enlarged_sides(sets: BoxSets) -> BoxSets:
    """Each box with both sides longer by half about its own centre, **in quarter units**.

    All coordinates are multiplied by 4, which keeps whole numbers whole; multiply the other side
    and the image by 4 too (`scaled`).
    """
    grown = 4 * sets.boxes
    margin = sets.boxes[:, 2:] - sets.boxes[:, :2]
    return BoxSets(np.concatenate((grown[:, :2] - margin, grown[:, 2:] + margin), 1), sets.offsets)


def enlarged_areas(sets: BoxSets) -> BoxSets:
    """Each box with half as much area again about its own centre: sides times the root of 1.5."""
    margin = (np.sqrt(1.5) - 1) / 2 * (sets.boxes[:, 2:] - sets.boxes[:, :2])
    low, high = sets.boxes[:, :2] - margin, sets.boxes[:, 2:] + margin
    return BoxSets(np.concatenate((low, high), axis=1), sets.offsets)


def scaled(sets: BoxSets, factor: int) -> BoxSets:
    """The same sets in a unit `factor` times as small."""
    return BoxSets(factor * sets.boxes, sets.offsets)


def clipped(sets: BoxSets, images: ArrayLike) -> BoxSets:
    """The part of each box inside its image (n, 2); a box with none is dropped."""
    limits = np.repeat(np.asarray(images), sets.sizes, axis=0)
    low = np.maximum(sets.boxes[:, :2], 0)
    high = np.minimum(sets.boxes[:, 2:], limits)
    return box_sets(np.concatenate((low, high), axis=1), sets.offsets)
