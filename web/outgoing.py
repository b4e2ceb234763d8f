"""POST requests to addresses that users enter, at the hosts that the operator allows.

A list of hosts protects the operator's network. Redirects are not followed, proxies of the environment
are not used, and certificates are verified.
"""

import socket
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, quote, urlsplit

DEFAULT_PORTS = {"https": 443, "http": 80}
# Characters of a URL that are sent as they are.
SAFE = "/%:@!$&'()*+,;=~?"
MAX_EXCERPT_BYTES = 1_000


class UnreachableError(Exception):
    """A host that refused the connection or did not answer in time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The status of an answer, with the beginning of its text if it is no success."""

    status: int
    excerpt: str = ""

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


def read_url(address: str) -> SplitResult:
    """Return the parts of the address. Raise ValueError if it is not a URL."""
    url = urlsplit(address)
    _ = url.port
    return url


def port_of(url: SplitResult) -> int:
    return url.port or DEFAULT_PORTS[url.scheme]


def allowed_hosts(entries: Iterable[str]) -> set[tuple[str | None, int]]:
    """Return the hosts and ports of a setting. An entry without a port allows those of https and http."""
    allowed: set[tuple[str | None, int]] = set()
    for entry in entries:
        url = urlsplit(f"//{entry}")
        ports = (url.port,) if url.port else DEFAULT_PORTS.values()
        allowed |= {(url.hostname, port) for port in ports}
    return allowed


def post(
    address: str, body: bytes, headers: Mapping[str, str], *, timeout: float, deadline: float
) -> Answer:
    """Send a JSON body to the address. Raise UnreachableError.

    `timeout` is for each step, and `deadline` for all of them, in seconds.
    """
    url = urlsplit(address)
    connect = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = connect(url.hostname or "", url.port, timeout=timeout)
    target = quote(url.path or "/", safe=SAFE) + (
        f"?{quote(url.query, safe=SAFE)}" if url.query else ""
    )
    excerpt = b""
    with _deadline(connection, deadline) as is_over:
        try:
            connection.request(
                "POST", target, body, {"Content-Type": "application/json", **headers}
            )
            response = connection.getresponse()
        except (OSError, HTTPException) as error:
            if is_over.is_set():
                raise UnreachableError(f"no answer within {deadline} s") from error
            raise UnreachableError(f"{type(error).__name__}: {error}") from error
        if not 200 <= response.status < 300:
            # Only the beginning of the text, because it may be endless.
            with suppress(OSError, HTTPException):
                excerpt = response.read1(MAX_EXCERPT_BYTES)
    if is_over.is_set():
        raise UnreachableError(f"no answer within {deadline} s")
    return Answer(response.status, excerpt.decode(errors="replace"))


@contextmanager
def _deadline(connection: HTTPConnection, seconds: float) -> Iterator[threading.Event]:
    """Close the connection after the block, or after the deadline, which sets the event.

    The connection's own time-out starts again with each byte that it receives.
    """
    is_over = threading.Event()
    timer = threading.Timer(seconds, _shut_down, [connection, is_over])
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
