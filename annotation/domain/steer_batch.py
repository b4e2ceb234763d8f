"""Batches that are out: topped up, paused, resumed, ended, extended, offered again."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from annotation.domain.publish import (
    PAGE,
    Offer,
    offer_generations,
    offer_items,
    unoffered_items,
)
from annotation.enums import BatchState, Role, SubmissionState
from annotation.models import Batch, Item, Project, Task, TaskItem
from audit.domain.change_state import Moves, change_state
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.qualifications import requirement_for
from crowd.domain.steer_hits import (
    CanNotSteer,
    add_assignments,
    expire_hits,
    extend_hit,
    pause_hits,
    resume_hits,
)
from crowd.enums import HitState
from crowd.models import Hit, HitQuerySet, QualificationType, Worker

MOVES: Moves = {
    BatchState.OPEN: [BatchState.PAUSED, BatchState.CLOSED],
    BatchState.PAUSED: [BatchState.OPEN, BatchState.CLOSED],
    BatchState.CLOSED: [BatchState.OPEN],
}
ENDED = [HitState.FINISHED, HitState.EXPIRED, HitState.FAILED, HitState.WITHDRAWN]


def hits_of(batch: Batch) -> HitQuerySet:
    return Hit.objects.filter(task__batch=batch)


# --- keeping so many open ----------------------------------------------------------------------


def keep_open(*, batch: Batch, count: int | None) -> None:
    """Have so many HITs of the batch open at a time; None ends it."""
    Batch.objects.filter(pk=batch.pk).update(keep_open=count, problem="")


def top_up_batches(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Top up every batch that wants it; returns how many items were offered."""
    wanting = Batch.objects.filter(
        state=BatchState.OPEN, role=Role.GENERATOR, keep_open__isnull=False
    )
    pks = wanting.order_by("pk").values_list("pk", flat=True)
    return sum(top_up_batch(batch_id=pk, now=clock(), limit=limit) for pk in pks)


def top_up_batch(*, batch_id: int, now: datetime, limit: int = 50) -> int:
    """Offer up to `limit` more items, so that `keep_open` HITs are open; returns how many. What the
    budget has no room for is left out, and the batch says so."""
    with transaction.atomic():
        batch = Batch.objects.select_for_update(of=("self",)).get(pk=batch_id)
        items = unoffered_items(batch.project, min(limit, _missing(batch)))
        if not items or batch.state != BatchState.OPEN:
            return 0
        offered, problem = _offer_what_fits(batch, items, now)
        if problem != batch.problem:
            Batch.objects.filter(pk=batch.pk).update(problem=problem)
    return offered


def _missing(batch: Batch) -> int:
    missing = (batch.keep_open or 0) - hits_of(batch).open().count()
    if batch.item_limit is not None:
        offered = TaskItem.objects.filter(task__batch=batch, place=0).count()
        missing = min(missing, batch.item_limit - offered)
    return max(0, missing)


