"""Metrics that are read from the database, so that all processes return the same values."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db.models import Count, Min, Model
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from crowd.domain.hold_publishing import active_hold
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Assignment, Hit, Payment
from operations.domain.scheduled_backups import ages as backup_ages
from operations.models import TaskStats

DUE = [PaymentState.PENDING, PaymentState.SENT]
UNFINISHED = [HitState.PENDING, HitState.LIVE, HitState.FAILED]
UNDER_WAY = [*DUE, PaymentState.HELD, PaymentState.REVIEW, PaymentState.FAILED]


class Figures(Collector):
    """A Prometheus collector whose number of queries does not depend on the number of rows."""

    def __init__(self, *, now: datetime) -> None:
        self._now = now

    def collect(self) -> Iterator[Metric]:
        yield _gauge("hits", "HITs that are not finished", "state", _counts(Hit, UNFINISHED))
        yield _gauge(
            "payments", "Payments that are not confirmed", "state", _counts(Payment, UNDER_WAY)
        )
        ages = queue_ages(now=self._now)
        yield _gauge("queue_age_seconds", "Age of the oldest row", "queue", ages)
        held = GaugeMetricFamily("touchstone_publishing_held", "1 while publishing is on hold")
        held.add_metric([], 1.0 if active_hold() else 0.0)
        yield held
        done = {
            kind.value: age.total_seconds()
            for kind, age in backup_ages(now=self._now).items()
            if age is not None
        }
        yield _gauge("backup_age_seconds", "Age of the last good backup or drill", "kind", done)
        yield from _tasks()


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
    return {
        name: max(0.0, (now - row["at"]).total_seconds()) if row["at"] else 0.0
        for name, row in waiting.items()
    }


def _counts(model: type[Model], states: Iterable[str]) -> dict[str, float]:
    rows = model._default_manager.filter(state__in=states).order_by()
    counts = dict(rows.values_list("state").annotate(count=Count("pk")))
    return {state: counts.get(state, 0) for state in states}


def _gauge(name: str, description: str, label: str, values: dict[str, float]) -> Metric:
    family = GaugeMetricFamily(f"touchstone_{name}", description, labels=[label])
    for key, value in values.items():
        family.add_metric([str(key)], value)
    return family


def _tasks() -> Iterator[Metric]:
    runs = CounterMetricFamily(
        "touchstone_tasks", "Background tasks run", labels=["task", "outcome"]
    )
    seconds = CounterMetricFamily(
        "touchstone_task_seconds", "Seconds spent in background tasks", labels=["task", "outcome"]
    )
    for stats in TaskStats.objects.order_by("task", "outcome"):
        runs.add_metric([stats.task, stats.outcome], stats.runs)
        seconds.add_metric([stats.task, stats.outcome], stats.seconds)
    yield runs
    yield seconds
