"""Batches that are out: topped up, paused, resumed, ended, extended, offered again."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from annotation.domain.publish import offer_generations, unoffered_items
from annotation.enums import BatchState, Role
from annotation.models import Batch, Item, Task, TaskItem
from audit.domain.change_state import Moves, change_state, log_state_change
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.steer_hits import (
    STEERABLE,
    CanNotSteer,
    add_to_each,
    expire_hits,
    extend_hits,
    pause_hits,
    resume_hits,
)
from crowd.enums import HitState
from crowd.models import Hit, HitQuerySet

MOVES: Moves = {
    BatchState.OPEN: [BatchState.PAUSED, BatchState.CLOSED],
    BatchState.PAUSED: [BatchState.OPEN, BatchState.CLOSED],
    BatchState.CLOSED: [BatchState.OPEN],
}
# Beyond this, people have to look why nobody does it.
MOST_REOFFERS = 20


def hits_of(batch: Batch) -> HitQuerySet:
    return Hit.objects.filter(task__batch=batch)


# --- keeping so many open ----------------------------------------------------------------------


@transaction.atomic
def keep_open(*, batch: Batch, count: int | None, actor: str, now: datetime) -> None:
    """Have so many HITs of the batch open at a time; None ends it."""
    old = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk).keep_open
    Batch.objects.filter(pk=batch.pk).update(keep_open=count, problem="")
    if old != count:
        told = ["no top-up" if one is None else f"kept open: {one}" for one in (old, count)]
        log_state_change(instance=batch, old=told[0], new=told[1], actor=actor, now=now)


@transaction.atomic
def limit_reoffers(*, batch: Batch, limit: int, actor: str, now: datetime) -> None:
    """How often an item of the batch that came back short is offered again by itself; 0: never. Raises
    ValueError."""
    if not 0 <= limit <= MOST_REOFFERS:
        raise ValueError(f"Items are offered again 0 to {MOST_REOFFERS} times by themselves.")
    old = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk).reoffer_limit
    Batch.objects.filter(pk=batch.pk).update(reoffer_limit=limit, reoffer_problem="")
    if old != limit:
        told = [f"re-offers: {number}" for number in (old, limit)]
        log_state_change(instance=batch, old=told[0], new=told[1], actor=actor, now=now)


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
    Task.objects.filter(batch=batch).update(ended_at=None)
    count = extend_hits(hits=hits_of(batch), ends_at=ends_at, now=now)
    # Those that wait to be made and were paused with the batch.
    resume_hits(hits=hits_of(batch), now=now)
    return _logged("extended", count, batch, actor, now)


@transaction.atomic
def add_to_batch(*, batch: Batch, number: int, actor: str, now: datetime) -> int:
    """Offer each of the batch's HITs to `number` more workers; returns how many HITs. All or nothing.
    Raises BudgetExceeded, CanNotSteer."""
    return add_to_hits(batch=batch, hits=hits_of(batch), number=number, actor=actor, now=now)


# --- some of its HITs --------------------------------------------------------------------------


@transaction.atomic
def pause_some(*, batch: Batch, hits: QuerySet[Hit], actor: str, now: datetime) -> int:
    """Take these HITs from the workers' lists; the rest of the batch goes on. Raises CanNotSteer."""
    _require_open(batch)
    return _logged("paused", pause_hits(hits=hits, now=now), batch, actor, now)


@transaction.atomic
def resume_some(*, batch: Batch, hits: QuerySet[Hit], actor: str, now: datetime) -> int:
    """Offer these paused HITs again. Raises CanNotSteer while the whole batch is paused."""
    _require_open(batch)
    return _logged("resumed", resume_hits(hits=hits, now=now), batch, actor, now)


@transaction.atomic
def extend_some(
    *, batch: Batch, hits: QuerySet[Hit], ends_at: datetime, actor: str, now: datetime
) -> int:
    """Offer these HITs until `ends_at`. Raises CanNotSteer, BudgetExceeded."""
    _require_open(batch)
    Task.objects.filter(hit__in=hits.values("pk")).update(ended_at=None)
    return _logged("extended", extend_hits(hits=hits, ends_at=ends_at, now=now), batch, actor, now)


@transaction.atomic
def expire_some(*, batch: Batch, hits: QuerySet[Hit], actor: str, now: datetime) -> int:
    """End these HITs; the rest of the batch goes on, and they aren't offered again by themselves."""
    ending = list(hits.filter(state__in=STEERABLE).values_list("pk", flat=True))
    Task.objects.filter(hit__in=ending).update(ended_at=now)
    count = expire_hits(hits=Hit.objects.filter(pk__in=ending), actor=actor, now=now)
    return _logged("ended", count, batch, actor, now)


@transaction.atomic
def add_to_hits(
    *, batch: Batch, hits: QuerySet[Hit], number: int, actor: str, now: datetime
) -> int:
    """Offer each of these HITs to `number` more workers; returns how many HITs. All or nothing. Raises
    BudgetExceeded, CanNotSteer."""
    _require_open(batch)
    made = hits.exclude(state__in=[HitState.FAILED, HitState.WITHDRAWN])
    over = [hit.pk for hit in made if hit.state != HitState.LIVE or (hit.expires_at or now) <= now]
    count = add_to_each(hits=made, number=number, now=now)
    end = now + timedelta(seconds=batch.lifetime_seconds)
    extend_hits(hits=Hit.objects.filter(pk__in=over), ends_at=end, now=now)
    return _logged(f"{number} more for", count, batch, actor, now)


def _require_open(batch: Batch) -> None:
    state = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk).state
    if state == BatchState.PAUSED:
        raise CanNotSteer("The whole batch is paused: resume it first.")
    if state == BatchState.CLOSED:
        raise CanNotSteer("The batch has ended: extend it as a whole, or offer it again.")


def _logged(what: str, count: int, batch: Batch, actor: str, now: datetime) -> int:
    if count:
        told = f"{what} {count} HITs"
        log_state_change(instance=batch, old=batch.state, new=told, actor=actor, now=now)
    return count
