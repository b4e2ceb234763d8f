"""Change published batches: top up, pause, resume, end and extend them."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.publish import publish_generations, unpublished_items
from annotation.enums import BatchState
from annotation.models import Batch, Item, Task, TaskItem
from audit.domain.change_state import Transitions, change_state, log_state_change
from crowd.domain.ledger import BudgetExceededError
from crowd.domain.manage_hits import (
    STEERABLE,
    HitChangeError,
    add_to_each,
    expire_hits,
    extend_hits,
    pause_hits,
    resume_hits,
)
from crowd.enums import HitState
from crowd.models import Hit, HitQuerySet
from jobs.domain.sweep import for_each_row
from projects.enums import Role

TRANSITIONS: Transitions = {
    BatchState.OPEN: [BatchState.PAUSED, BatchState.CLOSED],
    BatchState.PAUSED: [BatchState.OPEN, BatchState.CLOSED],
    BatchState.CLOSED: [BatchState.OPEN],
}
# Beyond this limit, a person has to check why the work is not done.
MAX_REPUBLICATIONS = 20


def hits_of(batch: Batch) -> HitQuerySet:
    return Hit.objects.filter(task__batch=batch)


def _tasks_to_extend(batch: Batch) -> QuerySet[Task]:
    """Return the batch's tasks with an item that is not withdrawn."""
    kept = TaskItem.objects.filter(task=OuterRef("pk"), item__withdrawn_at=None)
    return Task.objects.filter(Exists(kept), batch=batch)


@transaction.atomic
def keep_open(*, batch: Batch, count: int | None, actor: str, now: datetime) -> None:
    """Set the number of HITs that the top-up keeps open. None stops the top-up."""
    old = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk).keep_open
    Batch.objects.filter(pk=batch.pk).update(keep_open=count, problem="")
    if old != count:
        values = ["no top-up" if value is None else f"keep open: {value}" for value in (old, count)]
        log_state_change(instance=batch, old=values[0], new=values[1], actor=actor, now=now)


@transaction.atomic
def limit_republications(*, batch: Batch, limit: int, actor: str, now: datetime) -> None:
    """Set how often an item that lacks submissions is republished automatically.

    Zero turns automatic republication off. Raise ValueError.
    """
    if not 0 <= limit <= MAX_REPUBLICATIONS:
        raise ValueError(f"The limit of automatic republications is 0 to {MAX_REPUBLICATIONS}.")
    old = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk).republish_limit
    Batch.objects.filter(pk=batch.pk).update(republish_limit=limit, republish_problem="")
    if old != limit:
        values = [f"republication limit: {number}" for number in (old, limit)]
        log_state_change(instance=batch, old=values[0], new=values[1], actor=actor, now=now)


