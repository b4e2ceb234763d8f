"""Alerts about workers with low coverage (Roit et al. 2020, section 3) or falling agreement."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from annotation.models import Submission
from audit.domain.change_state import log_state_change
from crowd.models import Worker
from jobs.domain.sweep import for_each_row
from metrics.drift import BLOCK, has_fallen
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.scores.gold_comparisons import WINDOW, gold_comparisons_of, main_figure
from qualification.enums import AlertKind
from qualification.models import Alert
from schemes.contract.scheme import Scheme
from schemes.figures import Figure, Measure

GRACE_ITEMS = 15
MIN_SHOWN = 0.0001
# A project without submissions for this time is not monitored.
AT_REST = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Coverage:
    """A worker's numbers of items, units and active seconds in production.

    `flagged` is True for fewer than `least` per item on average after at least GRACE_ITEMS items.
    """

    worker: Worker
    items: int
    units: int
    seconds: int
    least: float

    @property
    def seconds_per_item(self) -> float:
        return self.seconds / self.items

    @property
    def per_item(self) -> float:
        return self.units / self.items

    @property
    def flagged(self) -> bool:
        return self.items >= GRACE_ITEMS and self.units < self.least * self.items


def coverage_of_pool(*, project: Project) -> list[Coverage]:
    """Return all production generators by usable units per item, fewest first."""
    return _covered(scheme_of(project), _items_and_units(project))


def _covered(scheme: Scheme, numbers: Mapping[int, tuple[int, int, int]]) -> list[Coverage]:
    workers = Worker.objects.in_bulk(numbers)
    least = scheme.content.min_units
    rows = [Coverage(workers[pk], *numbers[pk], least) for pk in numbers if pk in workers]
    return sorted(rows, key=lambda row: (row.per_item, row.worker.pk))


def _items_and_units(project: Project) -> dict[int, tuple[int, int, int]]:
    """Return the numbers of items, units and active seconds by worker id."""
    rows = Submission.objects.live().filter(
        item__project=project, item__in_production=True, role=Role.GENERATOR, problem=""
    )
    count = scheme_of(project).content.count_units
    items, units, seconds = Counter[int](), Counter[int](), Counter[int]()
    columns = "worker", "content", "active_seconds"
    submissions = rows.exclude(worker=None).order_by().values_list(*columns)
    for worker, content, active in submissions.iterator(chunk_size=2000):
        items[worker] += 1
        seconds[worker] += active
        units[worker] += count(content, Role.GENERATOR)
    return {pk: (items[pk], units[pk], seconds[pk]) for pk in items}


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A worker with coverage, open alerts, and the main figure over all and the last WINDOW items."""

    coverage: Coverage
    compared: int = 0
    overall: float | None = None
    lately: float | None = None
    alerts: list[Alert] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PoolFigures:
    """Figures of all production work, by worker id.

    `coverage` has the numbers of items, units and active seconds, and `agreement` the number of
    compared items with the main figure over all and over the last WINDOW. They are cached, so they hold
    no personal data.
    """

    coverage: dict[int, tuple[int, int, int]]
    agreement: dict[int, tuple[int, float | None, float | None]]


def pool_figures(*, project: Project) -> PoolFigures:
    """Compute the pool's figures, which reads every annotation of the project."""
    figure = main_figure(project)
    agreement = {
        worker: (len(own), figure.value(own), figure.value(own[-WINDOW:]))
        for worker, own in _measures_by_worker(project, figure).items()
    }
    return PoolFigures(_items_and_units(project), agreement)


def pool_rows(*, project: Project, figures: PoolFigures) -> list[PoolRow]:
    """Return the pool's workers with alerts first, then by units per item."""
    alerts: defaultdict[int, list[Alert]] = defaultdict(list)
    for alert in open_alerts(project=project):
        alerts[alert.worker_id].append(alert)
    rows = [
        PoolRow(
            coverage,
            *figures.agreement.get(coverage.worker.pk, (0, None, None)),
            alerts=alerts[coverage.worker.pk],
        )
        for coverage in _covered(scheme_of(project), figures.coverage)
    ]
    return sorted(rows, key=lambda row: not row.alerts)


def _measures_by_worker(project: Project, figure: Figure) -> Mapping[int, list[Measure]]:
    by_worker: defaultdict[int, list[Measure]] = defaultdict(list)
    rows = gold_comparisons_of(project=project).values_list("submission__worker", "measures")
    for worker, measures in rows.iterator(chunk_size=2000):
        by_worker[worker].append(measures[figure.key])
    return by_worker


def open_alerts(*, project: Project) -> list[Alert]:
    rows = Alert.objects.filter(project=project, acknowledged_at=None)
    return list(rows.select_related("worker").order_by("pk"))


