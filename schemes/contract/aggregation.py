"""Aggregation of several workers' annotations without a person who merges them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class WorkerContent:
    """A worker's content of an item, which was parsed. `item` is any name of the item."""

    item: str
    worker: str
    content: Json


@dataclass(frozen=True, slots=True)
class AggregatedContent:
    """The aggregated content of an item.

    `posteriors` has the probability of each part of the content, in the same order, and `provenance`
    that of each unit, for gold. `workers` is the number of people who annotated the item.
    """

    content: Json
    posteriors: Json
    provenance: list[Json]
    workers: int


class Aggregation(Protocol):
    """Aggregation by one of several methods.

    `rules` maps the names of methods to those of their rules, which are stored with gold. The first
    method is the default.
    """

    rules: Mapping[str, str]

    @property
    def methods(self) -> Sequence[str]:
        return list(self.rules)

    def aggregate(
        self, contents: Iterable[WorkerContent], *, method: str
    ) -> Mapping[str, AggregatedContent]:
        """Return the aggregated content of each item.

        Of several contents of a worker, the last one counts.
        """
        ...
