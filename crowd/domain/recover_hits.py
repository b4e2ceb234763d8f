"""Recover HITs that exist at a marketplace but not in this database."""

from dataclasses import dataclass
from datetime import datetime

from crowd.domain.marketplace import marketplace_of
from crowd.enums import HitState
from crowd.models import Hit, OrphanHit
from crowd.providers.base import ListedHit


@dataclass(frozen=True, slots=True)
class Listed:
    """The numbers of HITs in the marketplace's list.

    `known` HITs have a row with their id. `adopted` ones matched the token of a pending HIT. `unknown`
    ones were stored as OrphanHit.
    """

    known: int
    adopted: int
    unknown: int


def list_all_hits(*, provider: str, now: datetime) -> Listed:
    """Read the marketplace's list and match it with our HITs.

    Run this after a restore from a backup and before publishing, because tokens prevent duplicates for
    one day only. Raises OutcomeUnknownError, ProviderRefusedError. Matches found until then are stored.
    """
    known = set(Hit.objects.exclude(external_id=None).values_list("external_id", flat=True))
    counts = {"known": 0, "adopted": 0, "unknown": 0}
    for listed in marketplace_of(provider).list_hits():
        if listed.external_id in known:
            counts["known"] += 1
        elif _adopt(provider, listed, now):
            counts["adopted"] += 1
        else:
            _store_orphan(provider, listed, now)
            counts["unknown"] += 1
    return Listed(**counts)


def _adopt(provider: str, listed: ListedHit, now: datetime) -> bool:
    pending = Hit.objects.filter(
        token=listed.annotation, hit_type__provider=provider, state=HitState.PENDING
    )
    return bool(
        pending.update(**_as_live(listed.external_id, listed.created_at, listed.expires_at, now))
    )


def _as_live(
    external_id: str, created_at: datetime, expires_at: datetime, now: datetime
) -> dict[str, object]:
    return {
        "state": HitState.LIVE,
        "external_id": external_id,
        "created_at": created_at,
        "ends_at": expires_at,
        "attempted_at": created_at,
        "sync_due_at": now,
        "leased_until": None,
        "error": "",
    }


def _store_orphan(provider: str, listed: ListedHit, now: datetime) -> None:
    OrphanHit.objects.update_or_create(
        provider=provider,
        external_id=listed.external_id,
        defaults={
            "annotation": listed.annotation,
            "hit_type_id_there": listed.hit_type,
            "title": listed.title,
            "description": listed.description,
            "keywords": listed.keywords,
            "reward_cents": listed.reward_cents,
            "assignment_seconds": listed.assignment_seconds,
            "auto_approval_seconds": listed.auto_approval_seconds,
            "max_assignments": listed.max_assignments,
            "undecided_assignments": listed.undecided,
            "created_at": listed.created_at,
            "expires_at": listed.expires_at,
            "found_at": now,
        },
    )


def adopt_orphans(*, found: OrphanHit, hit: Hit, now: datetime) -> None:
    """Match an orphan to the pending HIT that was planned with the same token."""
    live = _as_live(found.external_id, found.created_at, found.expires_at, now)
    Hit.objects.filter(pk=hit.pk, state=HitState.PENDING).update(**live)
    if not hit.hit_type.external_id:
        hit.hit_type.external_id = found.hit_type_id_there
        hit.hit_type.save(update_fields=["external_id"])
    OrphanHit.objects.filter(pk=found.pk).update(hit=hit)
