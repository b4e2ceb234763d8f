"""Webhook events, stored in an outbox and delivered at least once."""

import hmac
import json
import logging
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from django.conf import settings
from django.db.models import F, QuerySet

from marketplace.domain.access_keys import newest_key
from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.faults import Faults
from marketplace.domain.identifiers import new_code
from marketplace.enums import Event
from marketplace.models import Hit, HitType, Notification, Requester, WebhookHost

log = logging.getLogger("touchstone.sweep")

VERSION = "2006-05-05"
#: Versions that clients name. The documents are the same.
VERSIONS = (VERSION, "2014-08-15")
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
DEFAULT_PORTS = {"https": 443, "http": 80}
TIMEOUT_SECONDS = 5.0
DEADLINE_SECONDS = 8.0
# Shorter than the interval of the passes, so that they hardly overlap.
PASS_SECONDS = 4.0
# Longer than a pass can take.
LEASE = timedelta(minutes=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_RETRY = timedelta(seconds=5)
FIRST_HOST_RETRY = timedelta(seconds=30)
LONGEST_RETRY = timedelta(hours=1)
GIVE_UP_AFTER = timedelta(days=3)
# The most notifications of a host in a pass.
BATCH = 50
# Characters of a URL that are sent as they are.
SAFE = "/%:@!$&'()*+,;=~?"


class UnreachableError(Exception):
    """A host that refused the connection or did not answer in time."""


def check_specification(specification: dict[str, Any]) -> None:
    """Raise RefusalError unless the marketplace can deliver to this destination."""
    if specification["Version"] not in VERSIONS:
        raise InvalidParameterError(f"Version must be {' or '.join(VERSIONS)}.")
    parts = _split(specification["Destination"])
    if specification["Transport"] != "SNS" or parts.scheme not in ("http", "https"):
        raise RefusalError(
            "InvalidTransportEndpoint",
            "This marketplace delivers to webhooks only: Transport SNS with a Destination that "
            "begins with https://.",
        )
    if parts.scheme == "http" and not settings.MARKETPLACE_ALLOW_HTTP:
        raise RefusalError("InvalidTransportEndpoint", "Destination must begin with https://.")
    if not _is_allowed(parts):
        raise RefusalError(
            "InvalidTransportEndpoint",
            f"This marketplace may not call {parts.netloc}. Its operator can allow the host and port "
            "with MARKETPLACE_WEBHOOK_HOSTS.",
        )


def _split(destination: str) -> SplitResult:
    try:
        url = urlsplit(destination)
        _ = url.port
    except ValueError:
        raise InvalidParameterError(f"Destination {destination!r} is not a URL.") from None
    return url


def _is_allowed(url: SplitResult) -> bool:
    return (url.hostname, _port(url)) in _allowed_hosts()


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


def _origin(destination: str) -> str:
    url = urlsplit(destination)
    return f"{url.scheme}://{url.hostname}:{_port(url)}"


def update_settings(
    *, hit_type: HitType, specification: dict[str, Any] | None, active: bool | None
) -> None:
    """Replace the specification, activate or deactivate it, or both."""
    if specification is None and active is None:
        raise InvalidParameterError("Notification or Active is required.")
    if specification is not None:
        check_specification(specification)
        if Event.PING in specification["EventTypes"]:
            raise InvalidParameterError("Ping is valid for SendTestEventNotification only.")
        hit_type.notification = specification
    elif hit_type.notification is None:
        raise InvalidParameterError("This HIT type has no notification specification.")
    hit_type.notification_active = True if active is None else active
    hit_type.save(update_fields=["notification", "notification_active"])


def send_test(
    *, requester: Requester, specification: dict[str, Any], event: str, now: datetime
) -> None:
    """Queue a test event, whether or not the specification lists its type."""
    check_specification(specification)
    body = {"EventType": event, "EventTimestamp": _stamp(now)}
    if event != Event.PING:
        body |= {"HITTypeId": new_code(), "HITId": new_code(), "AssignmentId": new_code()}
    _queue(requester.pk, specification, body, now)


def record(event: Event, hit: Hit, *, assignment_code: str | None = None, now: datetime) -> None:
    """Add an event to the outbox, in the caller's transaction, if the HIT's type subscribes to it."""
    hit_type = hit.hit_type
    if not hit_type.notifies(event):
        return
    body = {
        "EventType": event.value,
        "EventTimestamp": _stamp(now),
        "HITTypeId": hit_type.code,
        "HITId": hit.code,
    }
    if assignment_code is not None:
        body["AssignmentId"] = assignment_code
    _queue(hit_type.requester_id, hit_type.notification or {}, body, now)


def _queue(requester_id: int, specification: dict[str, Any], event: Any, now: datetime) -> None:
    Notification.objects.create(
        doc_id=new_code(),
        requester_id=requester_id,
        destination=specification["Destination"],
        origin=_origin(specification["Destination"]),
        event=event,
        created_at=now,
        due_at=now,
    )


def deliver_due(*, now: datetime, faults: Faults) -> int:
    """Deliver due notifications, each at least once. Return how many were delivered.

    A pass takes PASS_SECONDS and at most DEADLINE_SECONDS more. A host that does not answer is left alone
    until its next attempt is due.
    """
    end = time.monotonic() + PASS_SECONDS
    delivered = 0
    for origin in _due_origins(now):
        if time.monotonic() >= end:
            break
        if (host := _lease(origin, now)) is not None:
            delivered += _deliver_to(host, now=now, end=end, faults=faults)
    return delivered


def _due_origins(now: datetime) -> list[str]:
    """Return the origins with due notifications, in the order in which they were last used."""
    retry_at = dict(WebhookHost.objects.values_list("origin", "retry_at"))
    origins = _due(now).order_by().values_list("origin", flat=True).distinct()
    ready = [origin for origin in origins if retry_at.get(origin, now) <= now]
    return sorted(ready, key=lambda origin: retry_at.get(origin, EPOCH))


def _due(now: datetime) -> QuerySet[Notification]:
    return Notification.objects.filter(delivered_at__isnull=True, due_at__lte=now)


def _lease(origin: str, now: datetime) -> WebhookHost | None:
    """Return the host, leased, or None if another pass uses it.

    The lease counts as a failure until the pass ends.
    """
    host, _ = WebhookHost.objects.get_or_create(origin=origin, defaults={"retry_at": now})
    free = WebhookHost.objects.filter(pk=host.pk, retry_at__lte=now)
    pause = max(LEASE, _host_pause(host))
    return host if free.update(failures=F("failures") + 1, retry_at=now + pause) else None


def _deliver_to(host: WebhookHost, *, now: datetime, end: float, faults: Faults) -> int:
    rows = list(
        _due(now).filter(origin=host.origin).select_related("requester").order_by("due_at")[:BATCH]
    )
    if faults.happens("reorder_notifications"):
        random.shuffle(rows)
    this = WebhookHost.objects.filter(pk=host.pk)
    delivered = 0
    try:
        for row in rows:
            if time.monotonic() >= end:
                break
            delivered += _deliver(row, now=now, faults=faults)
    except UnreachableError as error:
        _give_up_old(host.origin, error, now)
        this.update(retry_at=now + _host_pause(host))
    else:
        this.update(failures=0, retry_at=now)
    return delivered


def _host_pause(host: WebhookHost) -> timedelta:
    return min(FIRST_HOST_RETRY * 2.0 ** min(host.failures, 12), LONGEST_RETRY)


def _give_up_old(origin: str, error: Exception, now: datetime) -> None:
    old = _due(now).filter(origin=origin, created_at__lt=now - GIVE_UP_AFTER)
    old.update(delivered_at=now, last_error=f"given up: {error}"[:300])


def _deliver(row: Notification, *, now: datetime, faults: Faults) -> bool:
    """Return True if the notification was delivered. Raise UnreachableError, with the row put off."""
    try:
        error = _post(row)
        if not error and faults.happens("repeat_notifications"):
            _post(row)
    except UnreachableError as unreachable:
        _put_off(row, str(unreachable), now)
        raise
    except Exception as failure:
        log.exception("notify failed for %s", row.doc_id)
        error = repr(failure)
    if error:
        _put_off(row, error, now)
        return False
    Notification.objects.filter(pk=row.pk).update(
        delivered_at=now, attempts=F("attempts") + 1, last_error=""
    )
    return True


def _put_off(row: Notification, error: str, now: datetime) -> None:
    """Set the time of the next attempt, or give up after GIVE_UP_AFTER."""
    notification = Notification.objects.filter(pk=row.pk)
    if now - row.created_at > GIVE_UP_AFTER:
        notification.update(delivered_at=now, last_error=f"given up: {error}"[:300])
        return
    pause = min(FIRST_RETRY * 2 ** min(row.attempts, 12), LONGEST_RETRY)
    notification.update(due_at=now + pause, attempts=F("attempts") + 1, last_error=error[:300])


def _post(row: Notification) -> str:
    """Post a notification. Return the refusal, or an empty string. Raise UnreachableError."""
    url = urlsplit(row.destination)
    if not _is_allowed(url):
        return "the host is no longer allowed"
    body = json.dumps(document(row)).encode()
    connect = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = connect(url.hostname or "", url.port, timeout=TIMEOUT_SECONDS)
    target = quote(url.path or "/", safe=SAFE) + (
        f"?{quote(url.query, safe=SAFE)}" if url.query else ""
    )
    with _deadline(connection) as is_over:
        try:
            connection.request("POST", target, body, _headers(row.requester, body))
            # The body is not read, because it may be endless.
            status = connection.getresponse().status
        except (OSError, HTTPException) as error:
            raise UnreachableError(f"{type(error).__name__}: {error}") from error
    if is_over.is_set():
        raise UnreachableError(f"no answer within {DEADLINE_SECONDS} s")
    return "" if 200 <= status < 300 else f"HTTP {status}"


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


def document(row: Notification) -> dict[str, Any]:
    """Return the notification in MTurk's form. Receivers recognize repeats by EventDocId."""
    return {
        "EventDocVersion": VERSION,
        "EventDocId": row.doc_id,
        "CustomerId": row.requester.code,
        "Events": [row.event],
    }


def _stamp(now: datetime) -> str:
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")
