"""Who is asking, where a proxy asks in their name.

`X-Forwarded-For` grows to the right: each proxy adds whom it heard from. So it is read from the
right, for as long as those who wrote are trusted; what stands to the left of the first stranger is
the stranger's own claim. Without TRUSTED_PROXIES the header says nothing.
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class TrustedProxiesMiddleware:
    """Puts the client's address into REMOTE_ADDR, where everything that asks for it looks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        claimed = request.META.pop("HTTP_X_FORWARDED_FOR", "")
        request.META["REMOTE_ADDR"] = client_address(request.META.get("REMOTE_ADDR", ""), claimed)
        return self.get_response(request)


def client_address(peer: str, forwarded_for: str) -> str:
    """The address of the client behind the peer that the connection came from."""
    address = peer
    for claim in reversed([one.strip() for one in forwarded_for.split(",") if one.strip()]):
        if not _is_trusted(address):
            break
        if _parsed(claim) is None:
            break
        address = claim
    return address


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(address)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _is_trusted(address: str) -> bool:
    found = _parsed(address)
    return found is not None and any(found in network for network in settings.TRUSTED_PROXIES)
