"""Which of the two copies of someone's work stands, a generation's or a consolidation's."""

from dataclasses import dataclass
from datetime import datetime

from annotation.domain.choose_copy import Copy, choose_copy, contents_of
from annotation.domain.drafts import Parse
from annotation.domain.record_generations import parse_generation
from annotation.enums import Role
from annotation.models import Submission
from consolidation.domain.record_gold import case_of, dependence_of, parse_for_case
from schemes.base import ContentError
from schemes.differences import word_differences


def choose_copy_of(
    *, submission: Submission, copy: Copy, reason: str, actor: str, now: datetime
) -> bool:
    """Let one of the copies stand; says whether the assignment could be accepted with it. A
    consolidation by somebody who had a part in its case still waits for a person. Raises
    CanNotChoose."""
    return choose_copy(
        submission=submission,
        copy=copy,
        parse=parser_of(submission),
        reason=reason,
        actor=actor,
        now=now,
        remaining_problem=_remaining_problem,
    )


def _remaining_problem(submission: Submission) -> str:
    if submission.role != Role.CONSOLIDATOR:
        return ""
    return dependence_of(submission, case_of(submission))


def parser_of(submission: Submission) -> Parse:
    """How content handed in for the submission's task is read."""
    if submission.role == Role.CONSOLIDATOR:
        return parse_for_case(case_of(submission))
    return parse_generation


@dataclass(frozen=True, slots=True)
class ReadCopy:
    """One copy as its scheme reads it, or as it came where the scheme refuses it (`refusal` says why)."""

    copy: Copy
    content: object
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class TwoCopies:
    ours: ReadCopy
    theirs: ReadCopy
    differences: list[str]


def compare_copies(*, submission: Submission) -> TwoCopies:
    """The two copies side by side, and what differs in words."""
    contents, parse = contents_of(submission), parser_of(submission)
    ours, theirs = (_read(submission, copy, contents[copy], parse) for copy in Copy)
    tokens = submission.item.sentence.tokens
    return TwoCopies(ours, theirs, word_differences(ours.content, theirs.content, tokens=tokens))


def _read(submission: Submission, copy: Copy, content: object, parse: Parse) -> ReadCopy:
    try:
        return ReadCopy(copy, parse(submission.item, content))
    except ContentError as error:
        return ReadCopy(copy, content, str(error))
