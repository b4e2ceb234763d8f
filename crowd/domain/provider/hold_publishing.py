"""Hold publishing, so that no HIT is created at a marketplace.

A database restored from a backup lacks the HITs that were created since. Until `recover_hits` has
read the marketplace's list, publishing could create them twice.
"""

from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from crowd.models import PublishingHold


@transaction.atomic
def hold_publishing(*, reason: str, actor: str, now: datetime) -> PublishingHold:
    """Hold publishing. An active hold is returned unchanged."""
    hold, is_new = PublishingHold.objects.get_or_create(
        lifted_at=None, defaults={"reason": reason, "since": now}
    )
    if is_new:
        log_state_change(instance=hold, old="none", new="held", actor=actor, now=now, reason=reason)
    return hold


def active_hold() -> PublishingHold | None:
    return PublishingHold.objects.filter(lifted_at=None).first()


@transaction.atomic
def lift_hold(*, actor: str, now: datetime) -> bool:
    """Lift the hold on publishing. Return False if there was none."""
    hold = PublishingHold.objects.select_for_update().filter(lifted_at=None).first()
    if hold is None:
        return False
    hold.lifted_at, hold.lifted_by = now, actor
    hold.save(update_fields=["lifted_at", "lifted_by"])
    log_state_change(instance=hold, old="held", new="lifted", actor=actor, now=now)
    return True
