"""Planned HITs, made at the marketplace: each exactly once, whatever fails on the way."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import Case, Value, When

from audit.domain.change_state import log_state_change
from crowd.domain.hear_notifications import destination
from crowd.domain.hold_publishing import standing_hold
from crowd.domain.lease import BITE, take_leases
from crowd.domain.marketplace import marketplace_of
from crowd.domain.offer_money import release_unused
from crowd.domain.qualifications import ensure_type, requirements_of
from crowd.domain.sync_hits import POLL
from crowd.enums import HitState
from crowd.models import FoundHit, Hit, HitType
from crowd.providers.base import HitOrder, HitTypeTerms, ProviderInDoubt, ProviderRefused

log = logging.getLogger("touchstone.crowd")

# The marketplace remembers a token for 24 hours; after less than that we look before we ask again.
TOKEN_MEMORY = timedelta(hours=23)


def create_pending_hits(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Make up to `limit` of the HITs that wait for it; returns how many are now live. None while
    publishing is held."""
    if standing_hold():
        return 0
    pending = Hit.objects.to_create().select_related("hit_type")
    hits = take_leases(pending, now=clock(), limit=limit)
    return sum(create_hit(hit=hit, now=clock()) for hit in hits)


def create_hit(*, hit: Hit, now: datetime) -> bool:
    """Make one HIT; says whether it is live. In doubt it stays pending for the next sweep."""
    try:
        external_id = _made_before(hit, now) or _make(hit, now)
    except ProviderInDoubt as doubt:
        Hit.objects.filter(pk=hit.pk).update(error=str(doubt), leased_until=None)
        return False
    except ProviderRefused as refused:
        _fail(hit, str(refused), now)
        return False
    changed = Hit.objects.filter(pk=hit.pk, state=HitState.PENDING).update(
        state=HitState.LIVE,
        external_id=external_id,
        created_at=now,
        # Workers may have finished it before we knew that it was there.
        sync_due_at=Case(
            When(claimed_assignments__gt=0, then=Value(now)), default=Value(now + POLL)
        ),
        leased_until=None,
        error="",
    )
    return bool(changed)


def _made_before(hit: Hit, now: datetime) -> str | None:
    """The HIT of an earlier attempt that is too old for its token to protect us, or of a history
    that this database has lost (see `recover_hits`)."""
    found = FoundHit.objects.filter(
        provider=hit.hit_type.provider, annotation=hit.token, hit=None
    ).first()
    if found:
        FoundHit.objects.filter(pk=found.pk).update(hit=hit)
        Hit.objects.filter(pk=hit.pk).update(ends_at=found.expires_at)
        return found.external_id
    if hit.attempted_at is None or now - hit.attempted_at < TOKEN_MEMORY:
        return None
    return marketplace_of(hit.hit_type.provider).find_hit(hit.token)


def _make(hit: Hit, now: datetime) -> str:
    hit_type = ensure_hit_type(hit_type=hit.hit_type)
    # Whoever withdraws or pauses a HIT in the meantime either finds it attempted or stops it here.
    if hit.attempted_at is None and not Hit.objects.to_create().filter(pk=hit.pk).update(
        attempted_at=now
    ):
        raise ProviderInDoubt("withdrawn or paused before it was asked for")
    return marketplace_of(hit_type.provider).create_hit(
        HitOrder(
            token=hit.token,
            hit_type=hit_type.external_id,
            url=hit.url,
            max_assignments=hit.max_assignments,
            lifetime_seconds=hit.lifetime_seconds,
        )
    )


def ensure_hit_type(*, hit_type: HitType) -> HitType:
    """The HIT type with its id at the marketplace, made there if need be (a repeat gives the same id)."""
    if hit_type.external_id:
        return hit_type
    for one in hit_type.qualifications:
        if "code" in one:
            ensure_type(provider=hit_type.provider, code=one["code"])
    hit_type.external_id = marketplace_of(hit_type.provider).create_hit_type(
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
    if address := destination():
        _watch(hit_type, address)
    hit_type.save(update_fields=["external_id"])
    return hit_type


def _watch(hit_type: HitType, address: str) -> None:
    """Events only hasten what happens anyway: a marketplace that refuses to send them is no reason
    to publish nothing."""
    try:
        marketplace_of(hit_type.provider).watch(hit_type.external_id, destination=address)
    except ProviderRefused as refused:
        log.warning("No notifications for the HIT type %s: %s", hit_type.external_id, refused)


def _fail(hit: Hit, error: str, now: datetime) -> None:
    """The marketplace will never take this HIT: its reservation goes back, the reason is kept."""
    changed = Hit.objects.filter(pk=hit.pk, state=HitState.PENDING).update(
        state=HitState.FAILED, error=error, leased_until=None
    )
    if not changed:
        return
    release_unused(hits=[hit], now=now)
    log_state_change(
        instance=hit, old="pending", new="failed", actor="marketplace", now=now, reason=error
    )
