"""Republish cases that lack a consolidation or validations, and reopen returned cases.

The work expired, or was rejected, set aside or returned. Generations are republished in
annotation.domain.publishing.republish.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.domain.publishing.republish import AUTOMATIC, Republished, republish_in_batches
from annotation.enums import BatchState, SubmissionState
from annotation.models import Batch, Submission, TaskItem
from audit.domain.change_state import change_state, log_state_change
from consolidation.domain.case_records import REPLACED, TRANSITIONS
from consolidation.domain.cases.open_cases import (
    excluded_workers,
    offer_case_again,
    requirements_of,
)
from consolidation.domain.cases.revise import (
    PAGE,
    author_of,
    requirements_of_author,
    unanswered_revisions,
)
from consolidation.enums import CaseState, ReviewState
from consolidation.models import Case, Gold, Review
from consolidation.protocols import CASE_ROLES, protocol_of_role
from jobs.domain.sweep import for_each_row
from projects.enums import Role
from projects.models import Project


def reopen_returned_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Reopen up to `limit` cases whose gold an expert returned. Return the number reopened.

    Only cases that may be republished are reopened. The old gold stays current until a newer
    version exists.
    """
    newer = Gold.objects.filter(case=OuterRef("gold__case"), version__gt=OuterRef("gold__version"))
    offered = TaskItem.objects.filter(
        task__case=OuterRef("gold__case"),
        task__batch__state=BatchState.OPEN,
        republications__lt=F("task__batch__republish_limit"),
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
    return for_each_row(
        sweep="reopen returned cases", rows=due, process=_reopen, clock=clock, limit=limit
    )


@transaction.atomic
def _reopen(review: Review, now: datetime) -> int:
    """Reopen the case and withdraw its consolidation. Raise TransitionNotAllowedError."""
    assert review.gold.case
    case = Case.objects.select_for_update(of=("self",)).get(pk=review.gold.case.pk)
    reason = f"returned: {review.comment}"
    return_case(case=case, actor=str(review.expert), reason=reason, now=now)
    return 1


def return_case(*, case: Case, actor: str, reason: str, now: datetime) -> None:
    """Return a settled case to its workers, and withdraw the paid work that settled it.

    The caller must lock the case. Raise TransitionNotAllowedError.
    """
    assert case.task
    terms: dict[str, Any] = {"actor": actor, "now": now, "reason": reason}
    change_state(instance=case, new=CaseState.OFFERED, transitions=TRANSITIONS, **terms)
    used = Submission.objects.accepted().filter(
        role=case.task.role,
        assignment__hit__task__case_task__case=case,
        assignment__hit__task__round=case.round,
    )
    for submission in used:
        change_state(
            instance=submission, new=SubmissionState.WITHDRAWN, transitions=REPLACED, **terms
        )


@transaction.atomic
def republish_case(*, case_id: int, actor: str, now: datetime) -> Republished:
    """Offer the case to the workers that it lacks, none of whom has worked on it.

    Do nothing if the case lacks nothing or its batch isn't open. Raise BudgetExceededError.
    """
    batch = Batch.objects.select_for_update(of=("self",)).get(tasks__case=case_id)
    related = ("item__project", "item__sentence", "task__hit", "task__batch__project__budget")
    short = short_cases_of(batch, now=now)
    case = short.filter(pk=case_id).select_related(*related).first()
    if case is None or batch.state != BatchState.OPEN:
        return Republished()
    assert case.task
    hit = case.task.hit
    if batch.role == Role.REVISER:
        done, reason = _offer_revision_again(case, now), "The annotation is not revised."
    else:
        done, reason = _offer_again(case, now)
    log_state_change(
        instance=hit, old=hit.state, new="republished", actor=actor, now=now, reason=reason
    )
    return done


def short_cases_of(batch: Batch, *, now: datetime) -> QuerySet[Case]:
    """Return the batch's cases that lack work and can be republished now, oldest first."""
    if batch.role == Role.REVISER:
        cases = unanswered_revisions(batch.project, now)
    else:
        cases = protocol_of_role(batch.role, batch.project).short_cases(batch.project, now)
    return cases.filter(task__batch=batch).order_by("pk")


def missing_of(batch: Batch, case: Case) -> int:
    """Return the number of people whom the short case lacks."""
    if batch.role == Role.REVISER:
        return 1
    return protocol_of_role(batch.role, batch.project).missing(case)[0]


def _offer_again(case: Case, now: datetime) -> tuple[Republished, str]:
    assert case.task
    protocol = protocol_of_role(case.task.role, case.item.project)
    number, reason = protocol.missing(case)
    closed_to = [*excluded_workers(case.item), *protocol.also_excluded(case)]
    done = offer_case_again(
        case=case,
        number=number,
        page=protocol.page,
        requirements=lambda batch: requirements_of(batch, closed_to),
        now=now,
    )
    return done, reason


def _offer_revision_again(case: Case, now: datetime) -> Republished:
    author = author_of(case)
    assert author
    return offer_case_again(
        case=case,
        number=1,
        page=PAGE,
        requirements=lambda batch: requirements_of_author(batch, author, now),
        now=now,
    )


def republish_due_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Republish up to `limit` cases of each open batch that allows it. Return the number.

    Cases that exceed the budget are skipped, and the problem is stored on the batch.
    """
    batches = Batch.objects.filter(
        state=BatchState.OPEN,
        role__in=CASE_ROLES,
        for_training=False,
        republish_limit__gt=0,
    )

    def due(batch: Batch, now: datetime) -> QuerySet[Case]:
        return short_cases_of(batch, now=now).filter(
            task__ended_at=None,
            task__task_items__republications__lt=batch.republish_limit,
        )

    return republish_in_batches(
        sweep="republish cases",
        batches=batches.select_related("project").order_by("pk"),
        due=due,
        republish=lambda case, now: republish_case(case_id=case.pk, actor=AUTOMATIC, now=now),
        clock=clock,
        limit=limit,
    )


def republish_cases(
    *, project: Project, actor: str, now: datetime, limit: int | None = None
) -> Republished:
    """Republish short cases of the project's open batches, regardless of their limits.

    Raise BudgetExceededError. Cases that were republished before the error stay published.
    """
    batches = project.batches.filter(
        role__in=CASE_ROLES, state=BatchState.OPEN, for_training=False
    ).select_related("project")
    done = Republished()
    for batch in batches.order_by("pk"):
        cases = short_cases_of(batch, now=now).values_list("pk", flat=True)
        for pk in list(cases[:limit]):
            done += republish_case(case_id=pk, actor=actor, now=now)
    return done
