"""Webhooks: requests to a host that the operator allows, signed with the requester's newest key."""

import hmac
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, quote, urlsplit

from django.conf import settings

from marketplace.domain.access_keys import newest_key
from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.notifications.transports.base import EndpointError, UnreachableError
from marketplace.models import Notification, Requester

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
DEFAULT_PORTS = {"https": 443, "http": 80}
TIMEOUT_SECONDS = 5.0
DEADLINE_SECONDS = 8.0
# Characters of a URL that are sent as they are.
SAFE = "/%:@!$&'()*+,;=~?"


class Webhook:
    def check(self, destination: str, requester: Requester) -> None:
        try:
            url = urlsplit(destination)
            _ = url.port
        except ValueError:
            raise InvalidParameterError(f"Destination {destination!r} is not a URL.") from None
        if url.scheme not in DEFAULT_PORTS:
            raise EndpointError(
                "With Transport SNS, Destination must be the ARN of a topic, or the address of a "
                "webhook that begins with https://."
            )
        if url.scheme == "http" and not settings.MARKETPLACE_ALLOW_HTTP:
            raise EndpointError("Destination must begin with https://.")
        if (url.hostname, _port(url)) not in _allowed_hosts():
            raise EndpointError(
                f"This marketplace may not call {url.netloc}. Its operator can allow the host and "
                "port with MARKETPLACE_WEBHOOK_HOSTS."
            )

    def origin(self, destination: str) -> str:
        url = urlsplit(destination)
        return f"{url.scheme}://{url.hostname}:{_port(url)}"

    def send(self, notification: Notification, body: str) -> str:
        url = urlsplit(notification.destination)
        connect = HTTPSConnection if url.scheme == "https" else HTTPConnection
        connection = connect(url.hostname or "", url.port, timeout=TIMEOUT_SECONDS)
        target = quote(url.path or "/", safe=SAFE) + (
            f"?{quote(url.query, safe=SAFE)}" if url.query else ""
        )
        content = body.encode()
        with _deadline(connection) as is_over:
            try:
                headers = _headers(notification.requester, content)
                connection.request("POST", target, content, headers)
                # The body is not read, because it may be endless.
                status = connection.getresponse().status
            except (OSError, HTTPException) as error:
                raise UnreachableError(f"{type(error).__name__}: {error}") from error
        if is_over.is_set():
            raise UnreachableError(f"no answer within {DEADLINE_SECONDS} s")
        return "" if 200 <= status < 300 else f"HTTP {status}"


def _allowed_hosts() -> set[tuple[str | None, int]]:
    """Return the allowed hosts and ports of webhooks, which protect the operator's network.

    An entry without a port allows the ports of https and http.
    """
    own = urlsplit(settings.MARKETPLACE_URL)
    names = LOOPBACK if own.hostname in LOOPBACK else {own.hostname}
    allowed: set[tuple[str | None, int]] = {(name, _port(own)) for name in names}
    for entry in settings.MARKETPLACE_WEBHOOK_HOSTS:
        url = urlsplit(f"//{entry}")
        ports = (url.port,) if url.port else DEFAULT_PORTS.values()
        allowed |= {(url.hostname, port) for port in ports}
    return allowed


def _port(url: SplitResult) -> int:
    return url.port or DEFAULT_PORTS[url.scheme]


def _headers(requester: Requester, body: bytes) -> dict[str, str]:
    """Return the headers of a notification, signed with the requester's newest key."""
    headers = {"Content-Type": "application/json"}
    if key := newest_key(requester):
        key_id, secret = key
        signature = hmac.new(secret.encode(), body, "sha256").hexdigest()
        headers |= {"Touchstone-Key-Id": key_id, "Touchstone-Signature": f"sha256={signature}"}
    return headers


@contextmanager
def _deadline(connection: HTTPConnection) -> Iterator[threading.Event]:
    """Close the connection after the block, or after DEADLINE_SECONDS, which sets the event.

    The connection's own time-out starts again with each byte that it receives.
    """
    is_over = threading.Event()
    timer = threading.Timer(DEADLINE_SECONDS, _shut_down, [connection, is_over])
    timer.start()
    try:
        yield is_over
    finally:
        timer.cancel()
        connection.close()


def _shut_down(connection: HTTPConnection, is_over: threading.Event) -> None:
    is_over.set()
    with suppress(OSError):
        if connection.sock:
            connection.sock.shutdown(socket.SHUT_RDWR)
