"""What the MTurk Requester API takes: checked where a person can still change it, and before sending.

botocore checks types and least lengths only. The figures are those of the API's reference; our own
marketplace holds to them too.
"""

import re
from collections.abc import Sequence

TITLE = 128
DESCRIPTION = 2000
KEYWORDS = 1000
ANNOTATION_BYTES = 255
TOKEN = 64
QUESTION_BYTES = 65_535
MOST_REQUIREMENTS = 10
DURATION_SECONDS = (30, 31_536_000)
AUTO_APPROVAL_SECONDS = (0, 2_592_000)
FEEDBACK = 1024
SUBJECT = 200
MESSAGE = 4096
QUALIFICATION_NAME = 200
MOST_CENTS = 99_999_999_999  # nine digits of dollars
WORKER_ID = re.compile(r"A[A-Z0-9]{1,63}")


class OutOfLimits(ValueError):
    """A value that the marketplace would not take; the sentence names the field and the limit."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(f"{field}: {sentence}")
        self.field = field


def check_text(field: str, value: str, *, longest: int, may_be_empty: bool = False) -> str:
    """At most so many characters, and not blank."""
    if len(value) > longest:
        raise OutOfLimits(field, f"{len(value)} characters; the limit is {longest}.")
    if not may_be_empty and not value.strip():
        raise OutOfLimits(field, "it can't be empty.")
    return value


def check_bytes(field: str, value: str, *, most: int) -> str:
    """At most so many bytes of UTF-8: a character may take four."""
    size = len(value.encode())
    if size > most:
        raise OutOfLimits(field, f"{size} bytes; the limit is {most}.")
    return value


def check_range(field: str, value: int, limits: tuple[int, int], *, unit: str) -> int:
    low, high = limits
    if not low <= value <= high:
        raise OutOfLimits(field, f"{value} {unit}; it must lie between {low} and {high}.")
    return value


def check_cents(field: str, cents: int) -> int:
    """Whole cents that the API's amounts can say: "0.05", never "0.125"."""
    if type(cents) is not int or not 1 <= cents <= MOST_CENTS:
        raise OutOfLimits(
            field, f"{cents!r} cents; it must be a whole number between 1 and {MOST_CENTS}."
        )
    return cents


def check_worker(worker: str) -> str:
    if not WORKER_ID.fullmatch(worker):
        raise OutOfLimits("worker", f"{worker!r} is no worker id: an A, then capitals and digits.")
    return worker


def check_requirements(requirements: Sequence[object]) -> None:
    if len(requirements) > MOST_REQUIREMENTS:
        raise OutOfLimits(
            "requirements", f"{len(requirements)} of them; the limit is {MOST_REQUIREMENTS}."
        )


def check_hit_type(
    *,
    title: str,
    description: str,
    keywords: str,
    reward_cents: int,
    assignment_seconds: int,
    auto_approval_seconds: int,
    qualifications: Sequence[object],
) -> None:
    """What the HITs of one kind have in common. Raises OutOfLimits."""
    check_text("title", title, longest=TITLE)
    check_text("description", description, longest=DESCRIPTION)
    check_text("keywords", keywords, longest=KEYWORDS, may_be_empty=True)
    check_range("reward", reward_cents, (0, MOST_CENTS), unit="cents")
    check_range("assignment time", assignment_seconds, DURATION_SECONDS, unit="seconds")
    check_range("automatic approval", auto_approval_seconds, AUTO_APPROVAL_SECONDS, unit="seconds")
    check_requirements(qualifications)
