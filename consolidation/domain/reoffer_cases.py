"""Cases whose consolidation came to nothing, offered again: expired, rejected, set aside, or returned
by an expert's review. As for generations (annotation.domain.reoffer), with one place to each case."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.domain.reoffer import (
    AUTOMATIC,
    ENDED,
    Reoffered,
    offer_again,
    offer_anew,
    say_problem,
    unsettled,
    with_work_to_come,
)
from annotation.enums import BatchState, Role, SubmissionState
from annotation.models import Batch, Project, Submission, TaskItem
from audit.domain.change_state import Moves, change_state, log_state_change
from consolidation.domain.open_cases import excluded_workers, requirements_of, work_of
from consolidation.domain.record_gold import MOVES
from consolidation.enums import CaseState, ReviewState
from consolidation.models import Case, Gold, Review
from crowd.domain.ledger import BudgetExceeded
from crowd.models import Assignment, Hit

# Cases looked at by one round of statements.
AT_ONCE = 500
# What an expert returned was paid; a new consolidation takes its place.
RETURNED: Moves = {SubmissionState.ACCEPTED: [SubmissionState.WITHDRAWN]}


# --- returned by an expert ---------------------------------------------------------------------


def reopen_returned_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Take up to `limit` consolidations that an expert returned out of use, where the batch may be
    offered again; returns how many. The gold of before stands until there is a newer one."""
    newer = Gold.objects.filter(case=OuterRef("gold__case"), version__gt=OuterRef("gold__version"))
    offered = TaskItem.objects.filter(
        task__case=OuterRef("gold__case"),
        task__batch__state=BatchState.OPEN,
        reoffers__lt=F("task__batch__reoffer_limit"),
    )
    due = (
        Review.objects.filter(
            state=ReviewState.RETURNED,
            gold__case__state=CaseState.CONSOLIDATED,
            gold__submission__isnull=False,
        )
        .exclude(Exists(newer))
        .filter(Exists(offered))
        .select_related("gold__case", "gold__submission", "expert")
        .order_by("pk")
    )
    reviews = list(due[:limit])
    for review in reviews:
        reopen_case(review=review, now=clock())
    return len(reviews)


@transaction.atomic
def reopen_case(*, review: Review, now: datetime) -> None:
    """The case waits for a consolidation again; that of before is left out. Raises MoveRefused."""
    case, submission = review.gold.case, review.gold.submission
    assert case
    assert submission
    reason, actor = f"returned: {review.comment}", str(review.expert)
    change_state(
        instance=case, new=CaseState.OFFERED, moves=MOVES, actor=actor, now=now, reason=reason
    )
    change_state(
        instance=submission,
        new=SubmissionState.WITHDRAWN,
        moves=RETURNED,
        actor=actor,
        now=now,
        reason=reason,
    )


# --- offered again -----------------------------------------------------------------------------


def short_cases(*, now: datetime) -> QuerySet[Case]:
    """The offered cases whose HIT has ended and that have no consolidation that stands or may come."""
    cases = Case.objects.filter(state=CaseState.OFFERED, task__hit__state__in=ENDED)
    cases = cases.filter(
        task__role=Role.CONSOLIDATOR, given__isnull=True, task__hit__increase_to=None
    )
    # One after the other: joined by OR, the database would read every submission for each case.
    for task in ("task__case", "task__earlier_case"):
        submissions = Submission.objects.filter(**{f"assignment__hit__{task}": OuterRef("pk")})
        hits = Hit.objects.filter(**{task: OuterRef("pk")})
        cases = (
            cases.exclude(Exists(submissions.live()))
            .exclude(Exists(unsettled(submissions)))
            .exclude(Exists(with_work_to_come(hits, now=now)))
        )
    return cases


