"""What a page may read, which depends on whether a marketplace has confirmed its claim.

A claim that is not confirmed may store drafts of a task, within limits, and read them back. It reads
nothing that other people did, and nothing about the worker that it names.
"""

from dataclasses import replace
from datetime import datetime

from annotation.domain.work.worker_page import PageToken, TaskOverError, UnconfirmedClaimError
from annotation.models import Task
from crowd.domain.workers.confirm_claim import can_be_asked, is_confirmed, is_listed
from crowd.enums import HitState

# Nobody can have accepted a HIT in these states.
OVER = frozenset({HitState.FINISHED, HitState.EXPIRED, HitState.FAILED, HitState.WITHDRAWN})


def confirm_claim(*, claim: PageToken, task: Task, now: datetime) -> PageToken:
    """Return the claim, confirmed if a marketplace confirms it now.

    It may call the marketplace, so do not call it in a transaction. Raise TaskOverError for a claim
    that is not confirmed if the task is over.
    """
    if claim.is_confirmed:
        return claim
    known = is_confirmed(
        hit=task.hit, assignment=claim.assignment_ref, worker=claim.worker_ref, now=now
    )
    if not known and task.hit.state in OVER:
        raise TaskOverError
    return replace(claim, is_confirmed=known)


def check_confirmed(*, claim: PageToken, task: Task) -> None:
    """Raise UnconfirmedClaimError if the claim is not confirmed."""
    if not claim.is_confirmed:
        raise UnconfirmedClaimError(can_retry=can_be_asked(task.hit.hit_type.provider))


def check_readable(*, claim: PageToken, task: Task) -> None:
    """Raise TaskOverError if the task was finished by others than the worker."""
    hit = task.hit
    if hit.state != HitState.FINISHED:
        return
    if not is_listed(hit=hit, assignment=claim.assignment_ref, worker=claim.worker_ref):
        raise TaskOverError


def check_preview(task: Task) -> None:
    """Raise TaskOverError if no worker can accept the task any more."""
    if task.hit.state in OVER:
        raise TaskOverError
