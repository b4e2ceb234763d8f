"""Compare the holders of a qualification at the marketplace with our grants."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from crowd.domain.provider.providers import provider_of
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import GrantState
from crowd.models import QualificationGrant, QualificationType

# The list lags behind writes, so a grant that changed more recently is not corrected.
SETTLING = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The result of a comparison with the marketplace.

    `agreeing` grants are the same on both sides. `granted_again` were missing there or had another
    value. `revoked_again` were still held there. `taken_over` had no row here.
    """

    agreeing: int
    granted_again: int
    revoked_again: int
    taken_over: int


def read_back_grants(*, qualification: QualificationType, now: datetime) -> ReadBack:
    """Compare and correct the grants. Raises OutcomeUnknownError, ProviderRefusedError.

    Our grants and revocations are queued to be sent again. Grants made at the marketplace are stored
    here.
    """
    if not qualification.external_id:
        return ReadBack(0, 0, 0, 0)
    listed = provider_of(qualification.provider).list_grants(qualification.external_id)
    stored = list(qualification.grants.select_related("worker"))
    counts = {"agreeing": 0, "granted_again": 0, "revoked_again": 0}
    for grant in stored:
        if result := _compare(grant, listed.pop(grant.worker.external_id, None), now):
            counts[result] += 1
    for external_id, value in listed.items():
        worker = register_worker(provider=qualification.provider, external_id=external_id, now=now)
        QualificationGrant.objects.get_or_create(
            qualification_type=qualification,
            worker=worker,
            defaults={"value": value, "state": GrantState.HELD, "changed_at": now},
        )
    return ReadBack(**counts, taken_over=len(listed))


def _compare(grant: QualificationGrant, held: int | None, now: datetime) -> str:
    settled = now - grant.changed_at >= SETTLING
    row = QualificationGrant.objects.filter(pk=grant.pk, changed_at=grant.changed_at)
    if grant.state == GrantState.HELD and held != grant.value and settled:
        row.update(state=GrantState.PENDING, changed_at=now, leased_until=None)
        return "granted_again"
    if grant.state == GrantState.REVOKED and held is not None and settled:
        row.update(state=GrantState.REVOKING, changed_at=now, leased_until=None)
        return "revoked_again"
    agrees = (grant.state == GrantState.HELD) == (held is not None)
    return "agreeing" if agrees else ""
