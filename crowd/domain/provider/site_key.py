"""The key behind ids and pseudonyms that outlive a change of SECRET_KEY."""

import hashlib
import hmac

from django.conf import settings

from crowd.models import SiteKey

SINGLE = 1


def site_key() -> bytes:
    """Return the site's key. The first call derives it from SECRET_KEY and stores it.

    Derived, because a transaction that is rolled back must leave the same key to the next one.
    """
    secret = settings.SECRET_KEY.encode()
    derived = hmac.new(secret, b"crowd.site_key", hashlib.sha256).hexdigest()
    row, _ = SiteKey.objects.get_or_create(pk=SINGLE, defaults={"value": derived})
    return row.value.encode()
