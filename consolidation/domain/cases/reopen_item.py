"""Reopen a finished item: other workers decide its case again, or annotate it again.

The gold stays current until there is a newer version.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from annotation.domain.publishing.batch_actions import TRANSITIONS as BATCHES
from annotation.domain.publishing.publish import cost_of
from annotation.domain.publishing.republish import REJECTED_WITH_GOLD
from annotation.enums import BatchState, RedundancyDecision, SubmissionState
from annotation.models import Batch, Item, Redundancy, Submission, TaskItem
from audit.domain.change_state import change_state
from audit.errors import TouchstoneError
from consolidation.domain.case_records import REPLACED, TRANSITIONS
from consolidation.domain.cases.experiment import experiment_tasks
from consolidation.domain.cases.manage_batch import republish_batch
from consolidation.domain.cases.open_cases import case_batch, publish_case
from consolidation.domain.cases.republish_cases import return_case
from consolidation.enums import CaseState
from consolidation.models import Case
from consolidation.protocols import CASE_ROLES, protocol_of
from crowd.domain.hits.manage_hits import HitChangeError
from crowd.models import Hit
from projects.enums import Role

REOPENABLE = (CaseState.CONSOLIDATED, CaseState.VALIDATED)


class ReopenError(TouchstoneError):
    """The item can't be reopened. The message explains why."""


@dataclass(frozen=True, slots=True)
class Reopening:
    """What reopening an item costs: the most that it reserves, in cents with fees.

    New annotations are written by `generators`, and decided by `workers` with the role.
    """

    role: str
    workers: int
    generators: int
    cents: int


def plan_reopening(*, item: Item, now: datetime, annotates: bool = False) -> Reopening:
    """Return the workers and the money that the item needs. Raise ReopenError.

    With `annotates`, it gets new annotations first.
    """
    case = _case_of(item)
    _check(item, case, annotates=annotates)
    assert case
    role = protocol_of(item.project).role
    workers = item.project.redundancy(role)
    with transaction.atomic():
        batch = case.task.batch if case.task else _batch_of(item, now)
        cents = cost_of(batch, 1, assignments=workers)
        if annotates:
            cents += cost_of(
                _attempt_of(item).task.batch, 1, assignments=item.project.generators_per_item
            )
        # A batch that the project lacks is not created before the cost is confirmed.
        transaction.set_rollback(True)
    generators = item.project.generators_per_item if annotates else 0
    return Reopening(role=role, workers=workers, generators=generators, cents=cents)


def _batch_of(item: Item, now: datetime) -> Batch:
    return case_batch(project=item.project, role=protocol_of(item.project).role, now=now)


def can_reopen(*, item: Item) -> bool:
    """Return True if the item is finished and can be reopened now."""
    try:
        _check(item, _case_of(item))
    except ReopenError:
        return False
    return True


def _case_of(item: Item) -> Case | None:
    related = ("task__batch__project__budget", "task__batch__budget")
    cases = item.cases.filter(attempt=0).exclude(state=CaseState.REPLACED)
    return cases.select_related(*related).first()


def _attempt_of(item: Item) -> TaskItem:
    """Return the newest publication of the item to generators. Raise ReopenError."""
    attempts = item.task_items.filter(role=Role.GENERATOR, task__batch__for_training=False)
    newest = attempts.select_related("task__batch__project__budget", "task__batch__budget").last()
    if newest is None:
        raise ReopenError("The item was never published to generators.")
    return newest


def _measures_agreement(item: Item) -> bool:
    """Return True if other annotations of the item are compared with these."""
    experiments = experiment_tasks(project=item.project).filter(task_items__item=item)
    return item.cases.filter(attempt__gt=0).exists() or experiments.exists()


def _is_undecided(item: Item) -> bool:
    """Return True if the pay of an annotation that became gold is undecided."""
    undecided = [SubmissionState.WAITING, SubmissionState.SUBMITTED]
    rows = item.submissions.filter(role=Role.GENERATOR, state__in=undecided)
    return rows.filter(assignment__hit__task__batch__for_training=False).exists()


