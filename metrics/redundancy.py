"""When an item needs no more people, by the expected coverage and precision of its annotations.

An annotation is accepted as gold if it is expected to have the target share of the item's right parts,
and if the same share of its own parts is expected to be right. Otherwise another annotator is asked,
until the annotations together are expected to have the target share, or there are as many annotators as
the protocol has. A consolidator then merges them. A single annotation is never consolidated.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from .counts import ratio
from .judgment_model import ItemCertainty


class Step(Enum):
    """What an item needs next."""

    ACCEPT = "accept"
    ASK = "ask"
    CONSOLIDATE = "consolidate"


@dataclass(frozen=True, slots=True)
class Worth:
    """The expected share of the right parts that it has, and of its own parts that are right."""

    coverage: float
    precision: float


@dataclass(frozen=True, slots=True)
class NextStep:
    """What an item needs next, and why.

    `worth` is that of the accepted annotation, or of all annotations together. `accepted` is the position
    of the accepted annotation. `missed` is the expected number of right parts that nobody found.
    """

    step: Step
    worth: Worth
    missed: float
    accepted: int | None = None


def next_step(
    certainty: ItemCertainty,
    found_by: Sequence[Collection[int]],
    *,
    annotators: int,
    most: int,
    target: float,
) -> NextStep:
    """Return what an item needs after `annotators` annotations. `target` is a share from 0 to 1.

    `found_by` has the positions of the annotations with each part, in the order of the certainty's
    probabilities.
    """
    missed = certainty.missed or 0.0
    expected = sum(certainty.probabilities) + missed
    together = _worth(certainty.probabilities, expected)
    best: tuple[float, int, Worth] | None = None
    for at in range(annotators):
        own = [
            probability
            for probability, positions in zip(certainty.probabilities, found_by, strict=True)
            if at in positions
        ]
        worth = _worth(own, expected)
        if min(worth.coverage, worth.precision) >= target:
            total = worth.coverage + worth.precision
            if best is None or total > best[0]:
                best = total, at, worth
    if best is not None:
        return NextStep(Step.ACCEPT, best[2], missed, accepted=best[1])
    needs_another = annotators == 1 or together.coverage < target
    step = Step.ASK if annotators < most and needs_another else Step.CONSOLIDATE
    return NextStep(step, together, missed)


def _worth(own: Sequence[float], expected: float) -> Worth:
    """Return the worth of parts with these probabilities. Without parts, nothing is known of it."""
    return Worth(ratio(sum(own), expected) or 0.0, ratio(sum(own), len(own)) or 0.0)
