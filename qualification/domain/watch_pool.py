"""The trained pool at work: who asks too few questions (Roit et al. 2020, section 3: coverage), and
whose agreement with the gold falls."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from annotation.enums import Role
from annotation.models import Project, Submission
from audit.domain.change_state import log_state_change
from crowd.models import Worker
from metrics.counts import Counts, micro_sum
from metrics.drift import BLOCK, has_fallen
from qualification.domain.outcomes import WINDOW, outcomes_of, ua_of
from qualification.enums import AlertKind
from qualification.models import Alert
from schemes.registry import get_scheme

QUESTIONS_PER_ITEM = 2.0
GRACE_ITEMS = 15
LEAST_SHOWN = 0.0001
# A project where nothing has been handed in for so long is not watched.
AT_REST = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Coverage:
    """One worker's questions in production. `flagged` once they have done GRACE_ITEMS items with
    fewer than QUESTIONS_PER_ITEM questions each on average."""

    worker: Worker
    items: int
    questions: int

    @property
    def per_item(self) -> float:
        return self.questions / self.items

    @property
    def flagged(self) -> bool:
        return self.items >= GRACE_ITEMS and self.questions < QUESTIONS_PER_ITEM * self.items


def coverage_of_pool(*, project: Project) -> list[Coverage]:
    """Everyone who generated in production, fewest questions per item first. Work that was rejected
    or withdrawn, or that the scheme refused, is left out."""
    return _covered(_items_and_questions(project))


def _covered(numbers: Mapping[int, tuple[int, int]]) -> list[Coverage]:
    workers = Worker.objects.in_bulk(numbers)
    found = [Coverage(workers[pk], *numbers[pk]) for pk in numbers if pk in workers]
    return sorted(found, key=lambda one: (one.per_item, one.worker.pk))


def _items_and_questions(project: Project) -> dict[int, tuple[int, int]]:
    """Worker id -> how many items they did and with how many questions."""
    rows = Submission.objects.live().filter(
        item__project=project, item__in_production=True, role=Role.GENERATOR, problem=""
    )
    count = get_scheme(project.scheme).count_units
    items: defaultdict[int, int] = defaultdict(int)
    questions: defaultdict[int, int] = defaultdict(int)
    pairs = rows.exclude(worker=None).order_by().values_list("worker", "content")
    for worker, content in pairs.iterator(chunk_size=2000):
        items[worker] += 1
        questions[worker] += count(content, role=Role.GENERATOR)
    return {pk: (items[pk], questions[pk]) for pk in items}


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One worker of the pool at work: coverage, agreement with the gold (UA F1) over all items that
    have any and over the last WINDOW of them, and the alerts that nobody has acknowledged."""

    coverage: Coverage
    compared: int = 0
    overall: float | None = None
    lately: float | None = None
    alerts: list[Alert] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PoolFigures:
    """What is counted over all that the pool did: by worker id their items and questions, and of their
    agreement with the gold how many items, UA F1 of all and of the last WINDOW. Numbers alone: these
    are kept where an erased person would not be found."""

    coverage: dict[int, tuple[int, int]]
    agreement: dict[int, tuple[int, float | None, float | None]]


def pool_figures(*, project: Project) -> PoolFigures:
    """Reads every annotation of the project."""
    agreement = {
        worker: (len(own), micro_sum(own).f1, micro_sum(own[-WINDOW:]).f1)
        for worker, own in _counts_by_worker(project).items()
    }
    return PoolFigures(_items_and_questions(project), agreement)


def pool_rows(*, project: Project, figures: PoolFigures) -> list[PoolRow]:
    """Those with alerts, as of now, first, then by questions per item."""
    alerts: defaultdict[int, list[Alert]] = defaultdict(list)
    for alert in open_alerts(project=project):
        alerts[alert.worker_id].append(alert)
    rows = [
        PoolRow(
            one,
            *figures.agreement.get(one.worker.pk, (0, None, None)),
            alerts=alerts[one.worker.pk],
        )
        for one in _covered(figures.coverage)
    ]
    return sorted(rows, key=lambda row: not row.alerts)


def _counts_by_worker(project: Project) -> Mapping[int, list[Counts]]:
    found: defaultdict[int, list[Counts]] = defaultdict(list)
    rows = outcomes_of(project=project).values_list("submission__worker", "counts")
    for worker, counts in rows.iterator(chunk_size=2000):
        found[worker].append(ua_of(counts))
    return found


