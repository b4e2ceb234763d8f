"""Checks of the URLs in questions, which appear in pages and in their security policies."""

import re
from functools import lru_cache
from urllib.parse import urlsplit

from marketplace.domain.errors import InvalidParameterError

#: Hosts that a Content-Security-Policy can name, with their port.
HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


def check_url(url: str, *, name: str, allow_http: bool) -> str:
    """Return the URL of a page or a file. Raise InvalidParameterError, which names the parameter."""
    if not url.isprintable() or " " in url:
        raise InvalidParameterError(f"{name} contains a space, or a character without a shape.")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise InvalidParameterError(f"{name} {url!r} is not a URL.") from None
    _check_origin(parts.scheme, parts.netloc, name, allow_http)
    return url


@lru_cache(maxsize=256)
def _check_origin(scheme: str, netloc: str, name: str, allow_http: bool) -> None:
    if scheme != "https" and not (scheme == "http" and allow_http):
        raise InvalidParameterError(f"{name} must begin with https://.")
    if not HOST.fullmatch(netloc):
        raise InvalidParameterError(
            f"{name} must name a host in ASCII. Write international names as xn--..."
        )
