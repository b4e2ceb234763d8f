"""Health checks without secrets.

Coroutines use the request's connection to the database. They run once `Database` has succeeded.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from asgiref.sync import sync_to_async
from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.db import Error, connection
from django.utils import timezone
from health_check.base import HealthCheck
from health_check.exceptions import ServiceUnavailable
from redis.exceptions import RedisError

from audit.domain.data_version import problem_of_data
from crowd.domain.provider.hold_publishing import active_hold
from jobs.models import SweepFailure
from operations.domain.alerts import low_disks
from operations.domain.heartbeat import (
    StoppedQueue,
    is_fresh,
    late_queues,
    main_heartbeat,
    stopped_queues,
)
from operations.domain.locks import blockers
from operations.domain.queues import QueueState
from operations.domain.scheduled_backups import overdue
from operations.domain.stored_files import StorageError, check_storage
from touchstone.program import as_called

# A row that fails for longer than this needs an operator.
FAILING_AFTER = timedelta(minutes=10)


@dataclass
class Database(HealthCheck):
    """A check that the database answers a new connection in time."""

    timeout = timedelta(seconds=3)

    def run(self) -> None:
        try:
            with connection.temporary_connection() as cursor:
                cursor.execute("SELECT 1")
        except Error as error:
            raise ServiceUnavailable(type(error).__name__) from error


@dataclass
class StaticFiles(HealthCheck):
    """A check that this host has the static files that its pages link to."""

    async def run(self) -> None:
        storage = staticfiles_storage
        if not isinstance(storage, ManifestFilesMixin):
            return  # WhiteNoise finds the files in their sources
        names = storage.hashed_files.values()
        if not names or not all(storage.exists(name) for name in names):
            raise ServiceUnavailable(
                as_called("incomplete. Run manage.py collectstatic and restart")
            )


class _Files(HealthCheck):
    """A check that the storage of one kind of files writes, reads and deletes."""

    alias: ClassVar[str]

    def run(self) -> None:
        try:
            check_storage(self.alias)
        except StorageError as error:
            raise ServiceUnavailable(str(error)) from error


@dataclass
class Uploads(_Files):
    alias = "uploads"


@dataclass
class Exports(_Files):
    alias = "exports"


@dataclass
class Images(_Files):
    alias = "images"


@dataclass
class Disks(HealthCheck):
    """A check that the disks that this host sees have room."""

    async def run(self) -> None:
        if low := await sync_to_async(low_disks)():
            raise ServiceUnavailable(" ".join(low))


@dataclass
class Migrations(HealthCheck):
    """A check that this version can use the data."""

    async def run(self) -> None:
        if problem := await sync_to_async(problem_of_data)():
            raise ServiceUnavailable(problem)


@dataclass
class Locks(HealthCheck):
    """A check that no session has locked a table for long."""

    async def run(self) -> None:
        if found := await sync_to_async(blockers)():
            raise ServiceUnavailable(" ".join(map(str, found)))


@dataclass
class Workers(HealthCheck):
    """A check that a worker serves each queue."""

    async def run(self) -> None:
        if stopped := await sync_to_async(_stopped)():
            raise ServiceUnavailable(" ".join(map(str, stopped)))


def _stopped() -> list[StoppedQueue]:
    return list(stopped_queues(now=timezone.now()))


@dataclass
class Queues(HealthCheck):
    """A check that messages don't pile up."""

    async def run(self) -> None:
        try:
            late = await sync_to_async(_late)()
        except RedisError:
            raise ServiceUnavailable("Redis is out of reach") from None
        if late:
            lengths = ", ".join(f"{state.name} ({state.length} messages)" for state in late)
            raise ServiceUnavailable(f"late: {lengths}. Check their workers")


def _late() -> list[QueueState]:
    return list(late_queues(now=timezone.now()))


@dataclass
class Marketplace(HealthCheck):
    """A check of the worker's last probe, so that no request waits for another site."""

    async def run(self) -> None:
        heartbeat = await sync_to_async(main_heartbeat)()
        if heartbeat is None or not is_fresh(heartbeat, now=timezone.now()):
            raise ServiceUnavailable("not checked recently. See workers")
        if heartbeat.marketplace_problem:
            raise ServiceUnavailable(heartbeat.marketplace_problem)


@dataclass
class Publishing(HealthCheck):
    """A check that never fails, because the site works while publishing is on hold."""

    async def run(self) -> None:
        self._is_held = bool(await sync_to_async(active_hold)())

    def pretty_status(self) -> str:
        on_hold = as_called("on hold. Run manage.py recover_hits")
        return on_hold if self._is_held else super().pretty_status()


@dataclass
class Sweeps(HealthCheck):
    """A check for rows that a sweep repeatedly fails to process."""

    async def run(self) -> None:
        failures = SweepFailure.objects.filter(
            set_aside_at=None, first_failed_at__lte=timezone.now() - FAILING_AFTER
        )
        if count := await failures.acount():
            first = await failures.order_by("first_failed_at").afirst()
            raise ServiceUnavailable(f"failing rows: {count}, first {first}")


@dataclass
class Backups(HealthCheck):
    """A check of the ages of the last good backups and drills."""

    async def run(self) -> None:
        if sentences := await sync_to_async(overdue)(now=timezone.now()):
            raise ServiceUnavailable(" ".join(sentences.values()))
