"""Change published batches: top up, pause, resume, end and extend them."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotation.domain.publishing.change_hits import HitChange, change_hits
from annotation.domain.publishing.publish import cap_batch, publish_generations, unpublished_items
from annotation.domain.publishing.publish_rest import continue_publication
from annotation.enums import BatchState
from annotation.models import Batch, Item, Task, TaskItem
from audit.domain.change_state import Transitions, change_state, log_state_change
from crowd.domain.hits.manage_hits import CHANGEABLE_STATES, HitChangeError
from crowd.domain.money.ledger import BudgetExceededError
from crowd.models import Hit, HitQuerySet
from jobs.domain.sweep import for_each_row
from projects.enums import Role
from web.money import dollars

TRANSITIONS: Transitions = {
    # The end of the publication opens the batch (see annotation.domain.publishing.publish_rest).
    BatchState.PUBLISHING: [BatchState.PAUSED, BatchState.CLOSED],
    BatchState.OPEN: [BatchState.PAUSED, BatchState.CLOSED],
    BatchState.PAUSED: [BatchState.OPEN, BatchState.CLOSED],
    BatchState.CLOSED: [BatchState.OPEN],
}
# Beyond this limit, a person has to check why the work is not done.
MAX_REPUBLICATIONS = 20


def hits_of(batch: Batch) -> HitQuerySet:
    return Hit.objects.filter(task__batch=batch)


@transaction.atomic
def set_terms(*, batch: Batch, wanted: Mapping[str, int | None], actor: str, now: datetime) -> None:
    """Change `keep_open`, `republish_limit` and `cap_cents`, as far as they are in `wanted`.

    Raise CapTooLowError, and ValueError for a limit of republications that is too high.
    """
    if (limit := wanted.get("republish_limit")) is not None:
        limit_republications(batch=batch, limit=limit, actor=actor, now=now)
    if "keep_open" in wanted:
        keep_open(batch=batch, count=wanted["keep_open"], actor=actor, now=now)
    if "cap_cents" not in wanted:
        return
    cap, old = wanted["cap_cents"], batch.budget.cap_cents if batch.budget else None
    if cap != old:
        cap_batch(batch=batch, cap_cents=cap)
        values = [f"limit: {'none' if cents is None else dollars(cents)}" for cents in (old, cap)]
        log_state_change(instance=batch, old=values[0], new=values[1], actor=actor, now=now)


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
    ).exclude(project__batches__state=BatchState.PUBLISHING)
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
def pause_batch(*, batch: Batch, actor: str, now: datetime, hits: HitQuerySet | None = None) -> int:
    """Pause the batch, or only these HITs of an open batch. Return the number of HITs paused.

    Raise TransitionNotAllowedError, or HitChangeError for some HITs.
    """
    change = HitChange("pause", actor)
    if hits is not None:
        _require_open(batch)
        return _logged("paused", _change(batch, hits, change, now), batch, actor, now)
    _change_state(batch, BatchState.PAUSED, actor, now)
    return _change(batch, hits_of(batch), change, now)


@transaction.atomic
def resume_batch(
    *, batch: Batch, actor: str, now: datetime, hits: HitQuerySet | None = None
) -> int:
    """Resume the batch, or only these HITs of an open batch. Return the number of HITs.

    A publication that has stopped goes on. Raise TransitionNotAllowedError, or HitChangeError for
    some HITs.
    """
    change = HitChange("resume", actor)
    if hits is not None:
        _require_open(batch)
        return _logged("resumed", _change(batch, hits, change, now), batch, actor, now)
    row = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk)
    if row.state != BatchState.PUBLISHING:
        _change_state(batch, BatchState.OPEN, actor, now)
    count = _change(batch, hits_of(batch), change, now)
    if row.to_publish is not None:
        continue_publication(batch=batch, actor=actor, now=now)
    return count


@transaction.atomic
def expire_batch(
    *, batch: Batch, actor: str, now: datetime, hits: HitQuerySet | None = None
) -> int:
    """End the batch or only these HITs, without republication. Return the number of HITs ended.

    The end of a batch that is being published ends the publication. Work on accepted assignments
    can still be submitted and is paid. Raise TransitionNotAllowedError.
    """
    change = HitChange("expire", actor)
    if hits is not None:
        ending = list(hits.filter(state__in=CHANGEABLE_STATES).values_list("pk", flat=True))
        Task.objects.filter(hit__in=ending).update(ended_at=now)
        count = _change(batch, Hit.objects.filter(pk__in=ending), change, now)
        return _logged("ended", count, batch, actor, now)
    _change_state(batch, BatchState.CLOSED, actor, now)
    Batch.objects.filter(pk=batch.pk).update(to_publish=None)
    return _change(batch, hits_of(batch), change, now)


@transaction.atomic
def extend_batch(
    *,
    batch: Batch,
    ends_at: datetime,
    actor: str,
    now: datetime,
    hits: HitQuerySet | None = None,
) -> int:
    """Extend the unfinished HITs of the batch, or only these HITs. Return their number.

    Raise TransitionNotAllowedError, BudgetExceededError, or HitChangeError for some HITs.
    """
    change = HitChange("extend", actor, ends_at)
    if hits is not None:
        _require_open(batch)
        Task.objects.filter(hit__in=hits.values("pk")).update(ended_at=None)
        count = _change(batch, hits, change, now)
    else:
        _change_state(batch, BatchState.OPEN, actor, now)
        kept = TaskItem.objects.filter(task=OuterRef("pk"), item__withdrawn_at=None)
        tasks = list(Task.objects.filter(Exists(kept), batch=batch).values_list("pk", flat=True))
        Task.objects.filter(pk__in=tasks).update(ended_at=None)
        count = _change(batch, hits_of(batch).filter(task__in=tasks), change, now)
        # Pending HITs that were paused with the batch.
        _change(batch, hits_of(batch), HitChange("resume", actor), now)
    return _logged("extended", count, batch, actor, now)


@transaction.atomic
def add_to_batch(
    *, batch: Batch, number: int, actor: str, now: datetime, hits: HitQuerySet | None = None
) -> int:
    """Offer each HIT of the batch, or only these, to `number` more workers. Return their number.

    Raise BudgetExceededError, HitChangeError.
    """
    _require_open(batch)
    end = now + timedelta(seconds=batch.lifetime_seconds)
    change = HitChange("add", actor, end, number)
    count = _change(batch, hits_of(batch) if hits is None else hits, change, now)
    return _logged(f"{number} more for", count, batch, actor, now)


def _change(batch: Batch, hits: HitQuerySet, change: HitChange, now: datetime) -> int:
    return change_hits(project=batch.project, hits=hits, change=change, now=now)


def _change_state(batch: Batch, new: BatchState, actor: str, now: datetime) -> None:
    change_state(instance=batch, new=new, transitions=TRANSITIONS, actor=actor, now=now)


def _require_open(batch: Batch) -> None:
    state = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk).state
    if state == BatchState.PUBLISHING:
        raise HitChangeError("The batch is still being published. Wait until it is complete.")
    if state == BatchState.PAUSED:
        raise HitChangeError("The batch is paused. Resume it first.")
    if state == BatchState.CLOSED:
        raise HitChangeError(
            "The batch has ended. Extend the whole batch, or publish its items again."
        )


def _logged(action: str, count: int, batch: Batch, actor: str, now: datetime) -> int:
    if count:
        change = f"{action} {count} {batch.project.hit_noun}s"
        log_state_change(instance=batch, old=batch.state, new=change, actor=actor, now=now)
    return count
