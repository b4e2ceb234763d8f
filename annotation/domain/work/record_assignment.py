"""Record confirmed assignments as submissions.

The page sends its work to this site and to the marketplace. Either copy can replace the other. If
they differ, a person decides.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from annotation.domain.corpus.fit_content import EarlierContent, parse_earlier
from annotation.domain.corpus.storable import load_storable
from annotation.domain.work.drafts import Parse, items_of
from annotation.domain.work.onboarding.steps import confirm_onboarding
from annotation.enums import LIVE, SubmissionState
from annotation.models import Draft, Item, Submission, Task
from audit.domain.change_state import log_state_change
from crowd.domain.workers.languages import keep_language
from crowd.models import Assignment
from projects.domain.schemes import scheme_of
from projects.enums import writes_units
from schemes.contract.errors import ContentError
from schemes.contract.values import Json

OTHER_FORM = "The page showed an earlier version of the form, which can't be read any more."
MAX_LETTERS = 500  # of the reason why an answer can't be read


@dataclass(frozen=True, slots=True)
class _Read:
    """Content as parsed by the scheme, and the reason if it needs review.

    `earlier` is set if it fits a version of the definition that was current when the page was opened.
    """

    content: Json
    problem: str = ""
    earlier: EarlierContent | None = None


@dataclass(frozen=True, slots=True)
class _Origin:
    """The page of some content: its role, when it was opened, and the digest of its definition.

    The digest is "" if the scheme has no definition, or the page didn't state it.
    """

    role: str
    opened_at: datetime
    digest: str


@transaction.atomic
def record_assignment(*, assignment_id: int, parse: Parse, now: datetime) -> list[Submission]:
    """Create a submission for each item of the task, unless the assignment is recorded already.

    Return the new submissions.
    """
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
    for submission in submissions:
        submission.save()
        log_state_change(
            instance=submission,
            old="",
            new=submission.state,
            actor="marketplace",
            now=now,
            reason=submission.problem,
        )
    confirm_onboarding(project=task.batch.project, assignment=assignment, draft=draft)
    if draft:
        keep_language(worker=assignment.worker, language=draft.language)
        Draft.objects.filter(pk=draft.pk).update(is_confirmed=True)
    Assignment.objects.filter(pk=assignment.pk).update(recorded_at=now)
    return submissions


def _submission(
    item: Item, task: Task, assignment: Assignment, draft: Draft | None, parse: Parse
) -> Submission:
    submitted = draft if draft and draft.submitted_at else None
    saved = submitted.content.get(str(item.pk)) if submitted else None
    copy, refusal = _marketplace_copy(assignment)
    listed = copy.get(str(item.pk))
    opened_at = draft.opened_at if draft else assignment.accepted_at
    digest = submitted.definition_digest if submitted else ""
    listed_digest = str(assignment.answer.get("definition", "")) if copy else ""
    origin = _Origin(task.role, opened_at, listed_digest if saved is None else digest)
    read = _parsed(item, listed if saved is None else saved, parse, origin)
    problem = read.problem
    if saved is None and refusal:
        problem = f"No content was received. {refusal}"
    copied = replace(origin, digest=listed_digest)
    is_same = saved is None or _is_equivalent(item, listed, saved, parse, copied)
    other = None if is_same else listed
    if other is not None:
        problem = problem or "The crowd provider has different content for this item."
    state = SubmissionState.SUBMITTED
    if _annotated_before(item, task, assignment):
        state = SubmissionState.WITHDRAWN
        problem = "This worker has annotated the item before."
    return Submission(
        item=item,
        role=task.role,
        worker=assignment.worker,
        assignment=assignment,
        content=read.earlier.mapped if read.earlier else read.content,
        original=read.earlier.content if read.earlier else None,
        original_version=read.earlier.version if read.earlier else None,
        schema_version=scheme_of(item.project).content.schema_version,
        state=state,
        problem=problem,
        other_version=other,
        opened_at=opened_at,
        submitted_at=assignment.submitted_at,
        active_seconds=_active_seconds(assignment, draft),
        moves=draft.moves if draft else 0,
        steps=draft.steps if draft else {},
        log=draft.log if draft else [],
        inputs=draft.inputs.get(str(item.pk), {}) if draft else {},
        comment=draft.comment if draft else "",
        guidelines=draft.guidelines if draft else None,
    )


def _active_seconds(assignment: Assignment, draft: Draft | None) -> int:
    """Return the page's active seconds, or 0 if unknown.

    No person can have been active longer than from acceptance to submission, which the marketplace
    confirmed. Only simulated workers submit at once.
    """
    if draft is None or assignment.worker.is_simulated:
        return draft.active_seconds if draft else 0
    elapsed = assignment.submitted_at - assignment.accepted_at
    return min(draft.active_seconds, int(elapsed.total_seconds()))


def _marketplace_copy(assignment: Assignment) -> tuple[dict[str, Any], str]:
    """Return the marketplace's copy by item id, and why it can't be read (empty if it can)."""
    try:
        copy = load_storable(assignment.answer.get("content", "{}"))
    except (ValueError, RecursionError, TypeError, AttributeError) as error:
        return {}, f"The crowd provider's copy can't be read: {error}"[:MAX_LETTERS]
    if not isinstance(copy, dict):
        return {}, "The crowd provider's copy can't be read: it is not a JSON object."
    return copy, ""


def _parsed(item: Item, content: object, parse: Parse, origin: _Origin) -> _Read:
    """Parse content of a page."""
    if content is None:
        return _Read({}, "Neither this site nor the crowd provider received content.")
    is_old = origin.digest not in ("", item.project.definition_digest)
    if is_old and not writes_units(origin.role):
        return _Read({"refused": content}, OTHER_FORM)
    problem = OTHER_FORM
    if not is_old:
        try:
            return _Read(parse(item, content))
        except ContentError as error:
            problem = str(error)
    earlier = parse_earlier(
        item, content, parse=parse, since=origin.opened_at, digest=origin.digest
    )
    if earlier is None:
        return _Read({"refused": content}, problem)
    return _Read(earlier.content, earlier=earlier)


def _is_equivalent(item: Item, listed: object, saved: Json, parse: Parse, origin: _Origin) -> bool:
    """Return True if the marketplace sent no copy, or an equivalent one.

    The marketplace has the page's raw content if the page never received the normalized form.
    """
    if listed is None or listed == saved:
        return True
    read = _parsed(item, listed, parse, origin)
    return (read.content, read.problem) == (saved, "")


def _annotated_before(item: Item, task: Task, assignment: Assignment) -> bool:
    """Return True if the worker has another submission for the item.

    In production, submissions of the same round count in any state. Those of other rounds and of a
    repeated qualification round count only if they are live.
    """
    earlier = Submission.objects.filter(item=item, role=task.role, worker=assignment.worker)
    if not item.in_production:
        earlier = earlier.live()
    elif task.round:
        same_round = Q(assignment__hit__task__round=task.round)
        earlier = earlier.filter(same_round | Q(state__in=LIVE))
    return earlier.exclude(assignment=assignment).exists()
