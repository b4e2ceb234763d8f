"""Handle notifications of a marketplace, which are not trusted and only trigger an early sync."""

import hmac
from collections.abc import Mapping
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from crowd.domain.notice_study import notice_study
from crowd.domain.providers import hit_provider_of, provider_of
from crowd.domain.sync_hits import schedule_sync
from crowd.domain.sync_sessions import schedule_session_sync
from crowd.enums import DEFAULT_PROVIDER
from crowd.models import NotificationReceipt, Study
from crowd.providers.base import RECEIPTS_KEPT, InvalidNotificationError, ProviderEvent

__all__ = [
    "InvalidNotificationError",
    "destination",
    "event_address",
    "forget_notifications",
    "is_notification_key",
    "notification_key",
    "receive_notification",
]


def notification_key() -> str:
    """Return the secret part of the webhook's URL."""
    return _key_from(settings.SECRET_KEY)


def is_notification_key(key: str) -> bool:
    """Return True if a URL with this key was given to a marketplace, also under an earlier key."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(key, _key_from(secret)) for secret in secrets)


def _key_from(secret: str) -> str:
    return hmac.new(secret.encode(), b"crowd notifications", "sha256").hexdigest()[:40]


def destination(provider: str = DEFAULT_PROVIDER) -> str | None:
    """Return the URL to which the marketplace should send events, or None."""
    if not hit_provider_of(provider).sends_events:
        return None
    return str(settings.SITE_URL) + reverse("crowd:notifications", args=[notification_key()])


def event_address(provider: str) -> str:
    """Return the URL to which a provider with sessions sends its signed events."""
    return str(settings.SITE_URL) + reverse("crowd:events", args=[provider])


def receive_notification(
    *, body: bytes, headers: Mapping[str, str], now: datetime, provider: str = DEFAULT_PROVIDER
) -> bool:
    """Schedule a sync of the HITs. Return False for a repeated notification, which is ignored.

    Raise InvalidNotificationError.
    """
    # May ask the provider for its secret, so that no transaction is open.
    event = provider_of(provider).read_event(body=body, headers=headers, now=now)
    with transaction.atomic():
        if is_new := _store_receipts(event, now):
            schedule_sync(external_ids=event.postings, now=now)
            schedule_session_sync(external_ids=event.sessions, now=now)
            studies = Study.objects.filter(external_id__in=event.postings)
            studies.update(sync_due_at=now)
            if event.notice:
                for study in studies:
                    notice_study(study=study, notice=event.notice, now=now)
    return is_new


def _store_receipts(event: ProviderEvent, now: datetime) -> bool:
    """Return True if none of the receipts was known."""
    created = [
        NotificationReceipt.objects.get_or_create(doc_id=receipt, defaults={"received_at": now})[1]
        for receipt in event.receipts
    ]
    return all(created)


def forget_notifications(*, now: datetime) -> int:
    deleted, _ = NotificationReceipt.objects.filter(received_at__lt=now - RECEIPTS_KEPT).delete()
    return deleted
