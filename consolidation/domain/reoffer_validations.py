"""Validations that came back short of validators, offered again.

What a worker returns, the marketplace offers again by itself. Here: what expired, was refused by the
marketplace or withdrawn, and work that was rejected.
"""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.domain.reoffer import (
    Reoffered,
    offer_again,
    offer_anew,
    say_problem,
    still_offered,
)
from annotation.enums import BatchState, Role, SubmissionState
from annotation.models import Batch, Project, Submission, Task, TaskItem
from consolidation.domain.open_cases import excluded_workers, requirements_of, work_of
from consolidation.enums import CaseState
from consolidation.models import Case
from crowd.domain.ledger import BudgetExceeded
from crowd.models import Assignment, Worker

LIVE = [SubmissionState.SUBMITTED, SubmissionState.ACCEPTED]


def short_cases(*, project: Project) -> QuerySet[Case]:
    """The offered cases whose offers to validators have all ended, and that lack validations; `live`
    is how many each has."""
    tasks = Task.objects.filter(role=Role.VALIDATOR, items=OuterRef("item"))
    running = tasks.filter(still_offered("hit__"))
    unrecorded = Assignment.objects.filter(
        hit__task__role=Role.VALIDATOR, hit__task__items=OuterRef("item"), recorded_at=None
    )
    usable = Q(
        item__submissions__role=Role.VALIDATOR,
        item__submissions__state__in=LIVE,
    )
    return (
        Case.objects.filter(
            item__project=project, state=CaseState.OFFERED, task__role=Role.VALIDATOR
        )
        .exclude(Exists(running))
        .exclude(Exists(unrecorded))
        .annotate(live=Count("item__submissions", filter=usable))
        .filter(live__lt=F("item__project__validators_per_item"))
        .order_by("item__position")
    )


def reoffer_validations(*, project: Project, now: datetime, limit: int | None = None) -> Reoffered:
    """Give each short case the validators that it lacks: on its HIT where the marketplace takes it
    (nobody who worked on it sees it again), else on a new one, closed to those people. Raises
    BudgetExceeded; what was offered until then stays."""
    done = Reoffered()
    for pk in list(short_cases(project=project).values_list("pk", flat=True)[:limit]):
        done += reoffer_case(case_id=pk, now=now)
    return done


def reoffer_due_validations(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """The same, in every open batch that allows it, for up to `limit` cases each that were offered again
    less often than the batch allows; returns how many. What the budget has no room for is left out,
    and the batch says so."""
    batches = Batch.objects.filter(
        state=BatchState.OPEN, role=Role.VALIDATOR, reoffer_limit__gt=0
    ).select_related("project")
    return sum(_sweep_batch(batch, clock, limit) for batch in batches.order_by("pk"))


def _sweep_batch(batch: Batch, clock: Callable[[], datetime], limit: int) -> int:
    due = short_cases(project=batch.project).filter(
        task__batch=batch, task__ended_at=None, task__task_items__reoffers__lt=batch.reoffer_limit
    )
    done, problem = Reoffered(), ""
    for pk in list(due.values_list("pk", flat=True)[:limit]):
        try:
            done += reoffer_case(case_id=pk, now=clock())
        except BudgetExceeded as exceeded:
            problem = str(exceeded)
            break
    say_problem(batch=batch, problem=problem)
    return done.total


@transaction.atomic
def reoffer_case(*, case_id: int, now: datetime) -> Reoffered:
    """Offer the case to as many validators as it lacks; nothing happens when it lacks none (any more).
    Raises BudgetExceeded."""
    case = Case.objects.select_for_update().get(pk=case_id)
    short = short_cases(project=case.item.project).filter(pk=case_id).first()
    if short is None:
        return Reoffered()
    missing = case.item.project.validators_per_item - short.live  # type: ignore[attr-defined]
    return _offer(case, missing, now)


def _offer(case: Case, missing: int, now: datetime) -> Reoffered:
    assert case.task
    place = case.task.task_items.select_related(
        "item__project", "task__batch__project__budget", "task__batch__budget"
    ).get()
    if offer_again(task=case.task, number=missing, now=now):
        TaskItem.objects.filter(pk=place.pk).update(reoffers=F("reoffers") + 1)
        return Reoffered(raised=1)
    earlier = Submission.objects.filter(item=case.item_id, role=Role.VALIDATOR).values("worker")
    closed = [*excluded_workers(case.item), *Worker.objects.filter(pk__in=earlier)]
    case.earlier_tasks.add(case.task)
    case.task = offer_anew(
        earlier=place,
        page=work_of(case.item.project).page,
        qualifications=requirements_of(place.task.batch, closed),
        number=missing,
        now=now,
    )
    case.save(update_fields=["task"])
    return Reoffered(anew=1)
