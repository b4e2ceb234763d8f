"""Likeness of answers of any form, and people whose answers are more alike than by chance."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import exp, fsum, lgamma, log
from typing import Any

# Answers with at least this likeness are nearly identical.
NEAR = 0.9
# The share of the whole project counts as much as this number of pairs of the item.
PRIOR_PAIRS = 2
_WORD = re.compile(r"\w+")

Bag = Counter[str]


@dataclass(frozen=True, slots=True)
class AlikePair:
    """Two people with the number of items that both answered, and of those answered nearly identically.

    `p_value` is the probability of as many by chance, times the number of pairs that were compared
    (Bonferroni), at most 1.
    """

    people: tuple[int, int]
    near: int
    items: int
    p_value: float


def parts_of(content: Any) -> Bag:
    """Return the parts of an answer in JSON, each with the name of its field.

    Parts are the words and pairs of neighbouring words of texts, numbers, and whole lists of numbers,
    such as spans and boxes. Null, false and empty values are no parts.
    """
    return Counter(_parts(content, ""))


def _parts(content: Any, name: str) -> Iterable[str]:
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _parts(value, str(key))
    elif isinstance(content, list):
        if content and all(isinstance(value, int | float) for value in content):
            yield f"{name}={content}"
            return
        for value in content:
            yield from _parts(value, name)
    elif isinstance(content, str):
        words = _WORD.findall(content.casefold())
        yield from (f"{name}:{word}" for word in words)
        yield from (f"{name}:{first} {second}" for first, second in pairwise(words))
    elif content:
        yield f"{name}={content}"


def likeness(one: Bag, other: Bag) -> float | None:
    """Return the share of parts that two answers have in common (Dice 1945), in [0, 1].

    It is None if an answer has no parts.
    """
    if not one or not other:
        return None
    return 2 * (one & other).total() / (one.total() + other.total())


def alike_pairs(answers: Mapping[int, Mapping[int, Bag]], *, min_items: int) -> list[AlikePair]:
    """Return the pairs of people with at least `min_items` common items, by p-value.

    `answers` maps items to the answers by person. The chance that an item is answered nearly identically
    is the share of the item's other pairs, mixed with the share of all pairs without the two people.
    """
    near = {item: _near_pairs(people) for item, people in answers.items()}
    common: dict[tuple[int, int], list[int]] = defaultdict(list)
    for item, pairs in near.items():
        for pair in pairs:
            common[pair].append(item)
    compared = {pair: items for pair, items in common.items() if len(items) >= min_items}
    everyone = _Shares(near)
    found = []
    for pair, items in compared.items():
        hits = sum(near[item][pair] for item in items)
        whole = everyone.without(pair)
        chance = fsum(_chance(near[item], pair, whole) for item in items) / len(items)
        p_value = min(1.0, binomial_tail(hits, len(items), chance) * len(compared))
        found.append(AlikePair(pair, hits, len(items), p_value))
    return sorted(found, key=lambda row: (row.p_value, row.people))


def _near_pairs(people: Mapping[int, Bag]) -> dict[tuple[int, int], bool]:
    """Return whether each pair of people answered an item nearly identically."""
    pairs = {}
    for one, other in combinations(sorted(people), 2):
        value = likeness(people[one], people[other])
        if value is not None:
            pairs[one, other] = value >= NEAR
    return pairs


class _Shares:
    """The share of nearly identical pairs, without those of two people."""

    def __init__(self, near: Mapping[int, Mapping[tuple[int, int], bool]]) -> None:
        self._all = [0, 0]
        self._of: dict[int | tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        for pairs in near.values():
            for pair, is_near in pairs.items():
                for counts in (self._all, self._of[pair[0]], self._of[pair[1]], self._of[pair]):
                    counts[0] += is_near
                    counts[1] += 1

    def without(self, pair: tuple[int, int]) -> float:
        """Return the share, as if one further pair were half identical."""
        hits, total = (
            self._all[at] - self._of[pair[0]][at] - self._of[pair[1]][at] + self._of[pair][at]
            for at in (0, 1)
        )
        return (hits + 0.5) / (total + 1)


def _chance(pairs: Mapping[tuple[int, int], bool], pair: tuple[int, int], whole: float) -> float:
    others = [is_near for people, is_near in pairs.items() if not {*people} & {*pair}]
    return (sum(others) + PRIOR_PAIRS * whole) / (len(others) + PRIOR_PAIRS)


def binomial_tail(hits: int, of: int, share: float) -> float:
    """Return the probability of at least `hits` successes in `of` trials of probability `share`."""
    if hits <= 0:
        return 1.0
    if hits > of or share <= 0.0:
        return 0.0
    if share >= 1.0:
        return 1.0
    return min(1.0, fsum(_probability(k, of, share) for k in range(hits, of + 1)))


def _probability(hits: int, of: int, share: float) -> float:
    ways = lgamma(of + 1) - lgamma(hits + 1) - lgamma(of - hits + 1)
    return exp(ways + hits * log(share) + (of - hits) * log(1 - share))
