"""The queues of background tasks: their lengths, and how to empty them.

Redis is read with plain commands, because a full Redis refuses those in a transaction.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from django.conf import settings
from redis import Redis

# What the worker of a queue does, for messages to operators.
_PURPOSES = {
    "celery": "publishes, records and pays",
    "outside": "sends mail and webhooks",
    "jobs": "runs imports, exports and rehearsals",
    "backups": "writes backups",
}
QUEUES = {queue.name: _PURPOSES[queue.name] for queue in settings.CELERY_TASK_QUEUES}
MAIN = "celery"
# Messages above which a queue accepts no more. Each repeats a sweep that beat requests again.
MAX_MESSAGES = 500
PUBLISHED_AT = "published_at"


@dataclass(frozen=True, slots=True)
class QueueState:
    """The number of waiting messages, and when the oldest was published, if that is known."""

    name: str
    length: int
    oldest_at: datetime | None


def queue_states() -> list[QueueState]:
    """Return the state of each queue. Raise RedisError if Redis is out of reach."""
    return [QueueState(name, length_of(name), _oldest_at(name)) for name in QUEUES]


def length_of(queue: str) -> int:
    if settings.REDIS_URL:
        return int(_redis(settings.REDIS_URL).llen(queue))
    return sum(1 for _ in _files(queue))


def empty(queue: str) -> int:
    """Delete the waiting messages of the queue. Return their number."""
    length = length_of(queue)
    if settings.REDIS_URL:
        _redis(settings.REDIS_URL).delete(queue)
    for path in () if settings.REDIS_URL else list(_files(queue)):
        path.unlink(missing_ok=True)
    return length


def _oldest_at(queue: str) -> datetime | None:
    if settings.REDIS_URL:
        message = _redis(settings.REDIS_URL).lindex(queue, -1)
        try:
            seconds = json.loads(message)["headers"][PUBLISHED_AT]  # type: ignore[arg-type]
        except (TypeError, ValueError, KeyError):
            return None
    else:
        first = min((path.name for path in _files(queue)), default="")
        if not first:
            return None
        seconds = int(first.partition("_")[0]) / 1e9
    return datetime.fromtimestamp(seconds, UTC)


def _files(queue: str) -> Iterator[Path]:
    folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"])
    return folder.glob(f"[0-9]*.{queue}.msg")


@cache
def _redis(url: str) -> Redis:
    return Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
