"""HITs that are live at a marketplace and that this database has lost or never heard of."""

from dataclasses import dataclass
from datetime import datetime

from crowd.domain.marketplace import marketplace_of
from crowd.enums import HitState
from crowd.models import FoundHit, Hit
from crowd.providers.base import MadeHit


@dataclass(frozen=True, slots=True)
class Listed:
    """The account's HITs: `known` by their id, `adopted` by the annotation of a HIT that we were about
    to make, `unknown` kept as FoundHit."""

    known: int
    adopted: int
    unknown: int


def list_all_hits(*, provider: str, now: datetime) -> Listed:
    """Read the marketplace's whole list once, and find ours in it again. To be run after a database was
    restored from a backup, before anything is published: tokens protect for a day only. Raises
    ProviderInDoubt and ProviderRefused; what was found until then is kept."""
    known = set(Hit.objects.exclude(external_id=None).values_list("external_id", flat=True))
    counts = {"known": 0, "adopted": 0, "unknown": 0}
    for made in marketplace_of(provider).list_hits():
        if made.external_id in known:
            counts["known"] += 1
        elif _adopt(provider, made, now):
            counts["adopted"] += 1
        else:
            _keep(provider, made, now)
            counts["unknown"] += 1
    return Listed(**counts)


def _adopt(provider: str, made: MadeHit, now: datetime) -> bool:
    pending = Hit.objects.filter(
        token=made.annotation, hit_type__provider=provider, state=HitState.PENDING
    )
    return bool(pending.update(**_as_live(made.external_id, made.created_at, made.expires_at, now)))


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


def _keep(provider: str, made: MadeHit, now: datetime) -> None:
    FoundHit.objects.update_or_create(
        provider=provider,
        external_id=made.external_id,
        defaults={
            "annotation": made.annotation,
            "hit_type_id_there": made.hit_type,
            "title": made.title,
            "description": made.description,
            "keywords": made.keywords,
            "reward_cents": made.reward_cents,
            "assignment_seconds": made.assignment_seconds,
            "auto_approval_seconds": made.auto_approval_seconds,
            "max_assignments": made.max_assignments,
            "undecided_assignments": made.undecided,
            "created_at": made.created_at,
            "expires_at": made.expires_at,
            "found_at": now,
        },
    )


def adopt_found(*, found: FoundHit, hit: Hit, now: datetime) -> None:
    """Let a HIT that was planned under the found one's token be the found one."""
    live = _as_live(found.external_id, found.created_at, found.expires_at, now)
    Hit.objects.filter(pk=hit.pk, state=HitState.PENDING).update(**live)
    if not hit.hit_type.external_id:
        hit.hit_type.external_id = found.hit_type_id_there
        hit.hit_type.save(update_fields=["external_id"])
    FoundHit.objects.filter(pk=found.pk).update(hit=hit)
