"""Choose between two different copies of a worker's submission.

One copy is the page's message to this site. The other is the page's message to the marketplace.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from django.db import transaction

from annotation.domain.corpus.fit_content import parse_earlier
from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.decisions.decide_submission import auto_accept
from annotation.domain.work.drafts import Parse
from annotation.enums import SubmissionState
from annotation.models import Submission
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.case_records import case_of
from consolidation.domain.cases.record_work import dependence_of, parse_for_case
from consolidation.protocols import CASE_ROLES
from crowd.models import Assignment
from projects.domain.schemes import scheme_of
from schemes.contract.errors import ContentError


class Version(Enum):
    OURS = "ours"
    THEIRS = "theirs"  # the marketplace's


class ConflictResolutionError(TouchstoneError, ValueError):
    """The conflict can't be resolved. The message explains why."""


def has_two_versions(submission: Submission) -> bool:
    """Return True if a person still has to choose between two copies."""
    return (
        submission.other_version is not None
        and submission.state == SubmissionState.SUBMITTED
        and bool(submission.problem)
        and not submission.conflict_resolved
    )


CHANGED = (
    "content",
    "original",
    "original_version",
    "other_version",
    "problem",
    "conflict_resolved",
)


@transaction.atomic
def resolve_conflict(
    *, submission: Submission, copy: Version, reason: str, actor: str, now: datetime
) -> bool:
    """Make a copy the submission's content. Return True if its assignment was accepted.

    The other copy is stored beside it. A submission that isn't independent of its case still needs
    a review. Raise ConflictResolutionError.
    """
    # The lock order of all decisions: the assignment, then its submissions.
    Assignment.objects.select_for_update(of=("self",)).get(submissions=submission.pk)
    row = (
        Submission.objects.select_for_update(of=("self",))
        .select_related("item__project", "item__sentence__image", "assignment__hit__task", "worker")
        .get(pk=submission.pk)
    )
    if not has_two_versions(row):
        raise ConflictResolutionError(f"Submission {row.pk} has no conflict to resolve.")
    if not reason.strip():
        raise ConflictResolutionError(
            "Explain why this copy is correct. The reason is stored with the submission."
        )
    copies = contents_of(row)
    _use(row, copies[copy])
    if copy is Version.THEIRS:
        row.other_version = copies[Version.OURS]
    why, row.conflict_resolved = row.problem, True
    row.problem = dependence_of(row, case_of(row)) if row.role in CASE_ROLES else ""
    row.save(update_fields=[*CHANGED])
    log_state_change(
        instance=row,
        old=row.state,
        new=row.state,
        actor=actor,
        now=now,
        reason=f"{why} Decided for {copy.value}: {reason.strip()}",
    )
    assert row.assignment
    return auto_accept(submissions=list(row.assignment.submissions.all()), now=now)


def _use(row: Submission, content: object) -> None:
    """Make a copy the row's content, without saving it. Raise ConflictResolutionError."""
    parse = parser_of(row)
    try:
        row.content = parse(row.item, content)
        row.original = row.original_version = None
    except ContentError as error:
        earlier = parse_earlier(row.item, content, parse=parse, since=row.opened_at)
        if earlier is None:
            raise ConflictResolutionError(f"That copy can't be used: {error}") from error
        row.content = earlier.mapped
        row.original, row.original_version = earlier.content, earlier.version


def contents_of(submission: Submission) -> dict[Version, object]:
    """Return the original content of each copy, in the form in which it was made.

    Content that the scheme refused is stored under `refused`.
    """
    ours: object = submission.content if submission.original is None else submission.original
    if isinstance(ours, dict) and "refused" in ours:
        ours = ours["refused"]
    return {Version.OURS: ours, Version.THEIRS: submission.other_version}


def parser_of(submission: Submission) -> Parse:
    """Return the parser of the submission's task."""
    if submission.role in CASE_ROLES:
        assert submission.assignment
        return parse_for_case(case_of(submission), submission.assignment.hit.task)
    return parse_generation


@dataclass(frozen=True, slots=True)
class ParsedVersion:
    """A copy as parsed by its scheme, or its original content with the scheme's error."""

    content: object
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class TwoVersions:
    ours: ParsedVersion
    theirs: ParsedVersion
    differences: list[str]


def compare_versions(*, submission: Submission) -> TwoVersions:
    """Return the two copies and a list of their differences."""
    contents, parse = contents_of(submission), parser_of(submission)
    ours, theirs = (_read(submission, contents[copy], parse) for copy in Version)
    item = submission.item
    differences = scheme_of(item.project).content.differences
    return TwoVersions(ours, theirs, differences(ours.content, theirs.content, context_of(item)))


def _read(submission: Submission, content: object, parse: Parse) -> ParsedVersion:
    try:
        return ParsedVersion(parse(submission.item, content))
    except ContentError as error:
        since = submission.opened_at
        earlier = parse_earlier(submission.item, content, parse=parse, since=since)
        return ParsedVersion(earlier.mapped) if earlier else ParsedVersion(content, str(error))
