"""Registration of HIT types. Equal values always return the same type."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from marketplace.domain.errors import InvalidParameterError, NotFoundError
from marketplace.domain.identifiers import new_code
from marketplace.domain.requirements import SYSTEM, check_requirements
from marketplace.enums import QualificationTypeStatus
from marketplace.models import HitType, HitTypeRequirement, QualificationType, Requester

LONGEST_TITLE = 128
LONGEST_DESCRIPTION = 2_000
LONGEST_KEYWORDS = 1_000
DURATION_SECONDS = (30, 31_536_000)
AUTO_APPROVAL_SECONDS = (0, 2_592_000)


@dataclass(frozen=True, slots=True)
class HitTypeValues:
    title: str
    description: str
    keywords: str
    reward_cents: int
    duration_seconds: int
    auto_approval_seconds: int
    requirements: Sequence[dict[str, Any]]

    def digest(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def register_hit_type(*, requester: Requester, values: HitTypeValues, now: datetime) -> HitType:
    """Return the type with these values. Create the type if it does not exist.

    Raise InvalidParameterError for values outside MTurk's limits, NotFoundError for an unknown
    qualification type.
    """
    digest = values.digest()
    matches = HitType.objects.filter(requester=requester, digest=digest)
    if hit_type := matches.first():
        return hit_type
    _check(values)
    try:
        with transaction.atomic():
            return _create(requester, values, digest, now)
    except IntegrityError:
        return matches.get()


def check_range(name: str, value: int, limits: tuple[int, int]) -> None:
    low, high = limits
    if not low <= value <= high:
        raise InvalidParameterError(f"{name} is {value}; it must be between {low} and {high}.")


def check_length(name: str, value: str, longest: int) -> None:
    if not value.strip():
        raise InvalidParameterError(f"{name} must not be empty.")
    if len(value) > longest:
        raise InvalidParameterError(
            f"{name} is {len(value)} characters long; the limit is {longest}."
        )


def _check(values: HitTypeValues) -> None:
    check_length("Title", values.title, LONGEST_TITLE)
    check_length("Description", values.description, LONGEST_DESCRIPTION)
    if len(values.keywords) > LONGEST_KEYWORDS:
        raise InvalidParameterError(f"Keywords is longer than {LONGEST_KEYWORDS} characters.")
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


def _create(requester: Requester, values: HitTypeValues, digest: str, now: datetime) -> HitType:
    hit_type = HitType.objects.create(
        code=new_code(),
        group_code=new_code(),
        requester=requester,
        digest=digest,
        title=values.title,
        description=values.description,
        keywords=values.keywords,
        reward_cents=values.reward_cents,
        duration_seconds=values.duration_seconds,
        auto_approval_seconds=values.auto_approval_seconds,
        requirements=list(values.requirements),
        created_at=now,
    )
    codes = {requirement["QualificationTypeId"] for requirement in values.requirements}
    HitTypeRequirement.objects.bulk_create(
        HitTypeRequirement(hit_type=hit_type, qualification_code=code) for code in sorted(codes)
    )
    return hit_type
