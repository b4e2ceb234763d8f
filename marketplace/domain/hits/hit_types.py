"""Registration of HIT types. Equal values always return the same type."""

import hashlib
import json
from datetime import datetime

from django.db import IntegrityError, transaction

from marketplace.domain.errors import NotFoundError
from marketplace.domain.hits.open_types import list_digest
from marketplace.domain.identifiers import new_code
from marketplace.domain.qualifications.requirement_rows import requirement_rows
from marketplace.domain.qualifications.requirements import SYSTEM, check_requirements
from marketplace.enums import QualificationTypeStatus
from marketplace.models import HitType, HitTypeRequirement, QualificationType

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

    Raise InvalidParameterError for an invalid requirement, NotFoundError for an unknown
    qualification type.
    """
    values = {name: getattr(hit_type, name) for name in VALUES}
    hit_type.digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    matches = HitType.objects.filter(
        requester=hit_type.requester_id, digest=hit_type.digest, deleted_at=None
    )
    if known := matches.first():
        return known
    check_requirements(hit_type.requirements)
    codes = {requirement["QualificationTypeId"] for requirement in hit_type.requirements}
    _check_types_exist(codes - set(SYSTEM))
    hit_type.code, hit_type.group_code, hit_type.created_at = new_code(), new_code(), now
    hit_type.list_digest = list_digest(hit_type)
    try:
        with transaction.atomic():
            hit_type.save()
            HitTypeRequirement.objects.bulk_create(requirement_rows(hit_type))
    except IntegrityError:
        return matches.get()
    return hit_type


def _check_types_exist(codes: set[str]) -> None:
    if not codes:
        return
    active = QualificationType.objects.filter(
        code__in=codes, status=QualificationTypeStatus.ACTIVE, deleted_at__isnull=True
    )
    for missing in sorted(codes - set(active.values_list("code", flat=True))):
        raise NotFoundError("QualificationType", missing)
