"""X-Forwarded-For is believed only as far as trusted proxies wrote it."""

from ipaddress import ip_network

import pytest

from operations.trusted_proxies import client_address

PROXY, SECOND, CLIENT, OTHER = "10.0.0.2", "10.0.0.3", "203.0.113.7", "198.51.100.9"


@pytest.mark.parametrize(
    ("peer", "header", "client"),
    [
        (PROXY, "", PROXY),
        (PROXY, CLIENT, CLIENT),
        (PROXY, f"{OTHER}, {CLIENT}", CLIENT),  # the client claims another address
        (PROXY, f"{CLIENT}, {SECOND}", CLIENT),  # two of our proxies
        (PROXY, f"{OTHER}, {PROXY}, {CLIENT}", CLIENT),  # the client claims to be behind our proxy
        (CLIENT, OTHER, CLIENT),  # the request bypasses the proxy
        (PROXY, "nonsense", PROXY),
        (PROXY, f"{CLIENT}, nonsense", PROXY),
        (PROXY, "2001:db8::7", "2001:db8::7"),
        (f"::ffff:{PROXY}", CLIENT, CLIENT),
        ("", CLIENT, ""),
    ],
)
def test_address_behind_trusted_proxies(settings, peer, header, client):
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    assert client_address(peer, header) == client


def test_header_is_ignored_without_trusted_proxies(settings):
    settings.TRUSTED_PROXIES = []
    assert client_address(PROXY, CLIENT) == PROXY
