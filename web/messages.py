"""Messages to the user on the next page, in a cookie with the site's prefix."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class MessageCookie(CookieStorage):
    cookie_name = f"{settings.COOKIE_PREFIX}messages"


class MessageStorage(FallbackStorage):
    """Django's default storage: a cookie, and the session for what is too long for it."""

    storage_classes = (MessageCookie, SessionStorage)
