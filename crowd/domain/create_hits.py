"""Planned HITs, made at the marketplace: each exactly once, whatever fails on the way."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import Case, Value, When

from audit.domain.change_state import log_state_change
from crowd.domain.lease import BITE, take_leases
from crowd.domain.ledger import release
from crowd.domain.marketplace import marketplace_of
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.domain.qualifications import ensure_type, requirements_of
from crowd.domain.sync_hits import POLL
from crowd.enums import HitState
from crowd.models import Hit, HitType
from crowd.providers.base import HitOrder, HitTypeTerms, ProviderInDoubt, ProviderRefused

# The marketplace remembers a token for 24 hours; after less than that we look before we ask again.
TOKEN_MEMORY = timedelta(hours=23)


def create_pending_hits(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Make up to `limit` of the HITs that wait for it; returns how many are now live."""
    pending = Hit.objects.filter(state=HitState.PENDING).select_related("hit_type")
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
    """The HIT of an earlier attempt that is too old for its token to protect us."""
    if hit.attempted_at is None or now - hit.attempted_at < TOKEN_MEMORY:
        return None
    return marketplace_of(hit.hit_type.provider).find_hit(hit.token)


def _make(hit: Hit, now: datetime) -> str:
    hit_type = ensure_hit_type(hit_type=hit.hit_type)
    if hit.attempted_at is None:
        Hit.objects.filter(pk=hit.pk).update(attempted_at=now)
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
    hit_type.save(update_fields=["external_id"])
    return hit_type


def _fail(hit: Hit, error: str, now: datetime) -> None:
    """The marketplace will never take this HIT: its reservation goes back, the reason is kept."""
    changed = Hit.objects.filter(pk=hit.pk, state=HitState.PENDING).update(
        state=HitState.FAILED, error=error, leased_until=None
    )
    if not changed:
        return
    terms = HitTerms(hit.max_assignments, hit.lifetime_seconds, hit.bonus_allowance_cents)
    amount, fees = (each * hit.max_assignments for each in slot_cents(hit.hit_type, terms))
    release(hit=hit, key=f"release:hit:{hit.pk}", amount_cents=amount, fee_cents=fees, now=now)
    log_state_change(
        instance=hit, old="pending", new="failed", actor="marketplace", now=now, reason=error
    )