def top_up_batches(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Top up every open batch that has `keep_open`. Return the number of items published."""
    batches = Batch.objects.filter(
        state=BatchState.OPEN, role=Role.GENERATOR, keep_open__isnull=False
    )
    return for_each_row(
        sweep="top up batches",
        rows=batches.only("pk").order_by("pk"),
        process=lambda batch, now: top_up_batch(batch_id=batch.pk, now=now, limit=limit),
        clock=clock,
    )


def top_up_batch(*, batch_id: int, now: datetime, limit: int = 50) -> int:
    """Publish up to `limit` items until `keep_open` HITs are open. Return the number of items.

    Items that exceed the budget are left out, and the batch's `problem` gives the reason.
    """
    with transaction.atomic():
        batch = Batch.objects.select_for_update(of=("self",)).get(pk=batch_id)
        items = unpublished_items(batch.project, min(limit, _missing(batch)))
        if not items or batch.state != BatchState.OPEN:
            return 0
        offered, problem = _publish_what_fits(batch, items, now)
        if problem != batch.problem:
            Batch.objects.filter(pk=batch.pk).update(problem=problem)
    return offered


def _missing(batch: Batch) -> int:
    missing = (batch.keep_open or 0) - hits_of(batch).open().count()
    if batch.item_limit is not None:
        offered = TaskItem.objects.filter(task__batch=batch, attempt=0).count()
        missing = min(missing, batch.item_limit - offered)
    return max(0, missing)


def _publish_what_fits(batch: Batch, items: list[Item], now: datetime) -> tuple[int, str]:
    """Publish as many items as the budget allows, halving the number after each failure.

    Return the number of items published and the reason why some were left out.
    """
    problem = ""
    while items:
        try:
            publish_generations(batch=batch, items=items, now=now)
        except BudgetExceededError as exceeded:
            problem, items = str(exceeded), items[: len(items) // 2]
        else:
            break
    return len(items), problem


@transaction.atomic
def pause_batch(
    *, batch: Batch, actor: str, now: datetime, hits: QuerySet[Hit] | None = None
) -> int:
    """Pause the batch, or only these HITs of an open batch. Return the number of HITs paused.

    Raise TransitionNotAllowedError, or HitChangeError for some HITs.
    """
    if hits is not None:
        _require_open(batch)
        return _logged("paused", pause_hits(hits=hits, now=now), batch, actor, now)
    _change_state(batch, BatchState.PAUSED, actor, now)
    return pause_hits(hits=hits_of(batch), now=now)


@transaction.atomic
def resume_batch(
    *, batch: Batch, actor: str, now: datetime, hits: QuerySet[Hit] | None = None
) -> int:
    """Resume the batch, or only these HITs of an open batch. Return the number of HITs.

    Raise TransitionNotAllowedError, or HitChangeError for some HITs.
    """
    if hits is not None:
        _require_open(batch)
        return _logged("resumed", resume_hits(hits=hits, now=now), batch, actor, now)
    _change_state(batch, BatchState.OPEN, actor, now)
    return resume_hits(hits=hits_of(batch), now=now)


@transaction.atomic
def expire_batch(
    *, batch: Batch, actor: str, now: datetime, hits: QuerySet[Hit] | None = None
) -> int:
    """End the batch or only these HITs, without republication. Return the number of HITs ended.

    Work on accepted assignments can still be submitted and is paid. Raise
    TransitionNotAllowedError.
    """
    if hits is not None:
        ending = list(hits.filter(state__in=STEERABLE).values_list("pk", flat=True))
        Task.objects.filter(hit__in=ending).update(ended_at=now)
        count = expire_hits(hits=Hit.objects.filter(pk__in=ending), actor=actor, now=now)
        return _logged("ended", count, batch, actor, now)
    _change_state(batch, BatchState.CLOSED, actor, now)
    return expire_hits(hits=hits_of(batch), actor=actor, now=now)


@transaction.atomic
def extend_batch(
    *,
    batch: Batch,
    ends_at: datetime,
    actor: str,
    now: datetime,
    hits: QuerySet[Hit] | None = None,
) -> int:
    """Extend the unfinished HITs of the batch, or only these HITs. Return their number.

    Either all HITs are extended or none. Raise TransitionNotAllowedError, BudgetExceededError, or
    HitChangeError for some HITs.
    """
    if hits is not None:
        _require_open(batch)
        Task.objects.filter(hit__in=hits.values("pk")).update(ended_at=None)
        count = extend_hits(hits=hits, ends_at=ends_at, now=now)
    else:
        _change_state(batch, BatchState.OPEN, actor, now)
        tasks = list(_tasks_to_extend(batch).values_list("pk", flat=True))
        Task.objects.filter(pk__in=tasks).update(ended_at=None)
        hits = hits_of(batch).filter(task__in=tasks)
        count = extend_hits(hits=hits, ends_at=ends_at, now=now)
        # Pending HITs that were paused with the batch.
        resume_hits(hits=hits_of(batch), now=now)
    return _logged("extended", count, batch, actor, now)


@transaction.atomic
def add_to_batch(
    *, batch: Batch, number: int, actor: str, now: datetime, hits: QuerySet[Hit] | None = None
) -> int:
    """Offer each HIT of the batch, or only these, to `number` more workers. Return their number.

    Either all HITs are changed or none. Raise BudgetExceededError, HitChangeError.
    """
    _require_open(batch)
    chosen = hits_of(batch) if hits is None else hits
    made = chosen.exclude(state__in=[HitState.FAILED, HitState.WITHDRAWN])
    over = [hit.pk for hit in made if hit.state != HitState.LIVE or (hit.expires_at or now) <= now]
    count = add_to_each(hits=made, number=number, now=now)
    end = now + timedelta(seconds=batch.lifetime_seconds)
    extend_hits(hits=Hit.objects.filter(pk__in=over), ends_at=end, now=now)
    return _logged(f"{number} more for", count, batch, actor, now)


def _change_state(batch: Batch, new: BatchState, actor: str, now: datetime) -> None:
    change_state(instance=batch, new=new, transitions=TRANSITIONS, actor=actor, now=now)


def _require_open(batch: Batch) -> None:
    state = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk).state
    if state == BatchState.PAUSED:
        raise HitChangeError("The batch is paused. Resume it first.")
    if state == BatchState.CLOSED:
        raise HitChangeError(
            "The batch has ended. Extend the whole batch, or publish its items again."
        )


def _logged(action: str, count: int, batch: Batch, actor: str, now: datetime) -> int:
    if count:
        change = f"{action} {count} HITs"
        log_state_change(instance=batch, old=batch.state, new=change, actor=actor, now=now)
    return count