def _check(item: Item, case: Case | None, *, annotates: bool = False) -> None:
    if item.withdrawn_at:
        raise ReopenError("The item is withdrawn. Restore it first.")
    if case is None or case.state not in REOPENABLE:
        raise ReopenError("Only finished items can be reopened. Reload the page.")
    if annotates and _is_undecided(item):
        raise ReopenError(
            "The pay of an annotation is undecided. Decide it in the review queue, or wait a minute."
        )
    if annotates and _measures_agreement(item):
        raise ReopenError("The item measures agreement, so its annotations can't be replaced.")
    if case.is_empty and not annotates:
        raise ReopenError(
            "There was nothing to judge, so other workers can't judge it again. An expert can correct "
            "the gold."
        )
    if case.task and case.task.batch.state == BatchState.PAUSED:
        raise ReopenError("The batch of the case is paused. Resume it first.")


@transaction.atomic
def reopen_item(*, item: Item, reason: str, actor: str, now: datetime) -> None:
    """Return the item's case to other workers, and publish it to them now.

    Raise ReopenError, BudgetExceededError. Nothing changes then.
    """
    if not reason.strip():
        raise ReopenError("Enter a reason. It is stored in the log.")
    Case.objects.select_for_update(of=("self",)).filter(item=item, attempt=0).first()
    case = _case_of(item)
    _check(item, case)
    assert case
    reason = f"reopened: {reason.strip()}"
    if case.task is None:
        _offer_first(case, item, reason, actor, now)
        return
    return_case(case=case, actor=actor, reason=reason, now=now)
    _republish(case.task.batch, case.task.hit_id, actor, now)


def _offer_first(case: Case, item: Item, reason: str, actor: str, now: datetime) -> None:
    """Publish a case whose identical annotations were accepted without a consolidation."""
    change_state(
        instance=case,
        new=CaseState.OPEN,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        reason=reason,
    )
    batch = _batch_of(item, now)
    if batch.state == BatchState.CLOSED:
        change_state(instance=batch, new=BatchState.OPEN, transitions=BATCHES, actor=actor, now=now)
    if not publish_case(case_id=case.pk, now=now):
        raise ReopenError("The batch of consolidations is paused. Resume it first.")


@transaction.atomic
def annotate_again(*, item: Item, reason: str, actor: str, now: datetime) -> None:
    """Publish the item to other generators, whose annotations then get a new case.

    The earlier work is paid and withdrawn. Raise ReopenError, BudgetExceededError. Nothing changes then.
    """
    if not reason.strip():
        raise ReopenError("Enter a reason. It is stored in the log.")
    Case.objects.select_for_update(of=("self",)).filter(item=item, attempt=0).first()
    case = _case_of(item)
    _check(item, case, annotates=True)
    assert case
    terms: dict[str, Any] = {
        "actor": actor,
        "now": now,
        "reason": f"reopened: {reason.strip()}",
    }
    change_state(instance=case, new=CaseState.REOPENED, transitions=TRANSITIONS, **terms)
    own = Submission.objects.filter(item=item, role__in=[Role.GENERATOR, *CASE_ROLES])
    for submission in own.filter(Q(state=SubmissionState.ACCEPTED) | REJECTED_WITH_GOLD):
        change_state(
            instance=submission, new=SubmissionState.WITHDRAWN, transitions=REPLACED, **terms
        )
    # It is the protocol's number of people who annotate it now.
    Redundancy.objects.filter(item=item).update(
        people=item.project.generators_per_item,
        decision=RedundancyDecision.CONSOLIDATE,
        accepted=None,
    )
    attempt = _attempt_of(item)
    _republish(attempt.task.batch, attempt.task.hit_id, actor, now)


def _republish(batch: Batch, hit_id: int, actor: str, now: datetime) -> None:
    """Publish what the HIT's item lacks. Raise ReopenError, BudgetExceededError."""
    hits = Hit.objects.filter(pk=hit_id)
    try:
        done = republish_batch(batch=batch, hits=hits, actor=actor, now=now)
    except HitChangeError as error:
        raise ReopenError(str(error)) from error
    if not done.total:
        raise ReopenError(
            "The last task of the item has not ended yet. Try again when its work has arrived."
        )
