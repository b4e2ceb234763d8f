"""Check that workers exist at the marketplace."""

from collections.abc import Sequence
from dataclasses import dataclass

from crowd.domain.providers import NO_ANSWER, provider_of
from crowd.domain.qualifications import ensure_type
from crowd.models import QualificationType, Worker

# Each check is a call to the marketplace while the user waits.
MOST_CHECKED = 30


@dataclass(frozen=True, slots=True)
class Verification:
    """Ids that the marketplace does not know, and ids about which it gives no answer."""

    unknown: list[str]
    unverified: list[str]


def verify_workers(*, qualification: QualificationType, ids: Sequence[str]) -> Verification:
    """Check the ids, except those of workers that this site has seen.

    The qualification is one of ours, which the marketplace needs for the check.
    """
    provider = qualification.provider
    seen = Worker.objects.filter(provider=provider, external_id__in=ids)
    known = set(seen.values_list("external_id", flat=True))
    new = [worker for worker in ids if worker not in known]
    unknown: list[str] = []
    unverified = new[MOST_CHECKED:]
    for at, worker in enumerate(new[:MOST_CHECKED]):
        try:
            kind = ensure_type(provider=provider, code=qualification.code)
            exists = provider_of(provider).has_worker(worker, qualification=kind.external_id)
        except NO_ANSWER:
            # The marketplace can't be reached, so further calls would only take time.
            return Verification(unknown, [*new[at:MOST_CHECKED], *unverified])
        if exists is False:
            unknown.append(worker)
        elif exists is None:
            unverified.append(worker)
    return Verification(unknown, unverified)
