"""Define, grant, revoke and require qualifications."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from audit.domain.change_state import log_state_change
from crowd.domain.provider.providers import provider_of
from crowd.enums import GrantState
from crowd.models import HitType, QualificationGrant, QualificationType, Worker
from crowd.providers.base import OutcomeUnknownError, ProviderRefusedError, Requirement
from crowd.providers.limits import DESCRIPTION, QUALIFICATION_NAME, check_text
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row


def define_qualification(
    *, provider: str, code: str, name: str, description: str, is_requestable: bool = False
) -> QualificationType:
    """Get or create the qualification, at the marketplace on first use. Raises OutOfLimitsError.

    A name that another qualification has is followed by the code, because the marketplace finds
    qualifications by name.
    """
    others = QualificationType.objects.filter(provider=provider).exclude(code=code)
    if others.filter(name=name).exists():
        name = f"{name} ({code})"
    check_text("name", name, longest=QUALIFICATION_NAME)
    check_text("description", description, longest=DESCRIPTION)
    fields = {"name": name, "description": description, "is_requestable": is_requestable}
    qualification, _ = QualificationType.objects.get_or_create(
        provider=provider, code=code, defaults=fields
    )
    return qualification


def ensure_type(*, provider: str, code: str) -> QualificationType:
    """Return the qualification, created at the marketplace if necessary. A repeat is harmless."""
    qualification = QualificationType.objects.get(provider=provider, code=code)
    if not qualification.external_id:
        qualification.external_id = provider_of(provider).create_qualification_type(
            name=qualification.name,
            description=qualification.description,
            is_requestable=qualification.is_requestable,
        )
        qualification.save(update_fields=["external_id"])
    return qualification


@transaction.atomic
def grant_qualification(
    *, qualification: QualificationType, worker: Worker, value: int | None = None, now: datetime
) -> QualificationGrant:
    """Grant the qualification to the worker. Without `value`, each holder gets a unique number."""
    QualificationType.objects.select_for_update().get(pk=qualification.pk)
    grant = QualificationGrant.objects.filter(
        qualification_type=qualification, worker=worker
    ).first()
    if grant is None:
        last = qualification.grants.aggregate(last=Max("value"))["last"] or 0
        grant = QualificationGrant(qualification_type=qualification, worker=worker, value=last + 1)
    elif grant.state == GrantState.HELD and value in (None, grant.value):
        return grant
    grant.value = grant.value if value is None else value
    grant.state, grant.changed_at, grant.leased_until = GrantState.PENDING, now, None
    grant.error = ""
    grant.save()
    return grant


def revoke_qualification(
    *, qualification: QualificationType, worker: Worker, reason: str, now: datetime
) -> None:
    """Revoke the qualification. With a reason, the worker receives a message that states it."""
    QualificationGrant.objects.filter(
        qualification_type=qualification,
        worker=worker,
        state__in=[GrantState.PENDING, GrantState.HELD, GrantState.FAILED],
    ).update(state=GrantState.REVOKING, changed_at=now, error=reason, leased_until=None)


def send_due_grants(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` grants and revocations. Return how many the marketplace accepted."""
    due = QualificationGrant.objects.filter(
        state__in=[GrantState.PENDING, GrantState.REVOKING]
    ).select_related("worker", "qualification_type")
    return for_each_row(
        sweep="send grants", rows=due, process=_send, clock=clock, limit=limit, leased=True
    )


def _send(grant: QualificationGrant, now: datetime) -> bool:
    kind, worker = grant.qualification_type, grant.worker
    market = provider_of(kind.provider)
    revoking = grant.state == GrantState.REVOKING
    try:
        type_id = ensure_type(provider=kind.provider, code=kind.code).external_id
        if revoking:
            market.revoke(qualification=type_id, worker=worker.external_id, reason=grant.error)
        else:
            market.grant(qualification=type_id, worker=worker.external_id, value=grant.value)
    except OutcomeUnknownError:
        return False  # both calls are safe to repeat once the lease expires
    except ProviderRefusedError as refused:
        _fail(grant, str(refused), now)
        return False
    done = GrantState.REVOKED if revoking else GrantState.HELD
    return bool(
        QualificationGrant.objects.filter(pk=grant.pk, changed_at=grant.changed_at).update(
            state=done, leased_until=None, error=grant.error if revoking else ""
        )
    )


