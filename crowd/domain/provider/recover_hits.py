"""Recover HITs that exist at a marketplace but not in this database."""

from dataclasses import asdict
from datetime import datetime

from crowd.domain.provider.providers import capabilities_of, hit_provider_of
from crowd.enums import HitState
from crowd.models import Hit, OrphanHit
from crowd.providers.base import ListedHit


def list_all_hits(*, provider: str, now: datetime) -> int:
    """Match the marketplace's list with our HITs. Return how many pending HITs were found there.

    Run this after a restore from a backup and before publishing, because tokens prevent duplicates
    for one day only. A HIT that matches no row is stored as an OrphanHit. Raises
    OutcomeUnknownError, ProviderRefusedError. Matches found until then are stored.

    A provider with sessions has no HITs. Its studies are found by their tokens when they are created.
    """
    if not capabilities_of(provider).lists_hits:
        return 0
    known = set(Hit.objects.exclude(external_id=None).values_list("external_id", flat=True))
    adopted = 0
    for listed in hit_provider_of(provider).list_hits():
        if listed.external_id in known:
            continue
        pending = Hit.objects.filter(
            token=listed.annotation, hit_type__provider=provider, state=HitState.PENDING
        )
        if pending.update(**_as_live(listed, now)):
            adopted += 1
        else:
            OrphanHit.objects.update_or_create(
                provider=provider,
                external_id=listed.external_id,
                defaults={**asdict(listed), "found_at": now},
            )
    return adopted


def _as_live(listed: ListedHit | OrphanHit, now: datetime) -> dict[str, object]:
    return {
        "state": HitState.LIVE,
        "external_id": listed.external_id,
        "created_at": listed.created_at,
        "ends_at": listed.expires_at,
        "attempted_at": listed.created_at,
        "sync_due_at": now,
        "leased_until": None,
        "error": "",
    }


def adopt_orphans(*, orphan: OrphanHit, hit: Hit, now: datetime) -> None:
    """Match an orphan to the pending HIT that was planned with the same token."""
    Hit.objects.filter(pk=hit.pk, state=HitState.PENDING).update(**_as_live(orphan, now))
    if not hit.hit_type.external_id:
        hit.hit_type.external_id = orphan.hit_type_id_there
        hit.hit_type.save(update_fields=["external_id"])
    OrphanHit.objects.filter(pk=orphan.pk).update(hit=hit)
