"""Exact bipartite matching over edges with several values in order of priority."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import TypeVar

Edge = tuple[int, int]
Values = tuple[int | Fraction, ...]
Node = TypeVar("Node")


def lexicographic_matching(edges: Mapping[Edge, Values]) -> list[Edge]:
    """Return the one-to-one matching with the lexicographically greatest sums of values.

    `edges` maps (left, right), which are numbered independently, to tuples of values >= 0. All
    tuples have the same length. A first value of 1 for every edge gives maximum cardinality. The
    arithmetic is exact, and remaining ties depend on the numbering alone. The edges are sorted.
    Time is O(n^3) in the largest component.
    """
    chosen: list[Edge] = []
    for component in _components(edges):
        if is_star(component):
            chosen.append(max(component, key=edges.__getitem__))
        else:
            chosen += _best_of_component({edge: edges[edge] for edge in component})
    return sorted(chosen)


def _components(edges: Iterable[Edge]) -> list[list[Edge]]:
    """Return the sorted edges of each connected component."""
    ordered = sorted(edges)
    # Right nodes are stored as complements to distinguish them from left nodes.
    nodes = [left for left, _ in ordered] + [~right for _, right in ordered]
    groups = connected_components(nodes, [(left, ~right) for left, right in ordered])
    group_of = {node: index for index, group in enumerate(groups) for node in group}
    components: list[list[Edge]] = [[] for _ in groups]
    for edge in ordered:
        components[group_of[edge[0]]].append(edge)
    return components


def is_star(edges: Sequence[tuple[object, object]]) -> bool:
    """Return True if all edges share a node, so that only one of them can be chosen."""
    left, right = edges[0]
    return all(edge[0] == left for edge in edges) or all(edge[1] == right for edge in edges)


def connected_components(
    nodes: Iterable[Node], links: Iterable[tuple[Node, Node]]
) -> list[list[Node]]:
    """Return the connected components in the order of their first nodes."""
    neighbours: dict[Node, list[Node]] = {node: [] for node in nodes}
    for first, second in links:
        neighbours[first].append(second)
        neighbours[second].append(first)
    groups, seen = [], set()
    for start in neighbours:
        if start in seen:
            continue
        seen.add(start)
        group = [start]
        for node in group:  # grows during the iteration
            unseen = [other for other in neighbours[node] if other not in seen]
            seen.update(unseen)
            group += dict.fromkeys(unseen)
        groups.append(group)
    return groups


def _best_of_component(edges: Mapping[Edge, Values]) -> list[Edge]:
    lefts = sorted({left for left, _ in edges})
    rights = sorted({right for _, right in edges})
    if len(lefts) > len(rights):
        flipped = {(right, left): values for (left, right), values in edges.items()}
        return [(left, right) for right, left in _best_of_component(flipped)]
    weights = _packed(edges, size=len(lefts))
    table = [[weights.get((left, right), 0) for right in rights] for left in lefts]
    pairs = [(lefts[i], rights[j]) for i, j in enumerate(_assignment(table))]
    return [pair for pair in pairs if pair in edges]


def _packed(edges: Mapping[Edge, Values], *, size: int) -> dict[Edge, int]:
    """Return an integer per edge whose sums over `size` edges order like the sums of values."""
    denominator = lcm(*(value.denominator for values in edges.values() for value in values))
    whole = {edge: [int(v * denominator) for v in values] for edge, values in edges.items()}
    # Sums of a lower level stay below one unit of the next higher level.
    spans = [size * max(level) + 1 for level in zip(*whole.values(), strict=True)]
    scales = [prod(spans[level + 1 :]) for level in range(len(spans))]
    return {
        edge: sum(value * scale for value, scale in zip(values, scales, strict=True))
        for edge, values in whole.items()
    }


def _assignment(weights: Sequence[Sequence[int]]) -> list[int]:
    """Return the column of each row in an assignment of maximum total weight.

    There must be at least as many columns as rows. The method is the Hungarian one with potentials
    and shortest augmenting paths (Kuhn 1955). It uses integers of any size, because scipy's floats
    would round these weights.
    """
    columns = len(weights[0])
    row_potential, column_potential = [0] * len(weights), [0] * (columns + 1)
    owner: list[int | None] = [None] * (columns + 1)  # paths start at the last column
    for row in range(len(weights)):
        owner[columns] = row
        _augment(weights, owner, row_potential, column_potential)
    column_of = {row: column for column, row in enumerate(owner[:columns]) if row is not None}
    return [column_of[row] for row in range(len(weights))]


def _augment(
    weights: Sequence[Sequence[int]],
    owner: list[int | None],
    row_potential: list[int],
    column_potential: list[int],
) -> None:
    columns = len(weights[0])
    reached = [columns]
    slack: dict[int, int] = {}
    came_from: dict[int, int] = {}
    free = dict.fromkeys(range(columns))
    here = columns
    while (row := owner[here]) is not None:
        for column in free:
            cost = -weights[row][column] - row_potential[row] - column_potential[column]
            if column not in slack or cost < slack[column]:
                slack[column], came_from[column] = cost, here
        nearest = min(free, key=slack.__getitem__)
        step = slack[nearest]
        for column in reached:
            row_potential[owner[column]] += step  # type: ignore[index]  # reached columns have owners
            column_potential[column] -= step
        for column in free:
            slack[column] -= step
        del free[nearest]
        reached.append(nearest)
        here = nearest
    while here != columns:
        owner[here] = owner[came_from[here]]
        here = came_from[here]
