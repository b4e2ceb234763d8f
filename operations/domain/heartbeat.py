"""The heartbeats of the queues, which prove that beat and a worker of each run."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from crowd.domain.provider.providers import unreachable
from crowd.enums import DEFAULT_PROVIDER
from jobs.enums import JobState
from jobs.models import Job
from operations.domain.queues import MAIN, MAX_MESSAGES, QUEUES, QueueState, queue_states
from operations.models import BackupRecord, Heartbeat

# Two missed heartbeats and some delay
MAX_AGE = timedelta(seconds=2.5 * settings.HEARTBEAT_SECONDS)
# Messages older than this have expired, so their queue is too slow or has no worker.
MAX_MESSAGE_AGE = timedelta(minutes=5)
# The worker may check the marketplace before a site that is starting answers.
START_TIME = timedelta(minutes=1)
FIRST_BEAT = timedelta(seconds=15)
_process_started = time.monotonic()


@dataclass(frozen=True, slots=True)
class StoppedQueue:
    """A queue that no worker serves, and the time of its last heartbeat."""

    name: str
    last_at: datetime | None

    def __str__(self) -> str:
        since = f"since {self.last_at:%Y-%m-%d %H:%M} UTC" if self.last_at else "yet"
        return (
            f"No heartbeat of the worker that {QUEUES[self.name]} (queue {self.name}) {since}. "
            "Check that this worker and beat run."
        )


def beat(*, queue: str, now: datetime) -> None:
    """Store the time, and for the main queue the result of a request to the marketplace."""
    fields: dict[str, object] = {"at": now}
    if queue == MAIN:
        problem = unreachable(DEFAULT_PROVIDER)[:200]
        last = main_heartbeat()
        since = last.marketplace_since if last else None
        fields["marketplace_problem"] = problem
        fields["marketplace_since"] = (since or now) if problem else None
    Heartbeat.objects.update_or_create(queue=queue, defaults=fields)


def start(*, queue: str, now: datetime) -> None:
    """Store that a worker has started to serve the queue."""
    Heartbeat.objects.update_or_create(queue=queue, defaults={"at": now})


def main_heartbeat() -> Heartbeat | None:
    return Heartbeat.objects.filter(queue=MAIN).first()


def stopped_queues(*, now: datetime) -> Iterator[StoppedQueue]:
    """Yield the queues without a fresh heartbeat. A long job or backup proves that its worker runs."""
    times = dict(Heartbeat.objects.values_list("queue", "at"))
    for name in QUEUES:
        last = times.get(name)
        if not _is_recent(last, now=now) and not _is_busy(name, now):
            yield StoppedQueue(name, last)


def late_queues(*, now: datetime) -> Iterator[QueueState]:
    """Yield the queues that are full or slow. Raise RedisError if Redis is out of reach.

    Messages wait during a long job or backup, and are dropped after it.
    """
    for state in queue_states():
        age = now - (state.oldest_at or now)
        is_late = state.length >= MAX_MESSAGES or age > MAX_MESSAGE_AGE
        if is_late and not _is_busy(state.name, now):
            yield state


def workers_may_be_starting() -> bool:
    """Return True if this process is so new that the workers may have started with it."""
    return time.monotonic() - _process_started < MAX_AGE.total_seconds()


def marketplace_outage(*, now: datetime) -> Heartbeat | None:
    """Return the last heartbeat if the marketplace was out of reach, or None.

    An old heartbeat proves nothing.
    """
    heartbeat = Heartbeat.objects.filter(queue=MAIN).exclude(marketplace_since=None).first()
    return heartbeat if is_fresh(heartbeat, now=now) else None


def may_be_starting(heartbeat: Heartbeat, *, now: datetime) -> bool:
    """Return True if the marketplace's problem is so new that the site may only be starting."""
    since = heartbeat.marketplace_since
    return since is not None and now - since < START_TIME


def is_missing(*, since: datetime, now: datetime) -> bool:
    """Return True if no worker runs that could do the jobs that wait `since` a time.

    The first worker of a site sends its first heartbeat when it starts.
    """
    last = Heartbeat.objects.filter(queue="jobs").first()
    if is_fresh(last, now=now) or _job_is_running(now):
        return False
    return last is not None or now - since > FIRST_BEAT


def is_fresh(heartbeat: Heartbeat | None, *, now: datetime) -> bool:
    return heartbeat is not None and _is_recent(heartbeat.at, now=now)


def _is_recent(at: datetime | None, *, now: datetime) -> bool:
    """Return True for times close to now. After the clock was set back, times can be in the future."""
    return at is not None and abs(now - at) <= MAX_AGE


def _is_busy(queue: str, now: datetime) -> bool:
    """Return True if the queue's worker does a task that may take long."""
    if queue == "jobs":
        return _job_is_running(now)
    if queue == "backups":
        return BackupRecord.objects.filter(leased_until__gte=now).exists()
    return False


def _job_is_running(now: datetime) -> bool:
    return Job.objects.filter(state=JobState.RUNNING, leased_until__gte=now).exists()
