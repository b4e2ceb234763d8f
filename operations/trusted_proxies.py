"""The client's address behind trusted proxies.

Each proxy appends its client's address to `X-Forwarded-For`. The header is read from the right, as
long as the address that appended an entry is in TRUSTED_PROXIES.
"""

from collections.abc import Callable
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class TrustedProxiesMiddleware:
    """Middleware that stores the client's address in REMOTE_ADDR."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        header = request.META.pop("HTTP_X_FORWARDED_FOR", "")
        request.META["REMOTE_ADDR"] = client_address(request.META.get("REMOTE_ADDR", ""), header)
        return self.get_response(request)


def client_address(peer: str, forwarded_for: str) -> str:
    """Return the address of the client behind the peer of the connection."""
    address = peer
    try:
        for entry in reversed(forwarded_for.split(",")):
            if not _is_trusted(address):
                break
            ip_address(entry.strip())
            address = entry.strip()
    except ValueError:  # an entry, or the peer of a Unix socket, is not an address
        pass
    return address


def _is_trusted(address: str) -> bool:
    ip = ip_address(address)
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return any(ip in network for network in settings.TRUSTED_PROXIES)
