"""Metrics that are read from the database, so that all processes return the same values."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from django.conf import settings
from django.db import OperationalError, connection
from django.db.models import Count, Min, Model, Q
from django.utils.module_loading import import_string
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from crowd.domain.provider.hold_publishing import active_hold
from crowd.enums import AssignmentState, GrantState, HitState, MailState, MessageState, PaymentState
from crowd.models import (
    Assignment,
    Budget,
    Hit,
    Mail,
    Message,
    Payment,
    ProviderAccount,
    QualificationGrant,
)
from jobs.enums import JobState
from jobs.models import Job, SweepFailure
from operations.domain.disks import database_bytes, disks
from operations.domain.heartbeat import stopped_queues
from operations.domain.queues import QUEUES, queue_states
from operations.domain.scheduled_backups import ages as backup_ages
from operations.models import Alert, Heartbeat, TaskStats

log = logging.getLogger("touchstone.metrics")

# How long a scrape waits for a lock
LOCK_MS = 300
DUE = [PaymentState.PENDING, PaymentState.SENT]
UNFINISHED = [HitState.PENDING, HitState.LIVE, HitState.FAILED]
UNDER_WAY = [*DUE, PaymentState.HELD, PaymentState.REVIEW, PaymentState.FAILED]


class Figures(Collector):
    """A Prometheus collector whose number of queries does not depend on the number of rows.

    Metrics that the database refuses, such as those of a locked table, are left out and counted.
    """

    def __init__(self, *, now: datetime) -> None:
        self._now = now

    def collect(self) -> Iterator[Metric]:
        failed = 0
        with _short_locks():
            for collect in (*_SOURCES, *map(import_string, settings.FIGURES)):
                try:
                    yield from list(collect(self._now))
                except (OperationalError, RedisError) as error:
                    failed += 1
                    log.warning("%s: no metrics: %s", collect.__qualname__, error)
        yield _single("missing_metrics", "Sources of metrics that failed", failed)


@contextmanager
def _short_locks() -> Iterator[None]:
    """Wait for locks only shortly, because a scrape must not take longer than a few seconds."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_MS}ms'")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")


def _work(now: datetime) -> Iterator[Metric]:
    yield _gauge("hits", "HITs that are not finished", "state", _counts(Hit, UNFINISHED))
    yield _gauge(
        "payments", "Payments that are not confirmed", "state", _counts(Payment, UNDER_WAY)
    )
    yield _gauge("queue_age_seconds", "Age of the oldest row", "queue", queue_ages(now=now))
    yield _single("publishing_held", "1 while publishing is on hold", bool(active_hold()))


def _outboxes(now: datetime) -> Iterator[Metric]:
    """Yield the rows that wait to be sent to other servers, or that those refused."""
    kinds: dict[str, tuple[type[Model], list[str]]] = {
        "message": (Message, [MessageState.PENDING, MessageState.FAILED]),
        "mail": (Mail, [MailState.PENDING, MailState.FAILED, MailState.UNCERTAIN]),
        "grant": (QualificationGrant, [GrantState.PENDING, GrantState.REVOKING, GrantState.FAILED]),
    }
    family = _family("outbox", "Rows to be sent, or refused by another server", "kind", "state")
    for kind, (model, states) in kinds.items():
        for state, count in _counts(model, states).items():
            family.add_metric([kind, str(state)], count)
    yield family


def _failures(now: datetime) -> Iterator[Metric]:
    rows = SweepFailure.objects.order_by().values("sweep")
    counts = rows.annotate(
        failing=Count("pk", filter=Q(set_aside_at=None)),
        aside=Count("pk", filter=~Q(set_aside_at=None)),
        oldest=Min("first_failed_at", filter=Q(set_aside_at=None)),
    )
    failing = _family("failing_rows", "Rows that a sweep can't process", "sweep")
    aside = _family("rows_set_aside", "Failing rows that a person set aside", "sweep")
    age = _family("failing_row_age_seconds", "Time since the oldest first failed", "sweep")
    for row in counts:
        failing.add_metric([row["sweep"]], row["failing"])
        aside.add_metric([row["sweep"]], row["aside"])
        age.add_metric([row["sweep"]], _age(row["oldest"], now))
    yield from (failing, aside, age)


def _jobs(now: datetime) -> Iterator[Metric]:
    family = _family("jobs", "Jobs by kind and state", "kind", "state")
    counts = Job.objects.order_by().values_list("kind", "state").annotate(count=Count("pk"))
    for kind, state, count in counts:
        family.add_metric([kind, state], count)
    yield family
    oldest = Job.objects.filter(state=JobState.QUEUED).aggregate(at=Min("requested_at"))["at"]
    yield _single("job_queue_age_seconds", "Age of the oldest queued job", _age(oldest, now))


