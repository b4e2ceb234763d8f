"""What a monitor watches, read from the tables when it asks: the same from every process."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Min, Q
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from crowd.domain.hold_publishing import standing_hold
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Assignment, Hit, Payment
from operation.models import TaskTally

DUE = [PaymentState.PENDING, PaymentState.SENT]
UNDER_WAY = [*DUE, PaymentState.HELD, PaymentState.FAILED]


class Figures(Collector):
    """A Prometheus collector; the number of queries does not depend on the tables' size."""

    def __init__(self, *, now: datetime) -> None:
        self._now = now

    def collect(self) -> Iterator[Metric]:
        yield _gauge("hits", "HITs that are not finished", "state", _hits())
        yield _gauge("payments", "Payments that are not confirmed", "state", _payments())
        yield _gauge(
            "queue_age_seconds", "How long the oldest row has waited", "queue", self._ages()
        )
        held = GaugeMetricFamily("touchstone_publishing_held", "1 while no HIT may be made")
        held.add_metric([], 1.0 if standing_hold() else 0.0)
        yield held
        yield from _tasks()

    def _ages(self) -> dict[str, float]:
        waiting = {
            "hits": Hit.objects.to_create().aggregate(at=Min("prepared_at")),
            "assignments": Assignment.objects.unrecorded().aggregate(at=Min("submitted_at")),
            "rejections": Assignment.objects.filter(state=AssignmentState.REJECTING).aggregate(
                at=Min("submitted_at")
            ),
            "payments": Payment.objects.filter(state__in=DUE).aggregate(at=Min("intended_at")),
        }
        return {
            name: max(0.0, (self._now - row["at"]).total_seconds()) if row["at"] else 0.0
            for name, row in waiting.items()
        }


def _hits() -> dict[str, float]:
    wanted = Q(state__in=[HitState.PENDING, HitState.LIVE, HitState.FAILED])
    rows = Hit.objects.filter(wanted).order_by().values_list("state").annotate(n=Count("pk"))
    found: dict[str, float] = dict(rows)
    return {
        state: found.get(state, 0) for state in (HitState.PENDING, HitState.LIVE, HitState.FAILED)
    }


def _payments() -> dict[str, float]:
    rows = Payment.objects.filter(state__in=UNDER_WAY).order_by().values_list("state")
    found: dict[str, float] = dict(rows.annotate(n=Count("pk")))
    return {state: found.get(state, 0) for state in UNDER_WAY}


def _gauge(name: str, words: str, label: str, values: dict[str, float]) -> Metric:
    family = GaugeMetricFamily(f"touchstone_{name}", words, labels=[label])
    for key, value in values.items():
        family.add_metric([str(key)], value)
    return family


def _tasks() -> Iterator[Metric]:
    runs = CounterMetricFamily(
        "touchstone_tasks", "Background tasks run", labels=["task", "outcome"]
    )
    seconds = CounterMetricFamily(
        "touchstone_task_seconds", "Seconds spent in them", labels=["task", "outcome"]
    )
    for one in TaskTally.objects.order_by("task", "outcome"):
        runs.add_metric([one.task, one.outcome], one.runs)
        seconds.add_metric([one.task, one.outcome], one.seconds)
    yield runs
    yield seconds
