"""Handle notifications of a marketplace, which are not trusted and only trigger an early sync."""

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from crowd.domain.sync_hits import schedule_sync
from crowd.models import NotificationReceipt

# The marketplace stops repeating a delivery long before this.
MAX_AGE = timedelta(days=14)
WEBHOOK = "webhook"


def notification_key() -> str:
    """Return the secret part of the webhook's URL."""
    purpose = b"crowd notifications"
    return hmac.new(settings.SECRET_KEY.encode(), purpose, "sha256").hexdigest()[:40]


def destination() -> str | None:
    """Return the URL to which marketplaces should send events, or None."""
    if settings.MTURK_NOTIFICATIONS != WEBHOOK:
        return None
    return str(settings.SITE_URL) + reverse("crowd:notifications", args=[notification_key()])


@transaction.atomic
def receive_notification(*, doc_id: str, hits: Sequence[str], now: datetime) -> bool:
    """Schedule a sync of the HITs. Return False for a repeated notification, which is ignored."""
    _, new = NotificationReceipt.objects.get_or_create(doc_id=doc_id, defaults={"received_at": now})
    if new:
        schedule_sync(external_ids=hits, now=now)
    return new


def forget_notifications(*, now: datetime) -> int:
    deleted, _ = NotificationReceipt.objects.filter(received_at__lt=now - MAX_AGE).delete()
    return deleted
