"""Republish items that lack submissions, in a sweep or on request.

The marketplace republishes returned work itself. This module handles expired, refused and withdrawn
HITs, and rejected or unused work. One transaction per item locks the batch's row, so concurrent
sweeps never publish an attempt twice and a killed sweep leaves no partial changes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce

from annotation.domain.publishing.arms import count_generators, generators_needed
from annotation.domain.publishing.publish import PAGE, TaskPlan, publish_items
from annotation.domain.publishing.qualification_codes import done_code
from annotation.domain.publishing.redundancy import ACTOR as ADAPTIVE
from annotation.enums import LIVE, BatchState, RedundancyDecision, SubmissionState
from annotation.models import Batch, Item, Redundancy, Submission, Task, TaskItem
from audit.domain.change_state import log_state_change
from crowd.domain.hits.manage_hits import HitChangeError, add_assignments, extend_hit
from crowd.domain.hits.sync_hits import LATE_SUBMISSION_WINDOW
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.workers.qualifications import (
    define_qualification,
    grant_qualification,
    requirement_for,
    requirement_to_lack,
)
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Hit, QualificationType, Worker
from jobs.domain.sweep import for_each_row
from projects.enums import Role
from projects.models import Project

ENDED = [HitState.FINISHED, HitState.EXPIRED, HitState.FAILED, HitState.WITHDRAWN]
# The marketplace may still refuse the rejection. A person then decides again.
UNSETTLED = [AssignmentState.SUBMITTED, AssignmentState.REJECTING]
AUTOMATIC = "automatic republication"
REJECTED_WITH_GOLD = Q(state=SubmissionState.REJECTED, kept_units__isnull=False)
M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Republished:
    """The numbers of items republished on their HIT (`raised`) and on a new HIT (`new_hits`)."""

    raised: int = 0
    new_hits: int = 0

    @property
    def total(self) -> int:
        return self.raised + self.new_hits

    def __add__(self, other: "Republished") -> "Republished":
        return Republished(self.raised + other.raised, self.new_hits + other.new_hits)


def short_attempts(*, now: datetime) -> QuerySet[TaskItem]:
    """Return the newest attempt of each item that lacks submissions.

    The item is in production, its HITs for generators have all ended, and it has fewer live
    submissions (`live`) than it needs (`needed`). Work that was rejected after it had its gold counts
    as live, because the gold stays. Items with outstanding work or an unsettled rejection are excluded.
    """
    same_item = {"item": OuterRef("item"), "role": Role.GENERATOR}
    attempts = TaskItem.objects.filter(**same_item)
    of_item = {"task__task_items__item": OuterRef("item"), "task__role": Role.GENERATOR}
    running = attempts.filter(still_published("task__hit__"))
    submissions = Submission.objects.filter(**same_item)
    present = submissions.filter(Q(state__in=LIVE) | REJECTED_WITH_GOLD)
    live = present.order_by().values("item").annotate(n=Count("pk")).values("n")
    return (
        TaskItem.objects.filter(role=Role.GENERATOR, item__in_production=True)
        .filter(task__hit__state__in=ENDED)
        .exclude(Exists(attempts.filter(pk__gt=OuterRef("pk"))))
        .exclude(Exists(running))
        .exclude(Exists(with_work_to_come(Hit.objects.filter(**of_item), now=now)))
        .exclude(Exists(unsettled(submissions)))
        .annotate(live=Coalesce(Subquery(live, output_field=IntegerField()), 0))
        .annotate(needed=generators_needed("item__"))
        .filter(live__lt=F("needed"))
    )


def still_published(path: str = "") -> Q:
    """Return a filter for HITs that have not ended or get more assignments.

    `path` is the lookup prefix of the HIT.
    """
    ended = {f"{path}state__in": ENDED}
    return ~Q(**ended) | Q(**{f"{path}increase_to__isnull": False})


def with_work_to_come(hits: QuerySet[Hit], *, now: datetime) -> QuerySet[Hit]:
    """Return the HITs that have unrecorded assignments or may still get some.

    The latter were recently reported as finished by a worker but are not listed by the marketplace
    yet.
    """
    of_hit = Assignment.objects.filter(hit=OuterRef("pk"))
    listed = of_hit.order_by().values("hit").annotate(n=Count("pk")).values("n")
    reported = Q(
        state=HitState.EXPIRED,
        reported_at__gt=now - LATE_SUBMISSION_WINDOW,
        reported_submissions__gt=Coalesce(Subquery(listed, output_field=IntegerField()), 0),
    )
    return hits.filter(reported | Q(Exists(of_hit.filter(recorded_at=None))))


def unsettled(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    return submissions.filter(state=SubmissionState.REJECTED, assignment__state__in=UNSETTLED)


def short_of(batch: Batch, *, now: datetime) -> QuerySet[TaskItem]:
    return short_attempts(now=now).filter(task__batch=batch).order_by("item__position", "pk")


@transaction.atomic
def republish_attempt(*, task_item_id: int, actor: str, now: datetime) -> Republished:
    """Publish the attempt's item to the missing number of workers, none of whom has done it.

    The existing HIT is extended if possible, because the marketplace hides it from workers who did
    it. Otherwise, a new HIT excludes these workers. Nothing changes if no submission is missing or
    the batch is not open. Raise BudgetExceededError.
    """
    batch = Batch.objects.select_for_update(of=("self",)).get(tasks__task_items=task_item_id)
    if batch.state != BatchState.OPEN:
        return Republished()
    related = ("item__project", "task__hit", "task__batch__project__budget", "task__batch__budget")
    attempt = short_attempts(now=now).filter(pk=task_item_id).select_related(*related).first()
    if attempt is None:
        return Republished()
    target: int = attempt.needed  # type: ignore[attr-defined]
    live: int = attempt.live  # type: ignore[attr-defined]
    done = _publish(attempt, target - live, now)
    log_state_change(
        instance=attempt.task.hit,
        old=attempt.task.hit.state,
        new="republished",
        actor=actor,
        now=now,
        reason=f"{live} of {target} generations are valid.",
    )
    return done


@transaction.atomic
def ask_another(*, row: Redundancy, cents: int, now: datetime) -> bool:
    """Publish an undecided item to another annotator, which is expected to cost `cents`.

    Return False if the item's batch is not open. Raise BudgetExceededError.
    """
    rows = Redundancy.objects.select_for_update()
    changed = rows.filter(pk=row.pk, people=row.people, decision=RedundancyDecision.UNDECIDED)
    if not changed.update(people=row.people + 1, cents=row.cents + cents):
        return False
    attempts = TaskItem.objects.filter(item=row.item_id, role=Role.GENERATOR)
    newest = attempts.filter(task__batch__for_training=False).latest("pk")
    if republish_attempt(task_item_id=newest.pk, actor=ADAPTIVE, now=now).total:
        return True
    transaction.set_rollback(True)
    return False


def _publish(attempt: TaskItem, missing: int, now: datetime) -> Republished:
    if republish_on_hit(task=attempt.task, number=missing, now=now):
        TaskItem.objects.filter(pk=attempt.pk).update(republications=F("republications") + 1)
        return Republished(raised=1)
    item, batch = attempt.item, attempt.task.batch
    # Workers with a submission for the item, in any state.
    own = Worker.objects.filter(submissions__item=item, submissions__role=attempt.role)
    workers = list(own.distinct())
    republish_on_new_hit(
        earlier=attempt,
        page=PAGE,
        qualifications=closed_to(workers, batch=batch, item=item, now=now),
        number=missing,
        now=now,
    )
    return Republished(new_hits=1)


def republish_on_hit(*, task: Task, number: int, now: datetime) -> bool:
    """Add `number` places to the task's HIT.

    Return False if the HIT can't be used. Raise BudgetExceededError.
    """
    hit = task.hit
    if hit.external_id is None or hit.error or task.task_items.count() > 1:
        return False
    free = hit.max_assignments - hit.assignments.count() if hit.state == HitState.EXPIRED else 0
    if free > number:
        return False  # an extended HIT would offer more places than are missing
    end = now + timedelta(seconds=task.batch.lifetime_seconds)
    try:
        if number > free:
            add_assignments(hit=hit, number=number - free, now=now)
    except HitChangeError:
        return False
    Task.objects.filter(pk=task.pk).update(ended_at=None)
    return extend_hit(hit=hit, ends_at=end, now=now)


def republish_on_new_hit(
    *,
    earlier: TaskItem,
    page: str,
    qualifications: list[dict[str, Any]],
    number: int,
    now: datetime,
) -> Task:
    """Publish the item of an earlier attempt on a new HIT. Raise BudgetExceededError."""
    item = earlier.item
    (task,) = publish_items(
        batch=earlier.task.batch,
        plans=[TaskPlan([item], next_attempt(item, earlier.role))],
        page=page,
        now=now,
        qualifications=qualifications,
        max_assignments=number,
        round=earlier.task.round,
    )
    task.task_items.update(republications=earlier.republications + 1)
    return task


def next_attempt(item: Item, role: str) -> int:
    """Return the first attempt at which the item was not published to the role."""
    last = item.task_items.filter(role=role).aggregate(last=Max("attempt"))["last"]
    return 0 if last is None else last + 1


def has_room_for(*, submission: Submission) -> bool:
    """Return True if rejected work can be used again.

    This requires that no other work replaces it or can still do so. For consolidations and
    validations, only work of the same HIT counts.
    """
    assert submission.assignment
    task = submission.assignment.hit.task
    others = Submission.objects.live().filter(item=submission.item_id, role=submission.role)
    attempts = TaskItem.objects.filter(item=submission.item_id, role=submission.role)
    if attempts.filter(task__round__gt=task.round).exists():
        return False  # the annotation was revised since
    target = 1
    if submission.role == Role.GENERATOR:
        target = count_generators(submission.item)
    else:
        others, attempts = others.filter(assignment__hit__task=task), attempts.filter(task=task)
    published = attempts.filter(still_published("task__hit__")).annotate(
        done=Count("task__hit__assignments")
    )
    rows = published.values_list("task__hit__increase_to", "task__hit__max_assignments", "done")
    free = sum(max(0, (increase or size) - done) for increase, size, done in rows)
    return others.exclude(pk=submission.pk).count() + free < target


def has_done_before(*, task: Task, worker: str, assignment: str) -> bool:
    """Return True if the worker did the republished task under another assignment.

    `worker` and `assignment` are ids of the marketplace, which itself prevents repeats on the same
    HIT.
    """
    republished = task.task_items.filter(republications__gt=0).values("item")
    earlier = Submission.objects.filter(
        item__in=republished,
        role=task.role,
        worker__external_id=worker,
        assignment__hit__task__round=task.round,
    )
    return earlier.exclude(assignment__external_id=assignment).exists()


def closed_to(
    workers: list[Worker], *, batch: Batch, item: Item, now: datetime
) -> list[dict[str, Any]]:
    """Return the batch's requirements, changed to exclude the workers.

    A requirement for a pool with values excludes them by value. Otherwise, a qualification is
    granted to these workers only, and the requirements exclude its holders.
    """
    provider = batch.project.provider
    requirements = [_exclude(row, provider, workers) for row in batch.qualifications]
    if not workers or requirements != batch.qualifications:
        return requirements
    done_qualification = define_qualification(
        provider=provider,
        code=done_code(batch.project, item),
        name=f"{batch.project.slug}: has done item {item.pk}",
        description="Prevents workers from getting the same task twice.",
    )
    for worker in workers:
        grant_qualification(qualification=done_qualification, worker=worker, value=1, now=now)
    return [*requirements, requirement_to_lack(qualification=done_qualification)]


def _exclude(requirement: dict[str, Any], provider: str, workers: list[Worker]) -> dict[str, Any]:
    """Return a pool's requirement without the workers, or any other requirement unchanged."""
    if requirement.get("comparator") != "Exists" or "code" not in requirement:
        return requirement
    pool = QualificationType.objects.get(provider=provider, code=requirement["code"])
    return requirement_for(qualification=pool, without=workers)


