"""Signs of work without reading, for the review reasons of several schemes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from schemes.contract.content import ReviewReason
from schemes.contract.texts import Translatable
from schemes.contract.values import Noun

# More units than these times the most of another annotator, and these more, are unusual. Of the 641
# verbs of the published QA-SRL gold with answers of two annotators, 4 are (0.6 %).
TIMES, MORE = 3, 3


def are_equally_spaced(positions: Sequence[int]) -> bool:
    """Return True if all neighbours of the ascending positions have the same distance."""
    return len({second - first for first, second in pairwise(positions)}) == 1


def more_than_others(count: int, others: Iterable[int], unit: Noun) -> Iterator[ReviewReason]:
    """Report more units than the others' numbers make likely. Annotators without units don't count."""
    if count <= TIMES + MORE:
        return  # whatever the others have, so that they need not be read
    most = max(others, default=0)
    if most and count > TIMES * most + MORE:
        text = Translatable(
            "%(units)s, where another annotator has %(most)s.",
            units=unit.count(count),
            most=f"{most:,}",
        )
        yield ReviewReason("more-than-others", text)
