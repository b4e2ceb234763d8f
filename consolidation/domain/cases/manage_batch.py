"""Actions on a batch or on some of its HITs, shared by pages and commands.

The module is in this app because a batch contains generations or cases, which are republished
differently.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, QuerySet, Sum
from django.db.models.functions import Greatest
from django.utils import timezone

from annotation.domain.publishing import batch_actions
from annotation.domain.publishing.batch_actions import hits_of
from annotation.domain.publishing.change_hits import AFFECTED
from annotation.domain.publishing.publish import cost_of
from annotation.domain.publishing.republish import Republished, republish_attempt, short_of
from annotation.enums import BatchState
from annotation.models import Batch
from audit.domain.change_state import change_state
from consolidation.domain.cases.republish_cases import missing_of, republish_case, short_cases_of
from consolidation.enums import Action
from consolidation.protocols import CASE_ROLES
from crowd.domain.hits.manage_hits import HitChangeError
from crowd.enums import HitState
from crowd.models import Hit, HitQuerySet
from projects.models import Project


@dataclass(frozen=True, slots=True)
class Order:
    """An action with its parameters.

    An extension ends `days` days from now. `assignments` is the number added to each HIT.
    """

    action: Action
    days: int = 14
    assignments: int = 1


def apply_action(
    *, batch: Batch, order: Order, actor: str, now: datetime, hits: HitQuerySet | None = None
) -> int:
    """Apply the action to the batch, or to the given HITs. Return the number of affected HITs.

    The action is all or nothing, except that a job changes more than AT_A_TIME HITs (see
    `change_hits`). Raise TransitionNotAllowedError, BudgetExceededError, HitChangeError.
    """
    # The state of a whole batch changes even if no HIT is affected.
    needs_hits = hits is not None or order.action in (Action.ADD, Action.REPUBLISH)
    changed = affected(batch=batch, action=order.action, hits=hits, now=now)
    if needs_hits and not changed.exists():
        raise HitChangeError(nothing_to(order.action, batch.project))
    if order.action is Action.REPUBLISH:
        return republish_batch(batch=batch, hits=hits, actor=actor, now=now).total
    terms: dict[str, Any] = {"batch": batch, "actor": actor, "now": now, "hits": hits}
    match order.action:
        case Action.PAUSE:
            return batch_actions.pause_batch(**terms)
        case Action.RESUME:
            return batch_actions.resume_batch(**terms)
        case Action.EXPIRE:
            return batch_actions.expire_batch(**terms)
        case Action.EXTEND:
            return batch_actions.extend_batch(ends_at=now + timedelta(days=order.days), **terms)
        case _:
            return batch_actions.add_to_batch(number=order.assignments, **terms)


NOTHING = {
    Action.PAUSE: "No open {hit}s to pause.",
    Action.RESUME: "No paused {hit}s to resume.",
    Action.EXTEND: "No live or expired {hit}s to extend.",
    Action.EXPIRE: "No open {hit}s to end.",
    Action.ADD: "No published {hit}s to add assignments to.",
    Action.REPUBLISH: (
        "No {hit}s to republish. Either no annotations are missing, or submissions may still arrive "
        "(up to two hours after a {hit} ends)."
    ),
}


def nothing_to(action: Action, project: Project) -> str:
    """Return why the action changes nothing."""
    return NOTHING[action].format(hit=project.hit_noun)


@transaction.atomic
def republish_batch(
    *, batch: Batch, actor: str, now: datetime, hits: QuerySet[Hit] | None = None
) -> Republished:
    """Republish missing work of the batch, or of the given HITs, regardless of its limit.

    The action is all or nothing and opens a closed batch. Raise HitChangeError while the batch is
    paused, and BudgetExceededError.
    """
    if batch.state == BatchState.PAUSED:
        raise HitChangeError("The batch is paused. Resume it first.")
    if batch.state == BatchState.CLOSED and hits is not None:
        # Reopen the batch for these HITs only. Its other tasks stay closed.
        others = batch.tasks.exclude(hit__in=hits.values("pk"))
        others.filter(ended_at=None).update(ended_at=now)
    change_state(
        instance=batch,
        new=BatchState.OPEN,
        transitions=batch_actions.TRANSITIONS,
        actor=actor,
        now=now,
    )
    short = _short(batch, now)
    chosen = short if hits is None else short.filter(task__hit__in=hits.values("pk"))
    done = Republished()
    for pk in list(chosen.values_list("pk", flat=True)):
        if batch.role in CASE_ROLES:
            done += republish_case(case_id=pk, actor=actor, now=now)
        else:
            done += republish_attempt(task_item_id=pk, actor=actor, now=now)
    return done


def _short(batch: Batch, now: datetime) -> QuerySet[Any]:
    """Return the batch's cases or attempts that lack annotations and can be republished now."""
    if batch.role in CASE_ROLES:
        return short_cases_of(batch, now=now)
    return short_of(batch, now=now)


def short_hits(*, batch: Batch, now: datetime) -> HitQuerySet:
    """Return the newest HITs of items that lack annotations and can be republished now."""
    return Hit.objects.filter(pk__in=_short(batch, now).order_by().values("task__hit"))


def count_short(batch: str, *, project: Project) -> int:
    """Count the HITs of the batch that could be offered again."""
    row = project.batches.get(pk=batch)
    return short_hits(batch=row, now=timezone.now()).count()


def affected(
    *, batch: Batch, action: Action, now: datetime, hits: HitQuerySet | None = None
) -> HitQuerySet:
    """Return the HITs that the action would change."""
    if action is Action.REPUBLISH:
        short = short_hits(batch=batch, now=now)
        return short if hits is None else short.filter(pk__in=hits.values("pk"))
    return (hits_of(batch) if hits is None else hits).filter(AFFECTED[action])


def most_cents(*, batch: Batch, order: Order, hits: HitQuerySet, now: datetime) -> int:
    """Return the most that the order can reserve for its affected `hits`, in cents with fees."""
    largest = hits.aggregate(n=Max("max_assignments"))["n"] or 1
    unit_cents = cost_of(batch, 1, assignments=largest) // largest
    match order.action:
        case Action.ADD:
            return unit_cents * (hits.count() * order.assignments + _unused(hits))
        case Action.EXTEND:
            return unit_cents * _unused(hits)
        case Action.REPUBLISH:
            return unit_cents * _missing(batch, hits, now)
        case _:
            return 0


def _unused(hits: HitQuerySet) -> int:
    """Count the unused assignments of expired HITs. An extension reserves their money again."""
    ended = Hit.objects.filter(pk__in=hits.values("pk"), state=HitState.EXPIRED)
    free = Greatest(F("max_assignments") - F("done"), 0)
    counted = ended.annotate(done=Count("assignments")).annotate(free=free)
    return int(counted.aggregate(n=Sum("free"))["n"] or 0)


def _missing(batch: Batch, hits: HitQuerySet, now: datetime) -> int:
    if batch.role in CASE_ROLES:
        short = short_cases_of(batch, now=now).filter(task__hit__in=hits.values("pk"))
        return sum(missing_of(batch, case) for case in short.select_related("item__project"))
    attempts = short_of(batch, now=now).filter(task__hit__in=hits.values("pk")).order_by()
    lacking = F("needed") - F("live")
    return int(attempts.annotate(lacking=lacking).aggregate(n=Sum("lacking"))["n"] or 0)