def _money(now: datetime) -> Iterator[Metric]:
    """Yield each project's money in cents. A project without a limit has no `left`."""
    family = _family("money_cents", "Money of a project, with fees", "project", "kind")
    for budget in Budget.objects.order_by("key"):
        family.add_metric([budget.key, "reserved"], budget.reserved_cents)
        family.add_metric([budget.key, "paid"], budget.spent_cents)
        if budget.cap_cents is not None:
            left = budget.cap_cents - budget.reserved_cents - budget.spent_cents
            family.add_metric([budget.key, "left"], left)
    yield family
    accounts = ProviderAccount.objects.exclude(balance_cents=None)
    balances = {account.provider: float(account.balance_cents or 0) for account in accounts}
    yield _gauge("balance_cents", "Balance of our account at a provider", "provider", balances)


def _heartbeats(now: datetime) -> Iterator[Metric]:
    last = Heartbeat.objects.values_list("queue", "at")
    beats = {queue: at.timestamp() for queue, at in last}
    yield _gauge("heartbeat_timestamp_seconds", "Last heartbeat of a worker", "queue", beats)
    stopped = {queue.name for queue in stopped_queues(now=now)}
    values = {name: float(name in stopped) for name in QUEUES}
    yield _gauge("worker_stopped", "1 for each queue without a running worker", "queue", values)


def _messages(now: datetime) -> Iterator[Metric]:
    states = queue_states()
    lengths = {state.name: float(state.length) for state in states}
    yield _gauge("messages", "Messages that wait for a worker", "queue", lengths)
    ages = {state.name: _age(state.oldest_at, now) for state in states}
    yield _gauge("message_age_seconds", "Age of the oldest waiting message", "queue", ages)


def _storage(now: datetime) -> Iterator[Metric]:
    found = list(disks())
    free = {disk.name: float(disk.free) for disk in found}
    total = {disk.name: float(disk.total) for disk in found}
    yield _gauge("disk_free_bytes", "Free space of a disk that this host sees", "disk", free)
    yield _gauge("disk_bytes", "Size of a disk that this host sees", "disk", total)
    yield _single("database_bytes", "Size of the database", database_bytes())
    alerts = Alert.objects.exclude(opened_at=None).values_list("key", flat=True)
    yield _gauge("alert", "1 for each open alert", "alert", dict.fromkeys(alerts, 1.0))


def _backups(now: datetime) -> Iterator[Metric]:
    done = {
        kind.value: age.total_seconds()
        for kind, age in backup_ages(now=now).items()
        if age is not None
    }
    yield _gauge("backup_age_seconds", "Age of the last good backup or drill", "kind", done)


def _age(at: datetime | None, now: datetime) -> float:
    return max(0.0, (now - at).total_seconds()) if at else 0.0


def queue_ages(*, now: datetime) -> dict[str, float]:
    """Return the seconds that the oldest row of each queue has been waiting, 0 for empty queues."""
    waiting = {
        "hits": Hit.objects.to_create().aggregate(at=Min("prepared_at")),
        "assignments": Assignment.objects.unrecorded().aggregate(at=Min("submitted_at")),
        "rejections": Assignment.objects.filter(state=AssignmentState.REJECTING).aggregate(
            at=Min("submitted_at")
        ),
        "payments": Payment.objects.filter(state__in=DUE).aggregate(at=Min("intended_at")),
    }
    return {name: _age(row["at"], now) for name, row in waiting.items()}


def _counts(model: type[Model], states: Iterable[str]) -> dict[str, float]:
    rows = model._default_manager.filter(state__in=states).order_by()
    counts = dict(rows.values_list("state").annotate(count=Count("pk")))
    return {state: counts.get(state, 0) for state in states}


def _family(name: str, description: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"touchstone_{name}", description, labels=labels)


def _gauge(name: str, description: str, label: str, values: Mapping[str, float]) -> Metric:
    family = _family(name, description, label)
    for key, value in values.items():
        family.add_metric([str(key)], value)
    return family


def _single(name: str, description: str, value: float) -> Metric:
    family = _family(name, description)
    family.add_metric([], float(value))
    return family


def _tasks(now: datetime) -> Iterator[Metric]:
    labels = ["task", "outcome"]
    runs = CounterMetricFamily("touchstone_tasks", "Background tasks run", labels=labels)
    seconds = CounterMetricFamily(
        "touchstone_task_seconds", "Seconds spent in background tasks", labels=labels
    )
    last = _family("task_last_run_timestamp_seconds", "End of the last run of a task", *labels)
    for stats in TaskStats.objects.order_by("task", "outcome"):
        key = [stats.task, stats.outcome]
        runs.add_metric(key, stats.runs)
        seconds.add_metric(key, stats.seconds)
        if stats.last_run_at:
            last.add_metric(key, stats.last_run_at.timestamp())
    yield from (runs, seconds, last)


_SOURCES: tuple[Callable[[datetime], Iterator[Metric]], ...] = (
    _work,
    _outboxes,
    _failures,
    _jobs,
    _money,
    _heartbeats,
    _messages,
    _storage,
    _backups,
    _tasks,
)
