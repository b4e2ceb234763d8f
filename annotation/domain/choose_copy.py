"""A difference between the two copies of someone's work, decided by a person."""

from collections.abc import Callable
from datetime import datetime
from enum import Enum

from django.db import transaction

from annotation.domain.decide_submission import accept_if_sound
from annotation.domain.drafts import Parse
from annotation.enums import SubmissionState
from annotation.models import Submission
from audit.domain.change_state import log_state_change
from schemes.base import ContentError


class Copy(Enum):
    OURS = "ours"  # the one that the page sent to us
    THEIRS = "theirs"  # the one that it sent to the marketplace


class CanNotChoose(ValueError):
    """There is no second copy, it is decided already, the copy can't be read, or no reason is given."""


def has_two_copies(submission: Submission) -> bool:
    """Whether a person still has to choose."""
    return (
        submission.other_copy is not None
        and submission.state == SubmissionState.SUBMITTED
        and bool(submission.problem)
        and not submission.copy_chosen
    )


def contents_of(submission: Submission) -> dict[Copy, object]:
    """Each copy's content as it came; what the scheme refused stands under `refused`."""
    ours: object = submission.content
    if isinstance(ours, dict) and "refused" in ours:
        ours = ours["refused"]
    return {Copy.OURS: ours, Copy.THEIRS: submission.other_copy}


@transaction.atomic
def choose_copy(
    *,
    submission: Submission,
    copy: Copy,
    parse: Parse,
    reason: str,
    actor: str,
    now: datetime,
    remaining_problem: Callable[[Submission], str] = lambda submission: "",
) -> bool:
    """Let one of the copies stand; the other is kept beside it. Says whether the assignment could be
    accepted with it: not where `remaining_problem` names what a person has to settle besides. Raises
    CanNotChoose."""
    row = (
        Submission.objects.select_for_update(of=("self",))
        .select_related("item__project", "item__sentence", "assignment__hit__task", "worker")
        .get(pk=submission.pk)
    )
    if not has_two_copies(row):
        raise CanNotChoose(f"Submission {row.pk} has no two copies to choose from (any more).")
    if not reason.strip():
        raise CanNotChoose("Say why this copy is the right one: the reason is kept with the work.")
    copies = contents_of(row)
    try:
        row.content = parse(row.item, copies[copy])
    except ContentError as error:
        raise CanNotChoose(f"That copy can't be used: {error}") from error
    if copy is Copy.THEIRS:
        row.other_copy = copies[Copy.OURS]
    why, row.problem, row.copy_chosen = row.problem, remaining_problem(row), True
    row.save(update_fields=["content", "other_copy", "problem", "copy_chosen"])
    log_state_change(
        instance=row,
        old=row.state,
        new=row.state,
        actor=actor,
        now=now,
        reason=f"{why} Decided for {copy.value}: {reason.strip()}",
    )
    assert row.assignment
    return accept_if_sound(submissions=list(row.assignment.submissions.all()), now=now)
