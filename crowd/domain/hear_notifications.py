"""Notifications of a marketplace: they hasten the next look at a HIT, and are never the truth.

Anyone who knows the address can send one. It may come late, twice, out of order or made up: all it
can do is to have HITs of ours looked at once more.
"""

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from crowd.domain.sync_hits import look_soon
from crowd.models import NotificationReceipt

# Deliveries are given up after days; no repeat comes later than this.
REMEMBERED = timedelta(days=14)
WEBHOOK = "webhook"


def notification_key() -> str:
    """What makes the address known to the marketplace and to nobody else."""
    told = b"crowd notifications"
    return hmac.new(settings.SECRET_KEY.encode(), told, "sha256").hexdigest()[:40]


def destination() -> str | None:
    """Where marketplaces are asked to send events: this site, a topic that passes them on to it, or
    nowhere."""
    wanted: str = settings.MTURK_NOTIFICATIONS
    if wanted == WEBHOOK:
        return str(settings.SITE_URL) + reverse("crowd:notifications", args=[notification_key()])
    return wanted or None


@transaction.atomic
def hear_notification(*, doc_id: str, hits: Sequence[str], now: datetime) -> bool:
    """Have the HITs looked at soon; False for a repeat, which does nothing."""
    _, new = NotificationReceipt.objects.get_or_create(doc_id=doc_id, defaults={"received_at": now})
    if new:
        look_soon(external_ids=hits, now=now)
    return new


def forget_notifications(*, now: datetime) -> int:
    deleted, _ = NotificationReceipt.objects.filter(received_at__lt=now - REMEMBERED).delete()
    return deleted
