"""Confirm that a worker has accepted a HIT, for a page whose address is not signed.

An assignment that the marketplace lists is confirmed. Before it is submitted, a requester can't list
it. Marketplaces that do not sign the addresses of their frames are then asked whether anybody is working
on the HIT, and the worker must hold the qualifications that it requires.
"""

from datetime import datetime

from django.core.cache import cache

from crowd.domain.provider.eligibility import meets, values_of
from crowd.domain.provider.providers import NO_ANSWER, capabilities_of, hit_provider_of
from crowd.models import Hit, Worker
from database import statements

PROGRESS_SECONDS = 60
IDLE_SECONDS = 3
# After a failure, no page waits for the marketplace for this time.
OUTAGE_SECONDS = 15
# Anyone can open pages with invented claims, and each of them may cause a call.
MAX_CALLS_PER_SECOND = 5

_LISTED = """
SELECT 1 FROM crowd_assignment
JOIN crowd_worker ON crowd_worker.id = crowd_assignment.worker_id
WHERE crowd_assignment.hit_id = %s AND crowd_assignment.external_id = %s AND crowd_worker.external_id = %s
"""
OUTAGE = "confirm-claim:outage"


def can_be_asked(provider: str) -> bool:
    """Return True if claims are confirmed by calls. Otherwise all workers have signed addresses."""
    return not capabilities_of(provider).has_sessions and not hit_provider_of(provider).signs_pages


def is_listed(*, hit: Hit, assignment: str, worker: str) -> bool:
    """Return True if the marketplace has listed the worker's assignment of the HIT."""
    return bool(statements.fetch_rows(_LISTED, hit.pk, assignment, worker))


def is_confirmed(*, hit: Hit, assignment: str, worker: str, now: datetime) -> bool:
    """Return True if the assignment is listed, or if the worker may be working on the HIT.

    It may call the marketplace, so do not call it in a transaction.
    """
    if is_listed(hit=hit, assignment=assignment, worker=worker):
        return True
    provider = hit.hit_type.provider
    if not hit.external_id or not can_be_asked(provider):
        return False
    return _is_qualified(hit, worker) and _is_in_progress(provider, hit.external_id, now)


def _is_qualified(hit: Hit, worker: str) -> bool:
    kind = hit.hit_type
    person = Worker.objects.filter(provider=kind.provider, external_id=worker).first()
    return meets(values_of(person) if person else {}, kind.qualifications)


def _is_in_progress(provider: str, hit: str, now: datetime) -> bool:
    key = f"confirm-claim:{hit}"
    known: bool | None = cache.get(key)
    if known is not None:
        return known
    if cache.get(OUTAGE) or not _may_call(now):
        return False
    try:
        answer = hit_provider_of(provider).is_in_progress(hit)
    except NO_ANSWER:
        cache.set(OUTAGE, True, OUTAGE_SECONDS)
        return False
    cache.set(key, answer, PROGRESS_SECONDS if answer else IDLE_SECONDS)
    return answer


def _may_call(now: datetime) -> bool:
    key = f"confirm-claim:calls:{int(now.timestamp())}"
    if cache.add(key, 1, 10):
        return True
    try:
        return cache.incr(key) <= MAX_CALLS_PER_SECOND
    except ValueError:  # the counter has just expired
        return False