@transaction.atomic
def reoffer_case(*, case_id: int, actor: str, now: datetime) -> Reoffered:
    """Offer the case to one more worker, who has neither generated for it nor consolidated it. Nothing
    happens when it lacks nothing (any more), or its batch isn't open. Raises BudgetExceeded."""
    batch = Batch.objects.select_for_update(of=("self",)).get(tasks__case=case_id)
    related = ("item__project", "item__sentence", "task__hit", "task__batch__project__budget")
    case = short_cases(now=now).filter(pk=case_id).select_related(*related).first()
    if case is None or batch.state != BatchState.OPEN:
        return Reoffered()
    assert case.task
    hit = case.task.hit
    done = _offer(case, now)
    log_state_change(
        instance=hit,
        old=hit.state,
        new="offered again",
        actor=actor,
        now=now,
        reason="The case has no consolidation.",
    )
    return done


def _offer(case: Case, now: datetime) -> Reoffered:
    assert case.task
    place = case.task.task_items.select_related(
        "item__project", "task__batch__project__budget", "task__batch__budget"
    ).get()
    if offer_again(task=case.task, number=1, now=now):
        TaskItem.objects.filter(pk=place.pk).update(reoffers=F("reoffers") + 1)
        return Reoffered(raised=1)
    case.earlier_tasks.add(case.task)
    case.task = offer_anew(
        earlier=place,
        page=work_of(case.item.project).page,
        qualifications=requirements_of(place.task.batch, excluded_workers(case.item)),
        number=1,
        now=now,
    )
    case.save(update_fields=["task"])
    return Reoffered(anew=1)


def reoffer_due_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Offer again, in every open batch that allows it, up to `limit` cases each; returns how many. What
    the budget has no room for is left out, and the batch says so."""
    batches = Batch.objects.filter(
        state=BatchState.OPEN, role=Role.CONSOLIDATOR, for_training=False, reoffer_limit__gt=0
    ).order_by("pk")
    return sum(_sweep_batch(batch, clock, limit) for batch in batches)


def _due_in(batch: Batch, *, now: datetime, limit: int) -> list[int]:
    """The first of the batch's short cases that may be offered again.

    Most cases whose HIT has ended wait for no more than to have their work recorded. Two plain look-ups
    leave these out: asked for everything at once, PostgreSQL takes seconds over a thousand of them
    wherever its statistics are older than the work.
    """
    waiting = Case.objects.filter(
        state=CaseState.OFFERED,
        task__batch=batch,
        task__ended_at=None,
        task__hit__state__in=ENDED,
        task__task_items__reoffers__lt=batch.reoffer_limit,
    )
    rows = list(waiting.order_by("pk").values_list("pk", "task__hit"))
    due: list[int] = []
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        hits = {hit for _, hit in some}
        unrecorded = Assignment.objects.filter(hit__in=hits, recorded_at=None)
        live = Submission.objects.live().filter(assignment__hit__in=hits)
        served = set(unrecorded.values_list("hit", flat=True))
        served |= set(live.values_list("assignment__hit", flat=True))
        if left := [pk for pk, hit in some if hit not in served]:
            short = short_cases(now=now).filter(pk__in=left).order_by("pk")
            due += short.values_list("pk", flat=True)
        if len(due) >= limit:
            break
    return due[:limit]


def _sweep_batch(batch: Batch, clock: Callable[[], datetime], limit: int) -> int:
    done, problem = Reoffered(), ""
    for pk in _due_in(batch, now=clock(), limit=limit):
        try:
            done += reoffer_case(case_id=pk, actor=AUTOMATIC, now=clock())
        except BudgetExceeded as exceeded:
            problem = str(exceeded)
            break
    say_problem(batch=batch, problem=problem)
    return done.total


def reoffer_cases(
    *, project: Project, actor: str, now: datetime, limit: int | None = None
) -> Reoffered:
    """Offer again what the project's open batches of consolidations lack, however often that has been
    done. Raises BudgetExceeded; what was offered until then stays."""
    cases = short_cases(now=now).filter(item__project=project, task__batch__state=BatchState.OPEN)
    done = Reoffered()
    for pk in list(cases.order_by("pk").values_list("pk", flat=True)[:limit]):
        done += reoffer_case(case_id=pk, actor=actor, now=now)
    return done
