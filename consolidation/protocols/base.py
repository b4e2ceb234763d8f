"""The contract of a protocol."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import datetime

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


class CaseProtocol(ABC):
    """How generations become gold.

    People with `role` work on an item's case on `page` (a view name). A case has the state `settled`
    once it has its gold from `gold_source`. With `has_single_source`, only the first generation is a
    source. With `counts_experts`, the expert gold of disputed items belongs to the project's own gold.
    """

    name: str
    role: Role
    page: str
    gold_source: GoldSource
    settled: CaseState
    has_single_source: bool = False
    counts_experts: bool = False

    @abstractmethod
    def parser(self, scheme: Scheme) -> Parse:
        """Return the scheme's parser of the content of people who work on cases."""

    @abstractmethod
    def write_due_gold(self, *, clock: Callable[[], datetime], limit: int = 50) -> int:
        """Write the gold of up to `limit` finished cases. Return the number written."""

    @abstractmethod
    def short_cases(self, project: Project | None, now: datetime) -> QuerySet[Case]:
        """Return published cases of the project that lack work and have none to come.

        Without a project, return those of all projects.
        """

    @abstractmethod
    def missing(self, case: Case) -> tuple[int, str]:
        """Return how many people a case of `short_cases` lacks, and the reason."""

    @abstractmethod
    def min_workers(self, project: Project) -> int:
        """Return the number of workers with which every item of the project can be finished."""

    def is_empty(self, scheme: Scheme, sources: Sequence[Json]) -> bool:
        """Return True for sources that leave nothing to work on."""
        return False

    def also_excluded(self, case: Case) -> QuerySet[Worker]:
        """Return workers who may not work on the case again, apart from its generators."""
        return Worker.objects.none()

    def describe(self, project: Project) -> str:
        """Explain the protocol's numbers, or return "" if it has none."""
        return ""
