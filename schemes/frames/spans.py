"""The spans of arguments: all words that depend on their semantic heads."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from schemes.contract.values import Json

Run = tuple[int, int]


def span_of(head: Sequence[int], verb: Sequence[int], metadata: Json) -> list[int]:
    """Return the positions of an argument in ascending order.

    These are the head and its descendants in the dependency tree, without the branches that hold the
    verb, such as the relative clause of *the fund that sold bonds*. Punctuation at the edges is left
    out. Without dependencies, the head is the argument.
    """
    governors, relations = metadata.get("heads"), metadata.get("deprels")
    if not governors or not relations:
        return list(head)
    outside = {*verb, *_ancestors(verb, governors)}.difference(head)
    children: dict[int, list[int]] = {}
    for at, governor in enumerate(governors):
        children.setdefault(governor, []).append(at)
    span, waiting = set(head), list(head)
    while waiting:
        for at in children.get(waiting.pop(), ()):
            if at not in outside and at not in span:
                span.add(at)
                waiting.append(at)
    return list(_without_edges(sorted(span), head, relations))


def runs_of(positions: Iterable[int]) -> list[Run]:
    """Return ascending positions as half-open ranges without gaps."""
    groups = (list(run) for _, run in groupby(enumerate(positions), lambda pair: pair[1] - pair[0]))
    return [(run[0][1], run[-1][1] + 1) for run in groups]


def _ancestors(positions: Iterable[int], governors: Sequence[int]) -> set[int]:
    ancestors: set[int] = set()
    for at in positions:
        governor = governors[at]
        while governor >= 0 and governor not in ancestors:
            ancestors.add(governor)
            governor = governors[governor]
    return ancestors


def _without_edges(
    span: Sequence[int], head: Collection[int], relations: Sequence[str]
) -> Iterator[int]:
    """Yield the positions of each run without punctuation at its edges."""
    for start, end in runs_of(span):
        inner = [at for at in range(start, end) if at in head or relations[at] != "punct"]
        if inner:
            yield from range(inner[0], inner[-1] + 1)
