"""Create prepared HITs at the marketplace, each exactly once."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.db.models import Case, Value, When

from audit.domain.change_state import log_state_change
from crowd.domain.hits.sync_hits import POLL
from crowd.domain.money.hit_reservations import release_unused
from crowd.domain.provider.event_addresses import destination
from crowd.domain.provider.hold_publishing import active_hold
from crowd.domain.provider.providers import hit_provider_of
from crowd.domain.workers.qualifications import ensure_type, requirements_of
from crowd.enums import HitState
from crowd.models import Hit, HitType, OrphanHit
from crowd.providers.base import (
    TOKEN_MEMORY,
    HitTypeTerms,
    OutcomeUnknownError,
    ProviderRefusedError,
)
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

log = logging.getLogger("touchstone.crowd")


def create_pending_hits(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Create up to `limit` pending HITs unless publishing is on hold. Return how many are live."""
    if active_hold():
        return 0
    pending = Hit.objects.to_create().filter(study=None).select_related("hit_type")
    return for_each_row(
        sweep="create HITs",
        rows=pending,
        process=lambda hit, now: create_hit(hit=hit, now=now),
        clock=clock,
        limit=limit,
        leased=True,
    )


def create_hit(*, hit: Hit, now: datetime) -> bool:
    """Create a HIT. Return True if it is live. After an unknown outcome it stays pending."""
    try:
        external_id = _find_created(hit, now) or _create(hit, now)
    except OutcomeUnknownError as error:
        Hit.objects.filter(pk=hit.pk).update(error=str(error), leased_until=None)
        return False
    except ProviderRefusedError as refused:
        _fail(hit, str(refused), now)
        return False
    changed = Hit.objects.filter(pk=hit.pk, state=HitState.PENDING).update(
        state=HitState.LIVE,
        external_id=external_id,
        created_at=now,
        # Workers may have submitted already, if the result of an earlier attempt was lost.
        sync_due_at=Case(
            When(reported_submissions__gt=0, then=Value(now)), default=Value(now + POLL)
        ),
        leased_until=None,
        error="",
    )
    return bool(changed)


def _find_created(hit: Hit, now: datetime) -> str | None:
    """Return the id of a HIT from an expired attempt or a lost history, or None."""
    orphan = OrphanHit.objects.filter(
        provider=hit.hit_type.provider, annotation=hit.token, hit=None
    ).first()
    if orphan:
        OrphanHit.objects.filter(pk=orphan.pk).update(hit=hit)
        Hit.objects.filter(pk=hit.pk).update(ends_at=orphan.expires_at)
        return orphan.external_id
    if hit.attempted_at is None or now - hit.attempted_at < TOKEN_MEMORY:
        return None
    return hit_provider_of(hit.hit_type.provider).find_hit(hit.token)


def _create(hit: Hit, now: datetime) -> str:
    hit_type = ensure_hit_type(hit_type=hit.hit_type)
    # A concurrent withdrawal or pause either sees attempted_at or prevents the creation here.
    if hit.attempted_at is None and not Hit.objects.to_create().filter(pk=hit.pk).update(
        attempted_at=now
    ):
        raise OutcomeUnknownError("withdrawn or paused before it was created")
    return hit_provider_of(hit_type.provider).create_hit(
        token=hit.token,
        hit_type=hit_type.external_id,
        url=hit.url,
        max_assignments=hit.max_assignments,
        lifetime_seconds=hit.lifetime_seconds,
    )


def ensure_hit_type(*, hit_type: HitType) -> HitType:
    """Return the HIT type, created at the marketplace if necessary. A repeat gives the same id."""
    if hit_type.external_id:
        return hit_type
    for requirement in hit_type.qualifications:
        if "code" in requirement:
            ensure_type(provider=hit_type.provider, code=requirement["code"])
    hit_type.external_id = hit_provider_of(hit_type.provider).create_hit_type(
        HitTypeTerms(
            title=hit_type.title,
            description=hit_type.description,
            keywords=hit_type.keywords,
            reward_cents=hit_type.reward_cents,
            assignment_seconds=hit_type.assignment_seconds,
            auto_approval_seconds=hit_type.auto_approval_seconds,
            requirements=requirements_of(hit_type),
        )
    )
    if address := destination(hit_type.provider):
        # Subscribe to events. A refusal is only logged, because HITs are also polled.
        try:
            hit_provider_of(hit_type.provider).watch(hit_type.external_id, destination=address)
        except ProviderRefusedError as refused:
            log.warning("No notifications for the HIT type %s: %s", hit_type.external_id, refused)
    hit_type.save(update_fields=["external_id"])
    return hit_type


def _fail(hit: Hit, error: str, now: datetime) -> None:
    """Mark the HIT as failed and release its reservation."""
    changed = Hit.objects.filter(pk=hit.pk, state=HitState.PENDING).update(
        state=HitState.FAILED, error=error, leased_until=None
    )
    if not changed:
        return
    release_unused(hits=[hit], now=now)
    log_state_change(
        instance=hit, old="pending", new="failed", actor="marketplace", now=now, reason=error
    )
