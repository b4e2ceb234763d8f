"""The contract of a protocol."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.db.models import QuerySet

from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case
from crowd.models import Worker
from projects.enums import Role
from projects.models import Project
from schemes.contract.items import ItemContext
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

Parse = Callable[[object, ItemContext, Sequence[Json]], Json]


class WriteDueGold(Protocol):
    """Write the gold of up to `limit` finished cases. Return the number written."""

    def __call__(self, *, clock: Callable[[], datetime], limit: int = 50) -> int: ...


@dataclass(frozen=True, slots=True)
class CaseProtocol:
    """How generations become gold.

    People with `role` work on an item's case on `page` (a view name). A case has the state `settled`
    once it has its gold from `gold_source`. With `has_single_source`, only the first generation is a
    source. `parser` returns the scheme's parser of their content.

    `is_empty` is True for sources that leave nothing to work on. `short_cases` returns a project's
    published cases that lack work and have none to come, or those of all projects. `missing` returns
    how many people such a case lacks, and the reason. `also_excluded` returns workers who may not work
    on the case again. With `counts_experts`, the expert gold of disputed items belongs to the
    project's own gold. `describe` explains the protocol's numbers, and `least_workers` is the
    number of workers with which every item of the project can be finished.
    """

    name: str
    role: Role
    page: str
    gold_source: GoldSource
    settled: CaseState
    has_single_source: bool
    parser: Callable[[Scheme], Parse]
    is_empty: Callable[[Scheme, Sequence[Json]], bool]
    write_due_gold: WriteDueGold
    short_cases: Callable[[Project | None, datetime], QuerySet[Case]]
    missing: Callable[[Case], tuple[int, str]]
    also_excluded: Callable[[Case], QuerySet[Worker]]
    describe: Callable[[Project], str]
    least_workers: Callable[[Project], int]
    counts_experts: bool = False
