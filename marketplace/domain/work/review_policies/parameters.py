"""Validation of the review policies in CreateHIT and CreateHITWithHITType."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.work.review_policies.answers import values_of
from marketplace.enums import ReviewPolicyLevel
from marketplace.models import Hit, ReviewPolicy

KNOWN_ANSWERS = "ScoreMyKnownAnswers/2011-09-01"
PLURALITY = "SimplePlurality/2011-09-01"
MAX_REASON_LENGTH = 1_024
MAX_QUESTIONS = 1_000
YEAR_SECONDS = 31_536_000
MAX_ASSIGNMENTS = 1_000_000_000
Parameter = dict[str, Any]
Check = Callable[[str, Parameter], Any]


@dataclass(frozen=True, slots=True)
class Policy:
    """The checks of a policy's parameters by name, the required parameters, and defaults."""

    name: str
    checks: dict[str, Check]
    required: tuple[str, ...]
    defaults: dict[str, Any]


def _values(name: str, parameter: Parameter) -> list[str]:
    if parameter.get("MapEntries"):
        raise InvalidParameterError(f"{name} has Values, not MapEntries.")
    values: list[str] = parameter.get("Values", [])
    return values


def _text(name: str, parameter: Parameter) -> str:
    values = _values(name, parameter)
    if len(values) != 1:
        raise InvalidParameterError(f"{name} must have exactly one value.")
    return values[0].strip()


def _reason(name: str, parameter: Parameter) -> str:
    text = _text(name, parameter)
    if len(text) > MAX_REASON_LENGTH:
        raise InvalidParameterError(
            f"{name} is {len(text)} characters long; it must have at most {MAX_REASON_LENGTH}."
        )
    return text


def _integer(low: int, high: int) -> Check:
    def check(name: str, parameter: Parameter) -> int:
        text = _text(name, parameter)
        is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(high))
        if not is_number or not low <= int(text) <= high:
            raise InvalidParameterError(
                f"{name} is {text!r}; it must be a whole number between {low} and {high}."
            )
        return int(text)

    return check


def _boolean(name: str, parameter: Parameter) -> bool:
    text = _text(name, parameter)
    if text.lower() not in ("t", "f", "true", "false"):
        raise InvalidParameterError(f"{name} is {text!r}; it must be T or F.")
    return text.lower().startswith("t")


def _question_ids(name: str, parameter: Parameter) -> list[str]:
    """Return the ids, given as values or in one value with commas."""
    texts = ",".join(_values(name, parameter)).split(",")
    ids = list(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if not ids:
        raise InvalidParameterError(f"{name} must name at least one question.")
    _check_number(name, len(ids))
    return ids


def _check_number(name: str, questions: int) -> None:
    if questions > MAX_QUESTIONS:
        raise InvalidParameterError(
            f"{name} has {questions} questions; it must have at most {MAX_QUESTIONS}."
        )


def _answer_key(name: str, parameter: Parameter) -> dict[str, list[str]]:
    """Return the correct values of each question. An empty list means that none is correct."""
    entries = parameter.get("MapEntries", [])
    if not entries or parameter.get("Values"):
        raise InvalidParameterError(f"{name} must have MapEntries, with a question id as Key.")
    _check_number(name, len(entries))
    key: dict[str, list[str]] = {}
    for entry in entries:
        question = entry.get("Key", "").strip()
        if not question or question in key:
            raise InvalidParameterError(f"{name} must name each question once, as Key of an entry.")
        key[question] = sorted(values_of(entry.get("Values", [])))
    return key


_PERCENT = _integer(0, 100)
#: 101 is above every score, so that an action is always or never taken.
_THRESHOLD = _integer(0, 101)
POLICIES = {
    ReviewPolicyLevel.ASSIGNMENT: Policy(
        name=KNOWN_ANSWERS,
        checks={
            "AnswerKey": _answer_key,
            "ApproveIfKnownAnswerScoreIsAtLeast": _THRESHOLD,
            "ApproveReason": _reason,
            "RejectIfKnownAnswerScoreIsLessThan": _THRESHOLD,
            "RejectReason": _reason,
            "ExtendIfKnownAnswerScoreIsLessThan": _THRESHOLD,
            "ExtendMaximumAssignments": _integer(2, 25),
            "ExtendMinimumTimeInSeconds": _integer(60, YEAR_SECONDS),
        },
        required=("AnswerKey",),
        defaults={"ExtendMaximumAssignments": 5},
    ),
    ReviewPolicyLevel.HIT: Policy(
        name=PLURALITY,
        checks={
            "QuestionIds": _question_ids,
            "QuestionAgreementThreshold": _PERCENT,
            "DisregardAssignmentIfRejected": _boolean,
            "DisregardAssignmentIfKnownAnswerScoreIsLessThan": _THRESHOLD,
            "ExtendIfHITAgreementScoreIsLessThan": _integer(1, 100),
            "ExtendMaximumAssignments": _integer(1, MAX_ASSIGNMENTS),
            "ExtendMinimumTimeInSeconds": _integer(3_600, YEAR_SECONDS),
            "ApproveIfWorkerAgreementScoreIsAtLeast": _THRESHOLD,
            "RejectIfWorkerAgreementScoreIsLessThan": _THRESHOLD,
            "RejectReason": _reason,
        },
        required=("QuestionIds", "QuestionAgreementThreshold"),
        defaults={},
    ),
}
#: The parameters that an extension of the HIT policy needs.
EXTENSION = ("ExtendMaximumAssignments", "ExtendMinimumTimeInSeconds")


def parse_policy(level: ReviewPolicyLevel, name: str, parameters: list[Parameter]) -> ReviewPolicy:
    """Return an unsaved policy with checked parameters. Raise InvalidParameterError."""
    policy = POLICIES[level]
    if name != policy.name:
        raise InvalidParameterError(
            f"{level}ReviewPolicy.PolicyName is {name!r}; it must be {policy.name}."
        )
    values: dict[str, Any] = {}
    for parameter in parameters:
        key = parameter.get("Key", "").strip()
        if key not in policy.checks:
            raise InvalidParameterError(
                f"{policy.name} has no parameter {key!r}. Its parameters are "
                f"{', '.join(policy.checks)}."
            )
        if key in values:
            raise InvalidParameterError(f"{key} is given twice.")
        values[key] = policy.checks[key](key, parameter)
    required = policy.required
    if "ExtendIfHITAgreementScoreIsLessThan" in values:
        required += EXTENSION
    if missing := [name for name in required if name not in values]:
        raise InvalidParameterError(f"{policy.name} needs the parameter {', '.join(missing)}.")
    return ReviewPolicy(level=level, name=name, parameters=policy.defaults | values)


def attach(policies: list[ReviewPolicy], hit: Hit) -> None:
    """Store the policies of a HIT, in the transaction that creates it."""
    if not policies:
        return
    for policy in policies:
        policy.hit = hit
    ReviewPolicy.objects.bulk_create(policies)
    hit.has_review_policies = True
    hit.save(update_fields=["has_review_policies"])
