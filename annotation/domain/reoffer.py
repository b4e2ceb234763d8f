"""Items that came back short of work, offered again: by the sweep as their batch allows, or by hand.

What a worker returns, the marketplace offers again by itself. Here: what expired, what the marketplace
refused, what was withdrawn, and work that was rejected or set aside. Everything about one item happens
in one transaction that holds its batch's row, so that two sweeps never offer one place twice and a
killed one leaves nothing half done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.domain.publish import PAGE, Offer, offer_items
from annotation.domain.qualification_codes import done_code
from annotation.enums import BatchState, Role, SubmissionState
from annotation.models import Batch, Item, Project, Submission, Task, TaskItem
from audit.domain.change_state import log_state_change
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.qualifications import (
    define_qualification,
    grant_qualification,
    requirement_for,
    requirement_to_lack,
)
from crowd.domain.steer_hits import CanNotSteer, add_assignments, extend_hit
from crowd.domain.sync_hits import PATIENCE
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Hit, QualificationType, Worker

ENDED = [HitState.FINISHED, HitState.EXPIRED, HitState.FAILED, HitState.WITHDRAWN]
# A rejection that the marketplace may still refuse: then a person decides anew, and the work may count.
UNSETTLED = [AssignmentState.SUBMITTED, AssignmentState.REJECTING]
AUTOMATIC = "automatic re-offer"


@dataclass(frozen=True, slots=True)
class Reoffered:
    """How many places got their HIT back, or more room on it, and how many a HIT of their own."""

    raised: int = 0
    anew: int = 0

    @property
    def total(self) -> int:
        return self.raised + self.anew

    def __add__(self, other: "Reoffered") -> "Reoffered":
        return Reoffered(self.raised + other.raised, self.anew + other.anew)


# --- which ones --------------------------------------------------------------------------------


def short_places(*, now: datetime) -> QuerySet[TaskItem]:
    """The newest place of each item in production whose offers to generators have all ended, and that
    has fewer live submissions (`live`) than its project wants. Where finished work may still come in,
    or a rejection isn't settled, an item has to wait."""
    own = {"item": OuterRef("item"), "role": Role.GENERATOR}
    places = TaskItem.objects.filter(**own)
    offers = {"task__task_items__item": OuterRef("item"), "task__role": Role.GENERATOR}
    running = places.filter(still_offered("task__hit__"))
    submissions = Submission.objects.filter(**own)
    live = submissions.live().order_by().values("item").annotate(n=Count("pk")).values("n")
    return (
        TaskItem.objects.filter(role=Role.GENERATOR, item__in_production=True)
        .filter(task__hit__state__in=ENDED)
        .exclude(Exists(places.filter(pk__gt=OuterRef("pk"))))
        .exclude(Exists(running))
        .exclude(Exists(with_work_to_come(Hit.objects.filter(**offers), now=now)))
        .exclude(Exists(unsettled(submissions)))
        .annotate(live=Coalesce(Subquery(live, output_field=IntegerField()), 0))
        .filter(live__lt=F("item__project__generators_per_item"))
    )


def still_offered(path: str = "") -> Q:
    """Of HITs that `path` leads to: offered, about to be, or about to be offered to more workers."""
    ended = {f"{path}state__in": ENDED}
    return ~Q(**ended) | Q(**{f"{path}increase_to__isnull": False})


def with_work_to_come(hits: QuerySet[Hit], *, now: datetime) -> QuerySet[Hit]:
    """Those of the HITs with work that came in and isn't recorded, or that somebody said, not long ago,
    to have finished and that isn't listed."""
    of_hit = Assignment.objects.filter(hit=OuterRef("pk"))
    listed = of_hit.order_by().values("hit").annotate(n=Count("pk")).values("n")
    claimed = Q(
        state=HitState.EXPIRED,
        claimed_at__gt=now - PATIENCE,
        claimed_assignments__gt=Coalesce(Subquery(listed, output_field=IntegerField()), 0),
    )
    return hits.filter(claimed | Q(Exists(of_hit.filter(recorded_at=None))))