def monitor_pools(*, clock: Callable[[], datetime]) -> int:
    """Monitor all projects with recent submissions, and return how many alerts were raised."""
    now = clock()
    at_work = Submission.objects.filter(
        item__in_production=True, role=Role.GENERATOR, submitted_at__gte=now - AT_REST
    )
    projects = Project.objects.filter(pk__in=at_work.values("item__project"))
    return for_each_row(
        sweep="watch pools",
        rows=projects.order_by("pk"),
        process=lambda project, now: monitor_pool(project=project, now=now),
        clock=clock,
    )


def monitor_pool(*, project: Project, now: datetime) -> int:
    """Raise due alerts, and return how many. Repeated calls raise no more."""
    rows = Alert.objects.filter(project=project).order_by("pk")
    known = {(alert.worker_id, alert.kind): alert for alert in rows}
    alerts = [*_coverage_alerts(project, known), *_drift_alerts(project, known)]
    return sum(_raise(alert, now) for alert in alerts)


Known = Mapping[tuple[int, str], Alert]


def _coverage_alerts(project: Project, known: Known) -> Iterator[Alert]:
    units = scheme_of(project).vocabulary.unit.plural
    for coverage in coverage_of_pool(project=project):
        last = known.get((coverage.worker.pk, AlertKind.COVERAGE))
        if coverage.flagged and _may_raise(last, coverage.items, GRACE_ITEMS):
            reason = (
                f"{coverage.per_item:.2f} {units} per item over {coverage.items} items. At least "
                f"{coverage.least:g} are expected after {GRACE_ITEMS}."
            )
            yield _alert(project, coverage.worker.pk, AlertKind.COVERAGE, reason, coverage.items)


def _drift_alerts(project: Project, known: Known) -> Iterator[Alert]:
    figure = main_figure(project)
    direction = 1 if figure.higher_is_better else -1
    for worker, measures in _measures_by_worker(project, figure).items():
        last = known.get((worker, AlertKind.DRIFT))
        values = [(measure, figure.value([measure])) for measure in measures]
        defined = [(measure, value) for measure, value in values if value is not None]
        series = [direction * value for _, value in defined]
        p_value = has_fallen(series, known=last.items if last else 0)
        if p_value is not None and _may_raise(last, len(series), 1):
            reason = _fallen(figure, [measure for measure, _ in defined], p_value)
            yield _alert(project, worker, AlertKind.DRIFT, reason, len(series))


def _alert(project: Project, worker: int, kind: AlertKind, reason: str, items: int) -> Alert:
    return Alert(project=project, worker_id=worker, kind=kind, reason=reason, items=items)


def _may_raise(last: Alert | None, items: int, more: int) -> bool:
    """Return True if no alert is open and `more` items were done since the last one."""
    return last is None or (last.acknowledged_at is not None and items >= last.items + more)


def _fallen(figure: Figure, measures: Sequence[Measure], p_value: float) -> str:
    full = len(measures) // BLOCK * BLOCK
    latest, before = measures[full - BLOCK : full], measures[: full - BLOCK]
    scale = 100 if figure.unit == "%" else 1
    p = f"= {p_value:.4f}" if p_value >= MIN_SHOWN else f"< {MIN_SHOWN:.4f}"
    return (
        f"{figure.label} against the gold of {scale * (figure.value(latest) or 0):.1f} over {BLOCK} "
        f"items, after {scale * (figure.value(before) or 0):.1f} over the {full - BLOCK} before (p {p})."
    )


@transaction.atomic
def _raise(candidate: Alert, now: datetime) -> bool:
    alert, created = Alert.objects.get_or_create(
        project=candidate.project,
        worker_id=candidate.worker_id,
        kind=candidate.kind,
        acknowledged_at=None,
        defaults={"reason": candidate.reason, "items": candidate.items, "raised_at": now},
    )
    if created:
        reason = candidate.reason
        log_state_change(
            instance=alert, old="", new="raised", actor="automatic", now=now, reason=reason
        )
    return created


@transaction.atomic
def acknowledge_alert(*, alert: Alert, by: Any, note: str, now: datetime) -> bool:
    """Acknowledge the alert. Return False if it was already acknowledged."""
    alert = Alert.objects.select_for_update().get(pk=alert.pk)
    if alert.acknowledged_at is not None:
        return False
    alert.acknowledged_at, alert.acknowledged_by, alert.note = now, by, note
    alert.save(update_fields=["acknowledged_at", "acknowledged_by", "note"])
    log_state_change(
        instance=alert, old="raised", new="acknowledged", actor=str(by), now=now, reason=note
    )
    return True
