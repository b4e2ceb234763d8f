"""Limits of the MTurk Requester API, checked on input and again before sending.

botocore checks only types and minimum lengths. The figures come from the API reference. Our own
marketplace enforces them too.
"""

import re
from collections.abc import Sequence

from django.utils.text import Truncator

from crowd.providers.base import ProviderRefusedError

TITLE = 128
DESCRIPTION = 2000
KEYWORDS = 1000
ANNOTATION_BYTES = 255
TOKEN = 64
QUESTION_BYTES = 65_535
MAX_REQUIREMENTS = 10
DURATION_SECONDS = (30, 31_536_000)
AUTO_APPROVAL_SECONDS = (0, 2_592_000)
FEEDBACK = 1024
SUBJECT = 200
MESSAGE = 4096
QUALIFICATION_NAME = 200
MAX_CENTS = 99_999_999_999  # nine digits of dollars
MAX_SHOWN = 64  # characters of a wrong id in a message
WORKER_ID = re.compile(r"A[A-Z0-9]{1,63}")


class OutOfLimitsError(ProviderRefusedError, ValueError):
    """A value that the marketplace would refuse. The message names the field and the limit."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__("out-of-limits", f"{field}: {problem}")

    def __str__(self) -> str:
        return self.message


def check_text(field: str, value: str, *, longest: int, may_be_empty: bool = False) -> str:
    """Raise OutOfLimitsError if the text is too long, or blank where it must not be."""
    if len(value) > longest:
        raise OutOfLimitsError(field, f"{len(value)} characters. The limit is {longest}.")
    if not may_be_empty and not value.strip():
        raise OutOfLimitsError(field, "enter some text.")
    return value


def check_bytes(field: str, value: str, *, most: int) -> str:
    """Raise OutOfLimitsError if the UTF-8 encoding has more than `most` bytes."""
    size = len(value.encode())
    if size > most:
        raise OutOfLimitsError(field, f"{size} bytes. The limit is {most}.")
    return value


def check_range(field: str, value: int, limits: tuple[int, int], *, unit: str) -> int:
    low, high = limits
    if not low <= value <= high:
        raise OutOfLimitsError(field, f"{value} {unit}. Enter {low} to {high}.")
    return value


def check_cents(field: str, cents: int) -> int:
    """Raise OutOfLimitsError unless the amount is a positive whole number of cents."""
    if type(cents) is not int or not 1 <= cents <= MAX_CENTS:
        raise OutOfLimitsError(
            field, f"{cents!r} cents. Enter a whole number from 1 to {MAX_CENTS}."
        )
    return cents


def check_worker(worker: str) -> str:
    if not WORKER_ID.fullmatch(worker):
        raise OutOfLimitsError(
            "worker",
            f"{Truncator(worker).chars(MAX_SHOWN)!r} is not a worker id. "
            "Enter an A, followed by capitals and digits.",
        )
    return worker


def check_hit_type(
    *,
    title: str,
    description: str,
    keywords: str,
    reward_cents: int,
    assignment_seconds: int,
    auto_approval_seconds: int,
    requirements: Sequence[object],
) -> None:
    """Raise OutOfLimitsError if one of a HIT type's terms is outside its limits."""
    check_text("title", title, longest=TITLE)
    check_text("description", description, longest=DESCRIPTION)
    check_text("keywords", keywords, longest=KEYWORDS, may_be_empty=True)
    check_range("reward", reward_cents, (0, MAX_CENTS), unit="cents")
    check_range("assignment time", assignment_seconds, DURATION_SECONDS, unit="seconds")
    check_range("automatic approval", auto_approval_seconds, AUTO_APPROVAL_SECONDS, unit="seconds")
    if len(requirements) > MAX_REQUIREMENTS:
        raise OutOfLimitsError(
            "requirements", f"{len(requirements)} requirements. The limit is {MAX_REQUIREMENTS}."
        )
