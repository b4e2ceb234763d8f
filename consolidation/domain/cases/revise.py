"""Revisions: disputed annotations return to their generators, each on a HIT for one worker."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.domain.publishing.publish import TaskPlan, publish_items
from annotation.domain.publishing.qualification_codes import pool_code, pool_of
from annotation.domain.publishing.republish import ENDED, next_attempt, unsettled, with_work_to_come
from annotation.enums import BatchState, SubmissionState
from annotation.models import Batch, Item, Submission
from audit.domain.change_state import change_state, log_state_change
from consolidation.domain.case_records import REPLACED, TRANSITIONS, case_of, link_task
from consolidation.domain.cases.dispute import AUTOMATIC, leave_disputed
from consolidation.domain.cases.open_cases import case_batch, store_problem_of
from consolidation.enums import CaseState
from consolidation.models import Case
from consolidation.protocols import protocol_of
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.workers.qualifications import (
    define_qualification,
    grant_qualification,
    group_requirement,
)
from crowd.enums import AssignmentState, BlockState, GrantState
from crowd.models import Block, Hit, Worker
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project

PAGE = "consolidation:revise"


def publish_due_revisions(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Publish up to `limit` revisions to the annotations' authors. Return the number of cases.

    Revisions that exceed the budget are published later.
    """
    due = Case.objects.filter(state=CaseState.REVISING, task=None, item__project__archived_at=None)
    return for_each_row(
        sweep="offer revisions",
        rows=due.only("pk").order_by("pk"),
        process=_publish,
        clock=clock,
        limit=limit,
    )


def _publish(case: Case, now: datetime) -> bool:
    try:
        return publish_revision(case_id=case.pk, now=now)
    except BudgetExceededError as exceeded:
        store_problem_of(case.pk, str(exceeded))
        return False


@transaction.atomic
def publish_revision(*, case_id: int, now: datetime) -> bool:
    """Plan a HIT that only the annotation's author can accept. Raise BudgetExceededError.

    The case stays disputed if its author no longer works for the project.
    """
    case = Case.objects.select_for_update().get(pk=case_id)
    if case.state != CaseState.REVISING or case.task_id:
        return False
    item = Item.objects.select_related("project__budget", "sentence").get(pk=case.item_id)
    author = author_of(case)
    if author is None or _has_left(author, item.project):
        leave_disputed(case=case, reason="The annotator no longer works on this project.", now=now)
        return True
    batch = case_batch(project=item.project, role=Role.REVISER, now=now)
    if batch.state != BatchState.OPEN:
        return False
    task = publish_items(
        batch=batch,
        plans=[TaskPlan([item], next_attempt(item, Role.REVISER))],
        page=PAGE,
        now=now,
        qualifications=requirements_of_author(batch, author, now),
        max_assignments=1,
        round=case.round,
    )[0]
    link_task(case=case, task=task)
    case.save(update_fields=["task"])
    log_state_change(
        instance=case,
        old=case.state,
        new=case.state,
        actor=AUTOMATIC,
        now=now,
        reason=f"offered to {author} to revise",
    )
    return True


def author_of(case: Case) -> Worker | None:
    """Return the worker who wrote the case's annotation."""
    return case.sources.select_related("submission__worker").get().submission.worker


def _has_left(worker: Worker, project: Project) -> bool:
    """Return True if the worker is blocked or was removed from the project's pool."""
    blocked = Block.objects.filter(
        worker=worker, state__in=[BlockState.PENDING, BlockState.BLOCKED]
    )
    pool = pool_of(project=project, role=Role.GENERATOR)
    revoked = pool and pool.grants.filter(
        worker=worker, state__in=[GrantState.REVOKING, GrantState.REVOKED]
    )
    return blocked.exists() or bool(revoked and revoked.exists())


def requirements_of_author(batch: Batch, author: Worker, now: datetime) -> list[dict[str, Any]]:
    """Return the batch's requirements, plus one that only the author meets.

    Each author has a value of the project's qualification for revisions.
    """
    project = batch.project
    qualification = define_qualification(
        provider=project.provider,
        code=pool_code(project, Role.REVISER),
        name=f"{project.slug}: revises own annotations",
        description="Offers workers the annotations that they may revise.",
    )
    grant = grant_qualification(qualification=qualification, worker=author, now=now)
    own = group_requirement(qualification=qualification, values=[grant.value])
    return [*batch.qualifications, own]


