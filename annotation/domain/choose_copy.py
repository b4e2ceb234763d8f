"""A difference between the two copies of someone's work, decided by a person."""

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
    """There is no second copy, it is decided already, or the copy can't be read."""


@transaction.atomic
def choose_copy(
    *, submission: Submission, copy: Copy, parse: Parse, actor: str, now: datetime
) -> bool:
    """Let one of the copies stand; the other is kept beside it. Says whether the assignment could be
    accepted with it. Raises CanNotChoose."""
    row = (
        Submission.objects.select_for_update(of=("self",))
        .select_related("item__project", "item__sentence")
        .get(pk=submission.pk)
    )
    if row.other_copy is None or row.state != SubmissionState.SUBMITTED or not row.problem:
        raise CanNotChoose(f"Submission {row.pk} has no two copies to choose from (any more).")
    chosen = row.content if copy is Copy.OURS else row.other_copy
    if copy is Copy.THEIRS:
        row.other_copy = row.content
    try:
        row.content = parse(row.item, chosen)
    except ContentError as error:
        raise CanNotChoose(f"That copy can't be used: {error}") from error
    why, row.problem = row.problem, ""
    row.save(update_fields=["content", "other_copy", "problem"])
    log_state_change(
        instance=row,
        old=row.state,
        new=row.state,
        actor=actor,
        now=now,
        reason=f"{why} Decided for {copy.value}.",
    )
    assert row.assignment
    return accept_if_sound(submissions=list(row.assignment.submissions.all()), now=now)
