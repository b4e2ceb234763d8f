"""The URLs to which marketplaces send their events."""

import hmac

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from crowd.domain.provider.providers import hit_provider_of
from crowd.enums import DEFAULT_PROVIDER


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
