"""Registration of HIT types. Equal values always return the same type."""

import hashlib
import json
from datetime import datetime

from django.db import IntegrityError, transaction

from marketplace.domain.errors import InvalidParameterError, NotFoundError
from marketplace.domain.identifiers import new_code
from marketplace.domain.requirements import SYSTEM, check_requirements
from marketplace.enums import QualificationTypeStatus
from marketplace.models import HitType, HitTypeRequirement, QualificationType

LONGEST_TITLE = 128
LONGEST_DESCRIPTION = 2_000
LONGEST_KEYWORDS = 1_000
DURATION_SECONDS = (30, 31_536_000)
AUTO_APPROVAL_SECONDS = (0, 2_592_000)


#: The fields that a requester chooses.
VALUES = (
    "title",
    "description",
    "keywords",
    "reward_cents",
    "duration_seconds",
    "auto_approval_seconds",
    "requirements",
)


def register_hit_type(hit_type: HitType, *, now: datetime) -> HitType:
    """Return the stored type with the values of `hit_type`, or store `hit_type`.

    Raise InvalidParameterError for values outside MTurk's limits, NotFoundError for an unknown
    qualification type.
    """
    values = {name: getattr(hit_type, name) for name in VALUES}
    hit_type.digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    matches = HitType.objects.filter(requester=hit_type.requester_id, digest=hit_type.digest)
    if known := matches.first():
        return known
    _check(hit_type)
    hit_type.code, hit_type.group_code, hit_type.created_at = new_code(), new_code(), now
    codes = {requirement["QualificationTypeId"] for requirement in hit_type.requirements}
    try:
        with transaction.atomic():
            hit_type.save()
            HitTypeRequirement.objects.bulk_create(
                HitTypeRequirement(hit_type=hit_type, qualification_code=code)
                for code in sorted(codes)
            )
    except IntegrityError:
        return matches.get()
    return hit_type


def check_range(name: str, value: int, limits: tuple[int, int]) -> None:
    low, high = limits
    if not low <= value <= high:
        raise InvalidParameterError(f"{name} is {value}; it must be between {low} and {high}.")


def check_length(name: str, value: str, longest: int, *, may_be_empty: bool = False) -> None:
    if not may_be_empty and not value.strip():
        raise InvalidParameterError(f"{name} must not be empty.")
    if len(value) > longest:
        raise InvalidParameterError(
            f"{name} is {len(value)} characters long; the limit is {longest}."
        )


def _check(values: HitType) -> None:
    check_length("Title", values.title, LONGEST_TITLE)
    check_length("Description", values.description, LONGEST_DESCRIPTION)
    check_length("Keywords", values.keywords, LONGEST_KEYWORDS, may_be_empty=True)
    check_range("AssignmentDurationInSeconds", values.duration_seconds, DURATION_SECONDS)
    check_range("AutoApprovalDelayInSeconds", values.auto_approval_seconds, AUTO_APPROVAL_SECONDS)
    check_requirements(values.requirements)
    _check_types_exist({r["QualificationTypeId"] for r in values.requirements} - set(SYSTEM))


def _check_types_exist(codes: set[str]) -> None:
    if not codes:
        return
    active = QualificationType.objects.filter(
        code__in=codes, status=QualificationTypeStatus.ACTIVE, deleted_at__isnull=True
    )
    for missing in sorted(codes - set(active.values_list("code", flat=True))):
        raise NotFoundError("QualificationType", missing)