# --- alerts --------------------------------------------------------------------------------------


def open_alerts(*, project: Project) -> list[Alert]:
    rows = Alert.objects.filter(project=project, acknowledged_at=None)
    return list(rows.select_related("worker").order_by("pk"))


def watch_pools(*, clock: Callable[[], datetime]) -> int:
    """Look over every project that is being worked on; returns how many alerts were raised."""
    now = clock()
    at_work = Submission.objects.filter(
        item__in_production=True, role=Role.GENERATOR, submitted_at__gte=now - AT_REST
    )
    projects = Project.objects.filter(pk__in=at_work.values("item__project"))
    return sum(watch_pool(project=one, now=now) for one in projects)


def watch_pool(*, project: Project, now: datetime) -> int:
    """Raise what has to be raised; returns how many alerts. Repeating it raises nothing more."""
    known: dict[tuple[int, str], Alert] = {}
    for alert in Alert.objects.filter(project=project).order_by("pk"):
        known[alert.worker_id, alert.kind] = alert
    found = [*_coverage_alerts(project, known), *_drift_alerts(project, known)]
    return sum(_raise(alert, now) for alert in found)


Known = Mapping[tuple[int, str], Alert]


def _coverage_alerts(project: Project, known: Known) -> Iterator[Alert]:
    for one in coverage_of_pool(project=project):
        last = known.get((one.worker.pk, AlertKind.COVERAGE))
        if one.flagged and _may_raise(last, one.items, GRACE_ITEMS):
            yield Alert(
                project=project,
                worker=one.worker,
                kind=AlertKind.COVERAGE,
                reason=_too_few(one),
                items=one.items,
            )


def _drift_alerts(project: Project, known: Known) -> Iterator[Alert]:
    for worker, counts in _counts_by_worker(project).items():
        last = known.get((worker, AlertKind.DRIFT))
        defined = [one for one in counts if one.f1 is not None]
        series = [one.f1 for one in defined if one.f1 is not None]
        p_value = has_fallen(series, known=last.items if last else 0)
        if p_value is not None and _may_raise(last, len(series), 1):
            yield Alert(
                project=project,
                worker_id=worker,
                kind=AlertKind.DRIFT,
                reason=_fallen(defined, p_value),
                items=len(series),
            )


def _may_raise(last: Alert | None, items: int, more: int) -> bool:
    """Not while one is open; after that, not before `more` items were done since."""
    return last is None or (last.acknowledged_at is not None and items >= last.items + more)


def _too_few(one: Coverage) -> str:
    return (
        f"{one.per_item:.2f} questions per item over {one.items} items; at least "
        f"{QUESTIONS_PER_ITEM:g} are expected after {GRACE_ITEMS}."
    )


def _fallen(counts: Sequence[Counts], p_value: float) -> str:
    full = len(counts) // BLOCK * BLOCK
    latest, before = micro_sum(counts[full - BLOCK : full]).f1, micro_sum(counts[: full - BLOCK]).f1
    return (
        f"UA F1 against the gold of {100 * (latest or 0):.1f} over {BLOCK} items, after "
        f"{100 * (before or 0):.1f} over the {full - BLOCK} before (p {_written(p_value)})."
    )


def _written(p_value: float) -> str:
    return f"= {p_value:.4f}" if p_value >= LEAST_SHOWN else f"< {LEAST_SHOWN:.4f}"


@transaction.atomic
def _raise(found: Alert, now: datetime) -> bool:
    alert, created = Alert.objects.get_or_create(
        project=found.project,
        worker_id=found.worker_id,
        kind=found.kind,
        acknowledged_at=None,
        defaults={"reason": found.reason, "items": found.items, "raised_at": now},
    )
    if created:
        log_state_change(
            instance=alert, old="", new="raised", actor="automatic", now=now, reason=found.reason
        )
    return created


@transaction.atomic
def acknowledge_alert(*, alert: Alert, by: Any, note: str, now: datetime) -> bool:
    """Somebody has looked at it; says whether nobody had before."""
    alert = Alert.objects.select_for_update().get(pk=alert.pk)
    if alert.acknowledged_at is not None:
        return False
    alert.acknowledged_at, alert.acknowledged_by, alert.note = now, by, note
    alert.save(update_fields=["acknowledged_at", "acknowledged_by", "note"])
    log_state_change(
        instance=alert, old="raised", new="acknowledged", actor=str(by), now=now, reason=note
    )
    return True
