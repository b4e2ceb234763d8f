"""Exact matching in a bipartite graph whose edges carry several values, the first one foremost."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import TypeVar

Edge = tuple[int, int]
Values = tuple[int | Fraction, ...]
Node = TypeVar("Node")


def lexicographic_matching(edges: Mapping[Edge, Values]) -> list[Edge]:
    """The one-to-one matching whose summed values are the greatest, compared level by level.

    `edges` maps (left, right), two independent numberings, to values >= 0, as many for each edge.
    Give every edge a 1 at first for a matching of maximum cardinality. The sums are compared in
    exact arithmetic, so no tie is decided by rounding; what is still tied falls to a fixed choice
    that depends on the numbering alone. Edges come back sorted. O(n^3) in the largest component.
    """
    chosen: list[Edge] = []
    for component in _components(edges):
        if is_star(component):
            chosen.append(max(component, key=edges.__getitem__))
        else:
            chosen += _best_of_component({edge: edges[edge] for edge in component})
    return sorted(chosen)


def _components(edges: Iterable[Edge]) -> list[list[Edge]]:
    """The edges, sorted, by connected component."""
    ordered = sorted(edges)
    # Right nodes are told from left ones by their sign.
    nodes = [left for left, _ in ordered] + [~right for _, right in ordered]
    groups = connected_components(nodes, [(left, ~right) for left, right in ordered])
    home = {node: at for at, group in enumerate(groups) for node in group}
    found: list[list[Edge]] = [[] for _ in groups]
    for edge in ordered:
        found[home[edge[0]]].append(edge)
    return found


def is_star(edges: Sequence[tuple[object, object]]) -> bool:
    """Whether all edges, at least one, meet in one node, so that only one can be chosen."""
    left, right = edges[0]
    return all(edge[0] == left for edge in edges) or all(edge[1] == right for edge in edges)


def connected_components(
    nodes: Iterable[Node], links: Iterable[tuple[Node, Node]]
) -> list[list[Node]]:
    """The nodes grouped by reachability over the links; in order of each group's first node."""
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
        for node in group:  # grows while it is walked
            fresh = [other for other in neighbours[node] if other not in seen]
            seen.update(fresh)
            group += dict.fromkeys(fresh)
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
    """One whole number per edge whose sums over `size` edges compare as the sums of values do."""
    denominator = lcm(*(value.denominator for values in edges.values() for value in values))
    whole = {edge: [int(v * denominator) for v in values] for edge, values in edges.items()}
    # No sum of a lower level reaches one unit of the level above it.
    spans = [size * max(level) + 1 for level in zip(*whole.values(), strict=True)]
    scales = [prod(spans[level + 1 :]) for level in range(len(spans))]
    return {
        edge: sum(value * scale for value, scale in zip(values, scales, strict=True))
        for edge, values in whole.items()
    }


def _assignment(weights: Sequence[Sequence[int]]) -> list[int]:
    """For each row its column in an assignment of maximum total weight; rows <= columns.

    The Hungarian method with potentials (Kuhn 1955; shortest augmenting paths), on whole numbers
    of any size: scipy's works in floats and would round these weights.
    """
    columns = len(weights[0])
    row_potential, column_potential = [0] * len(weights), [0] * (columns + 1)
    owner: list[int | None] = [None] * (columns + 1)  # the last column is where a path starts
    for row in range(len(weights)):
        owner[columns] = row
        _augment(weights, owner, row_potential, column_potential)
    found = {row: column for column, row in enumerate(owner[:columns]) if row is not None}
    return [found[row] for row in range(len(weights))]


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
            row_potential[owner[column]] += step  # type: ignore[index]  # reached ones are owned
            column_potential[column] -= step
        for column in free:
            slack[column] -= step
        del free[nearest]
        reached.append(nearest)
        here = nearest
    while here != columns:
        owner[here] = owner[came_from[here]]
        here = came_from[here]
