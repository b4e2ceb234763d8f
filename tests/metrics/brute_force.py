"""Literal and slow implementations of the definitions, to compare the fast functions with."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np


def span_iou(first, second):
    first_tokens, second_tokens = set(range(*first)), set(range(*second))
    return Fraction(len(first_tokens & second_tokens), len(first_tokens | second_tokens))


def matchings(edges: Sequence[tuple]) -> Iterable[list[tuple]]:
    """Yield every set of edges that share no end."""
    if not edges:
        yield []
        return
    (left, right), rest = edges[0], edges[1:]
    yield from matchings(rest)
    free = [edge for edge in rest if edge[0] != left and edge[1] != right]
    for matching in matchings(free):
        yield [(left, right), *matching]


def best_sums(edges: Mapping[tuple, tuple]) -> tuple:
    """Return the greatest summed values of any matching, compared level by level."""
    levels = len(next(iter(edges.values()))) if edges else 0
    return max(
        tuple(
            sum((edges[edge][level] for edge in matching), Fraction(0)) for level in range(levels)
        )
        for matching in matchings(list(edges))
    )


def ua_la(reference: Mapping, predicted: Mapping) -> tuple[tuple, tuple]:
    """Return (TP, FP, FN) of UA and LA from sets of tokens and all matchings."""
    half = Fraction(1, 2)
    edges = {
        (ref, pred): (1, span_iou(ref, pred), int(bool(set(reference[ref]) & set(predicted[pred]))))
        for ref in reference
        for pred in predicted
        if span_iou(ref, pred) >= half
    }
    pairs, _, same = best_sums(edges) if edges else (0, 0, 0)
    unmatched = [pred for pred in predicted if all(pred != other for _, other in edges)]
    false = components(unmatched, lambda a, b: span_iou(a, b) >= half)
    missed = len(reference) - pairs
    differing = pairs - same
    return (pairs, false, missed), (same, false + differing, missed + differing)


def components(nodes: Sequence, linked) -> int:
    """Return the number of connected components by merging groups until nothing more merges."""
    groups = [{node} for node in nodes]
    merged = True
    while merged:
        merged = False
        for first, second in combinations(groups, 2):
            if any(linked(a, b) for a in first for b in second):
                groups.remove(second)
                first.update(second)
                merged = True
                break
    return len(groups)


def bcubed(gold: Sequence, system: Sequence) -> tuple[Fraction, Fraction]:
    """Return precision and recall as means over items, pair by pair (Bagga and Baldwin 1998)."""
    items = range(len(gold))
    precision = recall = Fraction(0)
    for item in items:
        cluster = [member for member in items if system[member] == system[item]]
        gold_cluster = [member for member in items if gold[member] == gold[item]]
        shared = [member for member in cluster if member in gold_cluster]
        precision += Fraction(len(shared), len(cluster) * len(gold))
        recall += Fraction(len(shared), len(gold_cluster) * len(gold))
    return precision, recall


def purity(gold: Sequence, system: Sequence) -> Fraction:
    best = 0
    for cluster in set(system):
        labels = [
            label
            for label, system_label in zip(gold, system, strict=True)
            if system_label == cluster
        ]
        best += max(labels.count(label) for label in set(labels))
    return Fraction(best, len(gold))


def mask(boxes, *, side: int = 24):
    """Return the pixels of the region as an array of flags."""
    pixels = np.zeros((side, side), dtype=bool)
    for x1, y1, x2, y2 in boxes:
        pixels[y1:y2, x1:x2] = True
    return pixels


def hull_mask(boxes, *, side: int = 24):
    """Return the pixels of the smallest box around the region."""
    rows, columns = np.nonzero(mask(boxes, side=side))
    if not len(rows):
        return mask([], side=side)
    return mask([(columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)], side=side)


def mask_iou(first, second) -> tuple[int, int]:
    """Return the number of pixels in both masks and the number in either."""
    return int((first & second).sum()), int((first | second).sum())
