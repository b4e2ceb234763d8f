"""The pages of HITs that this site published before its own address changed.

A HIT keeps the ExternalURL with which it was created. The site signs requests with the built-in key, and
only for its own pages, so their host is the site's present one.
"""

from urllib.parse import urlsplit

from django.conf import settings

from database import statements

_HAS_KEY = "SELECT 1 FROM marketplace_accesskey WHERE requester_id = %s AND access_key_id = %s"


def present_url(*, external_url: str, requester_id: int) -> str:
    """Return the URL of a HIT's page, on this site's present address if the site published the HIT."""
    parts, site = urlsplit(external_url), urlsplit(settings.SITE_URL)
    content = urlsplit(settings.MARKETPLACE_CONTENT_URL)
    present = [(host.scheme, host.netloc) for host in (site, content)]
    if not external_url or (parts.scheme, parts.netloc) in present:
        return external_url
    if not is_own_requester(requester_id):
        return external_url
    return parts._replace(scheme=site.scheme, netloc=site.netloc).geturl()


def is_own_requester(requester_id: int) -> bool:
    """Return True if the requester is the site itself, which has the built-in key."""
    key = settings.MARKETPLACE_BUILTIN_KEY
    if not key:
        return False
    return bool(statements.fetch_rows(_HAS_KEY, requester_id, key[0]))
