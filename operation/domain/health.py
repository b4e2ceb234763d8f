"""Whether this installation can do its work, part by part. Nothing told here is a secret."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from redis import Redis
from redis.exceptions import RedisError

from crowd.domain.hold_publishing import standing_hold
from operation.domain.signs import MARKETPLACE, OLDEST, WORKER
from operation.models import Sign

TIMEOUT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Part:
    """`told` says what fails, in words for whoever is called at night; well parts may say something,
    too."""

    well: bool
    told: str = ""


def check_parts(*, now: datetime, wanted: frozenset[str] = frozenset()) -> dict[str, Part]:
    """The parts by name, all of them or those wanted. Unknown names are left out."""
    return {name: check(now) for name, check in CHECKS.items() if not wanted or name in wanted}


def _database(now: datetime) -> Part:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return Part(False, "the database does not answer")
    return Part(True)


# Once the tables are this version's they stay so for as long as this process runs.
_up_to_date = False


def _migrations(now: datetime) -> Part:
    global _up_to_date  # noqa: PLW0603
    if _up_to_date:
        return Part(True)
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return Part(False, "the database does not answer")
    _up_to_date = not missing
    return Part(_up_to_date, "" if _up_to_date else f"{len(missing)} to apply: manage.py migrate")


def _broker(now: datetime) -> Part:
    if not settings.REDIS_URL:
        folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"])
        can = folder.is_dir() and os.access(folder, os.W_OK)
        return Part(can, "" if can else "the queue's folder can't be written")
    try:
        with Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=TIMEOUT_SECONDS,
            socket_connect_timeout=TIMEOUT_SECONDS,
        ) as client:
            client.ping()
    except (RedisError, OSError):
        return Part(False, "Redis does not answer")
    return Part(True)


def _worker(now: datetime) -> Part:
    sign = _sign(WORKER)
    if sign is None:
        return Part(False, "no sign of a worker yet: do worker and beat run?")
    if now - sign.at > OLDEST:
        return Part(
            False, f"no sign since {sign.at:%Y-%m-%d %H:%M:%S} UTC: do worker and beat run?"
        )
    return Part(True)


def _marketplace(now: datetime) -> Part:
    """As the worker saw it last: no request waits for another site's answer."""
    sign = _sign(MARKETPLACE)
    if sign is None or now - sign.at > OLDEST:
        return Part(False, "nobody has looked lately: see worker")
    return Part(sign.well, sign.told)


def _publishing(now: datetime) -> Part:
    """Held is not broken: the site works, and waits for a person."""
    try:
        hold = standing_hold()
    except DatabaseError:
        return Part(False, "the database does not answer")
    return Part(True, "held: run manage.py recover_hits" if hold else "")


def _sign(part: str) -> Sign | None:
    try:
        return Sign.objects.filter(part=part).first()
    except DatabaseError:
        return None


CHECKS: dict[str, Callable[[datetime], Part]] = {
    "database": _database,
    "migrations": _migrations,
    "broker": _broker,
    "worker": _worker,
    "marketplace": _marketplace,
    "publishing": _publishing,
}