@transaction.atomic
def _fail(grant: QualificationGrant, error: str, now: datetime) -> None:
    """Mark the grant as failed until it is granted or revoked again."""
    changed = QualificationGrant.objects.filter(pk=grant.pk, changed_at=grant.changed_at).update(
        state=GrantState.FAILED, error=error, leased_until=None
    )
    if changed:
        old, new = grant.state, GrantState.FAILED
        log_state_change(
            instance=grant, old=old, new=new, actor="marketplace", now=now, reason=error
        )


def requirement_for(
    *, qualification: QualificationType, without: Iterable[Worker] = ()
) -> dict[str, Any]:
    """Require the qualification, but exclude the given workers. Stored with the HIT type."""
    excluded = sorted(
        qualification.grants.filter(worker__in=list(without)).values_list("value", flat=True)
    )
    if excluded:
        return {"code": qualification.code, "comparator": "NotIn", "integers": excluded}
    return {"code": qualification.code, "comparator": "Exists"}


def requirement_to_lack(*, qualification: QualificationType) -> dict[str, Any]:
    """Require that the worker does not hold the qualification."""
    return {"code": qualification.code, "comparator": "DoesNotExist"}


def group_requirement(*, qualification: QualificationType, values: Sequence[int]) -> dict[str, Any]:
    """Require the qualification with one of the values, such as a production group's number."""
    if not values:
        raise ValueError("Name at least one group.")
    return {"code": qualification.code, "comparator": "In", "integers": sorted(set(values))}


def system_requirements(
    *,
    approval_rate: int | None = None,
    hits_approved: int | None = None,
    locales: Sequence[str] = (),
    adult: bool = False,
) -> list[dict[str, Any]]:
    """Return requirements on the marketplace's own qualifications. Raises ValueError.

    `approval_rate` (in percent) and `hits_approved` are minimums. `locales` are ISO 3166 country
    codes of two letters. `adult` requires that workers accept adult content.
    """
    if approval_rate is not None and not 0 <= approval_rate <= 100:
        raise ValueError(f"An approval rate of {approval_rate} % is not between 0 and 100.")
    if hits_approved is not None and hits_approved < 0:
        raise ValueError("The number of approved HITs can't be negative.")
    for country in locales:
        if not re.fullmatch("[A-Z]{2}", country):
            raise ValueError(
                f"{country!r} is not a country code. Use two capital letters, such as US."
            )
    at_least = {"approval-rate": approval_rate, "hits-approved": hits_approved}
    requirements: list[dict[str, Any]] = [
        {"system": name, "comparator": "GreaterThanOrEqualTo", "integers": [least]}
        for name, least in at_least.items()
        if least is not None
    ]
    if locales:
        requirements.append(
            {"system": "locale", "comparator": "In", "locales": sorted(set(locales))}
        )
    if adult:
        requirements.append({"system": "adult", "comparator": "EqualTo", "integers": [1]})
    return requirements


def requirements_of(hit_type: HitType) -> list[Requirement]:
    return [requirement_of(hit_type.provider, fields) for fields in hit_type.qualifications]


def requirement_of(provider: str, fields: dict[str, Any]) -> Requirement:
    """Return a requirement on our qualification `code`, or on the marketplace's own `system`."""
    if "code" in fields:
        kind = QualificationType.objects.get(provider=provider, code=fields["code"]).external_id
    else:
        kind = fields["system"]
    return Requirement(
        qualification=kind,
        comparator=fields["comparator"],
        integers=tuple(fields.get("integers", ())),
        locales=tuple(fields.get("locales", ())),
        is_system="system" in fields,
    )