def unsettled(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    return submissions.filter(state=SubmissionState.REJECTED, assignment__state__in=UNSETTLED)


def short_of(batch: Batch, *, now: datetime) -> QuerySet[TaskItem]:
    return short_places(now=now).filter(task__batch=batch).order_by("item__position", "pk")


# --- one place ---------------------------------------------------------------------------------


@transaction.atomic
def reoffer_place(*, place_id: int, actor: str, now: datetime) -> Reoffered:
    """Offer the place's item to as many workers as it lacks, none of whom has done it.

    Where it can, the HIT that there is gets the missing places: the marketplace shows it to nobody
    who worked on it. Otherwise the item goes out at its next place, closed to those people. Nothing
    happens when the item lacks nothing (any more), or its batch isn't open. Raises BudgetExceeded.
    """
    batch = Batch.objects.select_for_update(of=("self",)).get(tasks__task_items=place_id)
    if batch.state != BatchState.OPEN:
        return Reoffered()
    related = ("item__project", "task__hit", "task__batch__project__budget", "task__batch__budget")
    place = short_places(now=now).filter(pk=place_id).select_related(*related).first()
    if place is None:
        return Reoffered()
    wanted: int = place.item.project.generators_per_item
    live: int = place.live  # type: ignore[attr-defined]
    done = _offer(place, wanted - live, now)
    log_state_change(
        instance=place.task.hit,
        old=place.task.hit.state,
        new="offered again",
        actor=actor,
        now=now,
        reason=f"{live} of {wanted} generations stand.",
    )
    return done


def _offer(place: TaskItem, missing: int, now: datetime) -> Reoffered:
    if offer_again(task=place.task, number=missing, now=now):
        TaskItem.objects.filter(pk=place.pk).update(reoffers=F("reoffers") + 1)
        return Reoffered(raised=1)
    item, batch = place.item, place.task.batch
    workers = done_by(item, place.role)
    offer_anew(
        earlier=place,
        page=PAGE,
        qualifications=closed_to(workers, batch=batch, item=item, now=now),
        number=missing,
        now=now,
    )
    return Reoffered(anew=1)


def offer_again(*, task: Task, number: int, now: datetime) -> bool:
    """Offer `number` places on the task's HIT; says whether it could be done. Raises BudgetExceeded."""
    hit = task.hit
    if hit.external_id is None or hit.error or task.task_items.count() > 1:
        return False
    free = hit.max_assignments - hit.assignments.count() if hit.state == HitState.EXPIRED else 0
    if free > number:
        return False  # extended, it would offer more than is missing
    end = now + timedelta(seconds=task.batch.lifetime_seconds)
    try:
        if number > free:
            add_assignments(hit=hit, number=number - free, now=now)
    except CanNotSteer:
        return False
    Task.objects.filter(pk=task.pk).update(ended_at=None)
    return extend_hit(hit=hit, ends_at=end, now=now)


def offer_anew(
    *,
    earlier: TaskItem,
    page: str,
    qualifications: list[dict[str, Any]],
    number: int,
    now: datetime,
) -> Task:
    """A HIT of its own for the item of an earlier place. Raises BudgetExceeded."""
    item = earlier.item
    (task,) = offer_items(
        batch=earlier.task.batch,
        offers=[Offer([item], next_place(item, earlier.role))],
        page=page,
        now=now,
        qualifications=qualifications,
        max_assignments=number,
    )
    task.task_items.update(reoffers=earlier.reoffers + 1)
    return task


def next_place(item: Item, role: str) -> int:
    """The first place at which the item has not been offered to the role."""
    last = item.task_items.filter(role=role).aggregate(last=Max("place"))["last"]
    return 0 if last is None else last + 1


def has_room_for(*, submission: Submission) -> bool:
    """Whether work that was rejected can count again: nobody has done it in its stead, and nobody can.
    Of consolidations, those of the same HIT are looked at."""
    assert submission.assignment
    task = submission.assignment.hit.task
    others = Submission.objects.live().filter(item=submission.item_id, role=submission.role)
    places = TaskItem.objects.filter(item=submission.item_id, role=submission.role)
    wanted = 1
    if submission.role == Role.GENERATOR:
        wanted = submission.item.project.generators_per_item
    else:
        others, places = others.filter(assignment__hit__task=task), places.filter(task=task)
    offered = places.filter(still_offered("task__hit__")).annotate(
        done=Count("task__hit__assignments")
    )
    rows = offered.values_list("task__hit__increase_to", "task__hit__max_assignments", "done")
    free = sum(max(0, (increase or size) - done) for increase, size, done in rows)
    return others.exclude(pk=submission.pk).count() + free < wanted


# --- who has done it already -------------------------------------------------------------------


def has_done_before(*, task: Task, worker: str, assignment: str) -> bool:
    """Whether the worker has handed in the task's work before, under another assignment (both are the
    marketplace's ids). Marketplaces see to it as long as the work keeps its HIT."""
    again = task.task_items.filter(reoffers__gt=0).values("item")
    earlier = Submission.objects.filter(item__in=again, role=task.role, worker__external_id=worker)
    return earlier.exclude(assignment__external_id=assignment).exists()


def done_by(item: Item, role: str) -> list[Worker]:
    """Whoever handed in something for the item in the role, whatever became of it."""
    return list(Worker.objects.filter(submissions__item=item, submissions__role=role).distinct())


def closed_to(
    workers: list[Worker], *, batch: Batch, item: Item, now: datetime
) -> list[dict[str, Any]]:
    """The batch's requirements, closed to the workers: by their numbers where it asks for a pool whose
    members have them, else by a qualification that nobody but they hold."""
    provider = batch.project.provider
    asked = [_without(one, provider, workers) for one in batch.qualifications]
    if not workers or asked != batch.qualifications:
        return asked
    mark = define_qualification(
        provider=provider,
        code=done_code(batch.project, item),
        name=f"{batch.project.slug}: has done item {item.pk}",
        description="Keeps people from being given the same task twice.",
    )
    for one in workers:
        grant_qualification(qualification=mark, worker=one, value=1, now=now)
    return [*asked, requirement_to_lack(qualification=mark)]


def _without(one: dict[str, Any], provider: str, workers: list[Worker]) -> dict[str, Any]:
    """A pool's requirement, leaving out those of the workers who hold it; any other as it is."""
    if one.get("comparator") != "Exists" or "code" not in one:
        return one
    pool = QualificationType.objects.get(provider=provider, code=one["code"])
    return requirement_for(qualification=pool, without=workers)


# --- many --------------------------------------------------------------------------------------


def reoffer_due_items(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Offer again, in every open batch that allows it, up to `limit` items each; returns how many. What
    the budget has no room for is left out, and the batch says so."""
    batches = Batch.objects.filter(
        state=BatchState.OPEN, role=Role.GENERATOR, reoffer_limit__gt=0
    ).order_by("pk")
    return sum(_sweep_batch(batch, clock, limit) for batch in batches)


def _sweep_batch(batch: Batch, clock: Callable[[], datetime], limit: int) -> int:
    due = short_of(batch, now=clock()).filter(reoffers__lt=batch.reoffer_limit, task__ended_at=None)
    done, problem = Reoffered(), ""
    for pk in list(due.values_list("pk", flat=True)[:limit]):
        try:
            done += reoffer_place(place_id=pk, actor=AUTOMATIC, now=clock())
        except BudgetExceeded as exceeded:
            problem = str(exceeded)
            break
    say_problem(batch=batch, problem=problem)
    return done.total


def say_problem(*, batch: Batch, problem: str) -> None:
    """Note why the last re-offer left something out; nothing clears an earlier note."""
    if problem != batch.reoffer_problem:
        Batch.objects.filter(pk=batch.pk).update(reoffer_problem=problem)


def reoffer_items(
    *, project: Project, actor: str, now: datetime, limit: int | None = None
) -> Reoffered:
    """Offer again what the project's open batches lack, however often that has been done. Raises
    BudgetExceeded; what was offered until then stays."""
    places = short_places(now=now).filter(item__project=project, task__batch__state=BatchState.OPEN)
    done = Reoffered()
    for pk in list(places.order_by("item__position").values_list("pk", flat=True)[:limit]):
        done += reoffer_place(place_id=pk, actor=actor, now=now)
    return done