def accept_due_revisions(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Use up to `limit` accepted revisions in place of what was disputed. Return the number."""
    task = "assignment__hit__task"
    due = Submission.objects.accepted().filter(
        **{
            "role": Role.REVISER,
            "revises": None,
            f"{task}__case_task__case__state": CaseState.REVISING,
            f"{task}__round": F(f"{task}__case_task__case__round"),
        }
    )
    return for_each_row(
        sweep="use revisions", rows=due.order_by("pk"), process=_use, clock=clock, limit=limit
    )


@transaction.atomic
def _use(revision: Submission, now: datetime) -> int:
    """Replace the case's source, withdraw its verifications, and open the case again."""
    case = Case.objects.select_for_update().get(pk=case_of(revision).pk)
    if case.state != CaseState.REVISING:
        return 0
    dispute = case.disputes.get(round=case.round)
    dispute.revision = revision
    dispute.save(update_fields=["revision"])
    case.sources.update(submission=revision)
    for verification in dispute.verifications.filter(state=SubmissionState.ACCEPTED):
        change_state(
            instance=verification,
            new=SubmissionState.WITHDRAWN,
            transitions=REPLACED,
            actor=AUTOMATIC,
            now=now,
            reason="paid, and replaced because the annotation was revised",
        )
    is_empty = protocol_of(case.item.project).is_empty(
        scheme_of(case.item.project), [revision.content]
    )
    change_state(
        instance=case,
        new=CaseState.OPEN,
        transitions=TRANSITIONS,
        actor=str(revision.worker),
        now=now,
        reason="revised",
        task=None,
        round=case.round + 1,
        is_empty=is_empty,
    )
    return 1


def short_revisions(project: Project | None, now: datetime) -> QuerySet[Case]:
    """Return cases whose revision's HIT has ended without usable, undecided or pending work."""
    cases = Case.objects.filter(
        state=CaseState.REVISING, task__hit__state__in=ENDED, task__hit__increase_to=None
    )
    if project is not None:
        cases = cases.filter(item__project=project)
    hits = Hit.objects.filter(
        task__case_task__case=OuterRef("pk"), task__role=Role.REVISER, task__round=OuterRef("round")
    )
    work = _work()
    undecided = work.filter(
        state=SubmissionState.WITHDRAWN, assignment__state=AssignmentState.SUBMITTED
    )
    return (
        cases.exclude(Exists(work.live()))
        .exclude(Exists(undecided))
        .exclude(Exists(unsettled(work)))
        .exclude(Exists(with_work_to_come(hits, now=now)))
    )


def _work() -> Any:
    """Return the revisions of a case's current round, for a subquery."""
    return Submission.objects.filter(
        role=Role.REVISER,
        assignment__hit__task__case_task__case=OuterRef("pk"),
        assignment__hit__task__round=OuterRef("round"),
    )


def unanswered_revisions(project: Project | None, now: datetime) -> QuerySet[Case]:
    """Return the short revisions that nobody submitted, which can be offered again."""
    return short_revisions(project, now).exclude(Exists(_work()))


def give_up_revisions(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Leave up to `limit` cases disputed whose revision is not to be expected. Return the number.

    Its work was refused, a person ended its HIT or batch, or it was offered as often as the batch
    allows.
    """
    now = clock()
    is_spent = Q(task__task_items__republications__gte=F("task__batch__republish_limit"))
    due = short_revisions(None, now).filter(task__hit__paused_at=None)
    is_ended = Q(task__ended_at__isnull=False) | Q(task__batch__state=BatchState.CLOSED)
    due = due.filter(is_spent | is_ended | Exists(_work()))
    return for_each_row(
        sweep="give up revisions",
        rows=due.order_by("pk"),
        process=lambda case, now: _give_up(case.pk, now),
        clock=clock,
        limit=limit,
    )


@transaction.atomic
def _give_up(case_id: int, now: datetime) -> int:
    case = Case.objects.select_for_update().get(pk=case_id)
    if case.state != CaseState.REVISING:
        return 0
    leave_disputed(case=case, reason="The annotator did not revise the annotation.", now=now)
    return 1