def _offer_what_fits(batch: Batch, items: list[Item], now: datetime) -> tuple[int, str]:
    """Halving finds what the cap has room for in few steps: (number offered, why not all)."""
    problem = ""
    while items:
        try:
            offer_generations(batch=batch, items=items, now=now)
        except BudgetExceeded as exceeded:
            problem, items = str(exceeded), items[: len(items) // 2]
        else:
            break
    return len(items), problem


# --- all its HITs at once ----------------------------------------------------------------------


@transaction.atomic
def pause_batch(*, batch: Batch, actor: str, now: datetime) -> int:
    """Offer nothing of the batch for the time being; returns how many HITs are paused. Raises
    MoveRefused."""
    change_state(instance=batch, new=BatchState.PAUSED, moves=MOVES, actor=actor, now=now)
    return pause_hits(hits=hits_of(batch), now=now)


@transaction.atomic
def resume_batch(*, batch: Batch, actor: str, now: datetime) -> int:
    """Offer the batch again; returns how many HITs are resumed. Raises MoveRefused."""
    change_state(instance=batch, new=BatchState.OPEN, moves=MOVES, actor=actor, now=now)
    return resume_hits(hits=hits_of(batch), now=now)


@transaction.atomic
def expire_batch(*, batch: Batch, actor: str, now: datetime) -> int:
    """End the batch; returns how many HITs that ends. Work that was accepted can still come in, and
    is paid. Raises MoveRefused."""
    change_state(instance=batch, new=BatchState.CLOSED, moves=MOVES, actor=actor, now=now)
    return expire_hits(hits=hits_of(batch), actor=actor, now=now)


@transaction.atomic
def extend_batch(*, batch: Batch, ends_at: datetime, actor: str, now: datetime) -> int:
    """Offer the batch's unfinished HITs until `ends_at`; returns how many. All or nothing. Raises
    MoveRefused, BudgetExceeded."""
    change_state(instance=batch, new=BatchState.OPEN, moves=MOVES, actor=actor, now=now)
    unfinished = hits_of(batch).filter(state__in=[HitState.LIVE, HitState.EXPIRED])
    return sum(extend_hit(hit=hit, ends_at=ends_at, now=now) for hit in unfinished.order_by("pk"))


@transaction.atomic
def add_to_batch(*, batch: Batch, number: int, now: datetime) -> int:
    """Offer each of the batch's HITs to `number` more workers; returns how many HITs. All or nothing.
    Raises BudgetExceeded, CanNotSteer."""
    hits = hits_of(batch).exclude(state__in=[HitState.FAILED, HitState.WITHDRAWN]).order_by("pk")
    end = now + timedelta(seconds=batch.lifetime_seconds)
    for hit in hits:
        add_assignments(hit=hit, number=number, now=now)
        if hit.state != HitState.LIVE or (hit.expires_at or now) <= now:
            extend_hit(hit=hit, ends_at=end, now=now)
    return len(hits)


# --- what came back without enough work --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reoffered:
    """How many items got more places on a HIT that they had, and how many a HIT of their own."""

    raised: int = 0
    anew: int = 0


def short_items(*, project: Project) -> QuerySet[Item]:
    """The items that were offered to generators, whose offers have all ended, and that lack live
    submissions; `live` is how many each has."""
    offered = TaskItem.objects.filter(role=Role.GENERATOR, item__project=project)
    running = offered.exclude(task__hit__state__in=ENDED) | offered.filter(
        task__hit__increase_to__isnull=False
    )
    unrecorded = offered.filter(
        task__hit__assignments__isnull=False, task__hit__assignments__recorded_at=None
    )
    usable = Q(
        submissions__role=Role.GENERATOR,
        submissions__state__in=[SubmissionState.SUBMITTED, SubmissionState.ACCEPTED],
    )
    return (
        project.items.filter(pk__in=offered.values("item"))
        .exclude(pk__in=running.values("item"))
        .exclude(pk__in=unrecorded.values("item"))
        .annotate(live=Count("submissions", filter=usable))
        .filter(live__lt=F("project__generators_per_item"))
        .order_by("position")
    )


def reoffer_items(*, project: Project, now: datetime, limit: int | None = None) -> Reoffered:
    """Offer again what ended without enough work: expired, refused by the marketplace, withdrawn, or
    rejected. (What a worker returns, the marketplace offers again by itself.)

    Where it can, the HIT that there is gets the missing places: nobody who worked on it sees it
    again. Otherwise the item goes out at its next place, closed to those people if it has a pool.
    Each item's money is set aside first. Raises BudgetExceeded; what was offered until then stays.
    """
    raised = anew = 0
    for item in short_items(project=project)[:limit]:
        with transaction.atomic():
            if _raise_offer(item, now):
                raised += 1
            else:
                _offer_anew(item, now)
                anew += 1
    return Reoffered(raised, anew)


def _raise_offer(item: Item, now: datetime) -> bool:
    """Give the item's newest HIT the missing places; says whether it could be done."""
    task = _newest_task(item)
    hit = task.hit
    if hit.external_id is None or task.task_items.count() > 1 or hit.error:
        return False
    missing = _missing_work(item)
    free = hit.max_assignments - hit.assignments.count() if hit.state == HitState.EXPIRED else 0
    end = now + timedelta(seconds=task.batch.lifetime_seconds)
    if missing > free:
        try:
            add_assignments(hit=hit, number=missing - free, now=now)
        except CanNotSteer:
            return False
    return extend_hit(hit=hit, ends_at=end, now=now)


def _offer_anew(item: Item, now: datetime) -> None:
    task = _newest_task(item)
    place = max(item.task_items.filter(role=Role.GENERATOR).values_list("place", flat=True)) + 1
    offer_items(
        batch=task.batch,
        offers=[Offer([item], place)],
        page=PAGE,
        now=now,
        qualifications=_closed_to_earlier_workers(task, item),
        max_assignments=_missing_work(item),
    )


def _missing_work(item: Item) -> int:
    live: int = item.live  # type: ignore[attr-defined]
    return item.project.generators_per_item - live


def _newest_task(item: Item) -> Task:
    tasks = Task.objects.filter(task_items__item=item, role=Role.GENERATOR)
    newest = tasks.select_related("hit", "batch__project__budget", "batch__budget").order_by("-pk")
    return newest[0]


def _closed_to_earlier_workers(task: Task, item: Item) -> list[dict[str, Any]]:
    workers = list(
        Worker.objects.filter(submissions__item=item, submissions__role=task.role).distinct()
    )
    return [
        _without(one, task.batch.project.provider, workers) for one in task.batch.qualifications
    ]


def _without(one: dict[str, Any], provider: str, workers: list[Worker]) -> dict[str, Any]:
    """A pool's requirement, leaving out the workers; any other as it is."""
    if one.get("comparator") != "Exists" or "code" not in one:
        return one
    pool = QualificationType.objects.get(provider=provider, code=one["code"])
    return requirement_for(qualification=pool, without=workers)
