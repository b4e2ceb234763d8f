"""Handle notifications of a marketplace, which are not trusted and only trigger an early sync."""

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from crowd.domain.sync_hits import schedule_sync
from crowd.models import NotificationReceipt

# The marketplace stops repeating a delivery long before this.
MAX_AGE = timedelta(days=14)
WEBHOOK = "webhook"


def notification_key() -> str:
    """Return the secret part of the webhook's URL."""
    return _key_from(settings.SECRET_KEY)


def is_notification_key(key: str) -> bool:
    """Return True if a URL with this key was given to a marketplace, also under an earlier key."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(key, _key_from(secret)) for secret in secrets)


def _key_from(secret: str) -> str:
    return hmac.new(secret.encode(), b"crowd notifications", "sha256").hexdigest()[:40]


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
