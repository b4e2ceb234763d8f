"""What the office can have done with a batch, or with some of its HITs: one call for pages and commands.

It stands here because a batch may be of generations or of cases, and is offered again accordingly.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Greatest

from annotation.domain import steer_batch
from annotation.domain.publish import cost_of
from annotation.domain.reoffer import Reoffered, reoffer_place, short_of
from annotation.domain.steer_batch import hits_of
from annotation.enums import BatchState, Role
from annotation.models import Batch
from audit.domain.change_state import change_state
from consolidation.domain.reoffer_cases import reoffer_case, short_cases
from consolidation.enums import Action
from crowd.domain.steer_hits import STEERABLE, CanNotSteer
from crowd.enums import HitState
from crowd.models import Hit, HitQuerySet


@dataclass(frozen=True, slots=True)
class Order:
    """`days` from now is the new end of an extension; `assignments` are added to each HIT."""

    action: Action
    days: int = 14
    assignments: int = 1


def carry_out(
    *, batch: Batch, order: Order, actor: str, now: datetime, hits: HitQuerySet | None = None
) -> int:
    """Do it with the whole batch, or with those of its HITs alone; returns how many HITs that moved.
    All or nothing. Raises MoveRefused, BudgetExceeded, CanNotSteer."""
    # The state of a whole batch changes all the same, whether it has HITs to move or not.
    needs_hits = hits is not None or order.action in (Action.ADD, Action.REOFFER)
    moved = affected(batch=batch, action=order.action, hits=hits, now=now)
    if needs_hits and not moved.exists():
        raise CanNotSteer(NOTHING[order.action])
    if order.action is Action.REOFFER:
        return reoffer_batch(batch=batch, hits=hits, actor=actor, now=now).total
    if hits is None:
        return _whole(batch, order, actor, now)
    return _some(batch, hits, order, actor, now)


NOTHING = {
    Action.PAUSE: "None of these HITs is open: there is nothing to pause.",
    Action.RESUME: "None of these HITs is paused: there is nothing to resume.",
    Action.EXTEND: "None of these HITs is live or expired: there is nothing to extend.",
    Action.EXPIRE: "None of these HITs is open: there is nothing to end.",
    Action.ADD: "None of these HITs is at the marketplace: there is nothing to add to.",
    Action.REOFFER: (
        "Nothing here can be offered again now: either no annotation is missing, or a HIT is "
        "still out, or work on it may still come in (up to two hours after its end)."
    ),
}


def _whole(batch: Batch, order: Order, actor: str, now: datetime) -> int:
    who: dict[str, Any] = {"batch": batch, "actor": actor, "now": now}
    match order.action:
        case Action.PAUSE:
            return steer_batch.pause_batch(**who)
        case Action.RESUME:
            return steer_batch.resume_batch(**who)
        case Action.EXPIRE:
            return steer_batch.expire_batch(**who)
        case Action.EXTEND:
            return steer_batch.extend_batch(ends_at=now + timedelta(days=order.days), **who)
        case _:
            return steer_batch.add_to_batch(number=order.assignments, **who)


def _some(batch: Batch, hits: HitQuerySet, order: Order, actor: str, now: datetime) -> int:
    who: dict[str, Any] = {"batch": batch, "hits": hits, "actor": actor, "now": now}
    match order.action:
        case Action.PAUSE:
            return steer_batch.pause_some(**who)
        case Action.RESUME:
            return steer_batch.resume_some(**who)
        case Action.EXPIRE:
            return steer_batch.expire_some(**who)
        case Action.EXTEND:
            return steer_batch.extend_some(ends_at=now + timedelta(days=order.days), **who)
        case _:
            return steer_batch.add_to_hits(number=order.assignments, **who)


# --- offered again -------------------------------------------------------------------------------


@transaction.atomic
def reoffer_batch(
    *, batch: Batch, actor: str, now: datetime, hits: QuerySet[Hit] | None = None
) -> Reoffered:
    """Offer again what the batch (or what was on these HITs) lacks, however often that has been done; a
    batch that had ended is open then. All or nothing. Raises CanNotSteer while it is paused,
    BudgetExceeded."""
    if batch.state == BatchState.PAUSED:
        raise CanNotSteer("The whole batch is paused: resume it first.")
    if batch.state == BatchState.CLOSED and hits is not None:
        # The batch is opened for these alone: what else had ended with it stays so.
        others = batch.tasks.exclude(hit__in=hits.values("pk"))
        others.filter(ended_at=None).update(ended_at=now)
    change_state(instance=batch, new=BatchState.OPEN, moves=steer_batch.MOVES, actor=actor, now=now)
    done = Reoffered()
    if batch.role == Role.CONSOLIDATOR:
        cases = short_cases(now=now).filter(task__batch=batch)
        chosen = cases if hits is None else cases.filter(task__hit__in=hits.values("pk"))
        for pk in list(chosen.order_by("pk").values_list("pk", flat=True)):
            done += reoffer_case(case_id=pk, actor=actor, now=now)
        return done
    places = short_of(batch, now=now)
    places = places if hits is None else places.filter(task__hit__in=hits.values("pk"))
    for pk in list(places.values_list("pk", flat=True)):
        done += reoffer_place(place_id=pk, actor=actor, now=now)
    return done


def short_hits(*, batch: Batch, now: datetime) -> HitQuerySet:
    """The newest HITs of what the batch lacks annotations for, and may offer again now."""
    if batch.role == Role.CONSOLIDATOR:
        cases = short_cases(now=now).filter(task__batch=batch)
        return Hit.objects.filter(task__case__in=cases.values("pk"))
    places = short_of(batch, now=now).order_by().values("pk")
    return Hit.objects.filter(task__task_items__in=places)


# --- what it would do ----------------------------------------------------------------------------


def affected(
    *, batch: Batch, action: Action, now: datetime, hits: HitQuerySet | None = None
) -> HitQuerySet:
    """The HITs that the action would move."""
    if action is Action.REOFFER:
        found = short_hits(batch=batch, now=now)
        return found if hits is None else found.filter(pk__in=hits.values("pk"))
    moved = {
        Action.PAUSE: Q(state__in=STEERABLE, paused_at=None),
        Action.RESUME: Q(paused_at__isnull=False),
        Action.EXPIRE: Q(state__in=STEERABLE),
        Action.EXTEND: Q(state__in=[HitState.LIVE, HitState.EXPIRED]),
        Action.ADD: ~Q(state__in=[HitState.FAILED, HitState.WITHDRAWN]),
    }
    return (hits_of(batch) if hits is None else hits).filter(moved[action])


def most_cents(*, batch: Batch, order: Order, hits: HitQuerySet, now: datetime) -> int:
    """What carrying out the order with its affected `hits` sets aside at most, fees included."""
    largest = hits.aggregate(n=Max("max_assignments"))["n"] or 1
    one = cost_of(batch, 1, assignments=largest) // largest
    match order.action:
        case Action.ADD:
            return one * (hits.count() * order.assignments + _unused(hits))
        case Action.EXTEND:
            return one * _unused(hits)
        case Action.REOFFER:
            return one * _missing(batch, hits, now)
        case _:
            return 0


def _unused(hits: HitQuerySet) -> int:
    """Places of expired HITs that nobody took: extended, their money is set aside again."""
    ended = Hit.objects.filter(pk__in=hits.values("pk"), state=HitState.EXPIRED)
    free = Greatest(F("max_assignments") - F("done"), 0)
    counted = ended.annotate(done=Count("assignments")).annotate(free=free)
    return int(counted.aggregate(n=Sum("free"))["n"] or 0)


def _missing(batch: Batch, hits: HitQuerySet, now: datetime) -> int:
    if batch.role == Role.CONSOLIDATOR:
        return hits.count()
    places = short_of(batch, now=now).filter(task__hit__in=hits.values("pk")).order_by()
    lacking = F("item__project__generators_per_item") - F("live")
    return int(places.annotate(lacking=lacking).aggregate(n=Sum("lacking"))["n"] or 0)
