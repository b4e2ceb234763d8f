"""A hold on publishing: no HIT is made at a marketplace while it stands.

A database restored from a backup has forgotten the HITs that were made since; until the
marketplace's own list has been read (`recover_hits`), making one could make it twice.
"""

from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from crowd.models import PublishingHold


def hold_publishing(*, reason: str, actor: str, now: datetime) -> PublishingHold:
    """Stop the sweep that makes HITs; a hold that stands already stays as it is."""
    with transaction.atomic():
        hold, is_new = PublishingHold.objects.get_or_create(
            lifted_at=None, defaults={"reason": reason, "since": now}
        )
        if is_new:
            log_state_change(
                instance=hold, old="none", new="held", actor=actor, now=now, reason=reason
            )
    return hold


def standing_hold() -> PublishingHold | None:
    return PublishingHold.objects.filter(lifted_at=None).first()


def lift_hold(*, actor: str, now: datetime) -> bool:
    """Let publishing go on; says whether it was held."""
    with transaction.atomic():
        hold = PublishingHold.objects.select_for_update().filter(lifted_at=None).first()
        if hold is None:
            return False
        hold.lifted_at, hold.lifted_by = now, actor
        hold.save(update_fields=["lifted_at", "lifted_by"])
        log_state_change(instance=hold, old="held", new="lifted", actor=actor, now=now)
    return True
