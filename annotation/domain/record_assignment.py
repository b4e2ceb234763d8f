"""Confirmed assignments become submissions.

Two copies of the work exist: the one the page sent to us, and the one it sent to the marketplace.
Either restores the other; where they differ a person decides.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.domain.drafts import Parse, items_of
from annotation.domain.storable import load_storable
from annotation.enums import SubmissionState
from annotation.models import Draft, Item, Submission, Task
from audit.domain.change_state import log_state_change
from crowd.models import Assignment
from schemes.base import ContentError, Json
from schemes.registry import get_scheme


@transaction.atomic
def record_assignment(*, assignment_id: int, parse: Parse, now: datetime) -> list[Submission]:
    """One submission for each of the task's items; nothing when that has been done before."""
    assignment = (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("hit__task__batch__project", "worker")
        .get(pk=assignment_id)
    )
    if assignment.recorded_at:
        return []
    task: Task = assignment.hit.task
    draft = Draft.objects.filter(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=assignment.worker.external_id,
    ).first()
    submissions = [_submission(item, task, assignment, draft, parse) for item in items_of(task)]
    for one in submissions:
        one.save()
        log_state_change(
            instance=one, old="", new=one.state, actor="marketplace", now=now, reason=one.problem
        )
    Assignment.objects.filter(pk=assignment.pk).update(recorded_at=now)
    return submissions


def _submission(
    item: Item, task: Task, assignment: Assignment, draft: Draft | None, parse: Parse
) -> Submission:
    handed_in = draft if draft and draft.submitted_at else None
    ours = handed_in.content.get(str(item.pk)) if handed_in else None
    theirs = _marketplace_copy(assignment).get(str(item.pk))
    content, problem = _parsed(item, theirs if ours is None else ours, parse)
    other = theirs if ours is not None and not _says_the_same(item, theirs, ours, parse) else None
    if other is not None:
        problem = problem or "The marketplace holds other content for this item."
    state = SubmissionState.SUBMITTED
    if _annotated_before(item, task, assignment):
        state = SubmissionState.WITHDRAWN
        problem = "This worker has annotated the item before."
    return Submission(
        item=item,
        role=task.role,
        worker=assignment.worker,
        assignment=assignment,
        content=content,
        schema_version=get_scheme(item.project.scheme).schema_version,
        state=state,
        problem=problem,
        other_copy=other,
        opened_at=draft.opened_at if draft else assignment.accepted_at,
        submitted_at=assignment.submitted_at,
        active_seconds=draft.active_seconds if draft else 0,
        moves=draft.moves if draft else 0,
        comment=draft.comment if draft else "",
        guidelines=draft.guidelines if draft else None,
    )


def _marketplace_copy(assignment: Assignment) -> dict[str, Any]:
    try:
        copy = load_storable(assignment.answer.get("content", "{}"))
    except (ValueError, RecursionError):
        return {}
    return copy if isinstance(copy, dict) else {}


def _parsed(item: Item, content: object, parse: Parse) -> tuple[Json, str]:
    """The content as its scheme reads it, and why a person has to look at it, if so."""
    if content is None:
        return {}, "No content reached us or the marketplace."
    try:
        return parse(item, content), ""
    except ContentError as error:
        return {"refused": content}, str(error)


def _says_the_same(item: Item, theirs: object, ours: Json, parse: Parse) -> bool:
    """No copy contradicts nothing. When our answer to the page got lost, the marketplace has the
    work as the page had it, not as we normalised it."""
    return theirs is None or theirs == ours or _parsed(item, theirs, parse) == (ours, "")


def _annotated_before(item: Item, task: Task, assignment: Assignment) -> bool:
    """In production, whatever became of it; who repeats a qualification round has left the earlier
    work aside."""
    earlier = Submission.objects.filter(item=item, role=task.role, worker=assignment.worker)
    if not item.in_production:
        earlier = earlier.live()
    return earlier.exclude(assignment=assignment).exists()