def republish_due_items(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Republish up to `limit` items in each open batch that allows it.

    Return the number of items. Items that exceed the budget are left out, and the batch's
    `republish_problem` gives the reason.
    """
    batches = Batch.objects.filter(
        state=BatchState.OPEN, role=Role.GENERATOR, republish_limit__gt=0
    ).order_by("pk")

    def due(batch: Batch, now: datetime) -> QuerySet[TaskItem]:
        attempts = short_of(batch, now=now)
        return attempts.filter(republications__lt=batch.republish_limit, task__ended_at=None)

    return republish_in_batches(
        sweep="republish items",
        batches=batches,
        due=due,
        republish=lambda attempt, now: republish_attempt(
            task_item_id=attempt.pk, actor=AUTOMATIC, now=now
        ),
        clock=clock,
        limit=limit,
    )


def republish_in_batches(
    *,
    sweep: str,
    batches: QuerySet[Batch],
    due: Callable[[Batch, datetime], QuerySet[M]],
    republish: Callable[[M, datetime], Republished],
    clock: Callable[[], datetime],
    limit: int,
) -> int:
    """Republish up to `limit` due rows of each batch. Return the number of items.

    A batch ends for this pass at the first row that exceeds its budget, and stores the reason.
    """

    def republish_batch(batch: Batch, now: datetime) -> int:
        problem = ""

        def republish_row(row: M, now: datetime) -> int:
            nonlocal problem
            if problem:
                return 0
            try:
                return republish(row, now).total
            except BudgetExceededError as exceeded:
                problem = str(exceeded)
                return 0

        total = for_each_row(
            sweep=sweep, rows=due(batch, now), process=republish_row, clock=clock, limit=limit
        )
        store_problem(batch=batch, problem=problem)
        return total

    return for_each_row(
        sweep=f"{sweep}: batches", rows=batches, process=republish_batch, clock=clock
    )


def store_problem(*, batch: Batch, problem: str) -> None:
    """Store the reason why the last republication left items out, or clear it."""
    if problem != batch.republish_problem:
        Batch.objects.filter(pk=batch.pk).update(republish_problem=problem)


def republish_items(
    *, project: Project, actor: str, now: datetime, limit: int | None = None
) -> Republished:
    """Republish the items that lack submissions in the project's open batches.

    The batches' limits do not apply. Raise BudgetExceededError. Items republished before the error
    stay published.
    """
    attempts = short_attempts(now=now).filter(
        item__project=project, task__batch__state=BatchState.OPEN
    )
    done = Republished()
    for pk in list(attempts.order_by("item__position").values_list("pk", flat=True)[:limit]):
        done += republish_attempt(task_item_id=pk, actor=actor, now=now)
    return done
