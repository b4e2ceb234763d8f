"""Webhook events, stored in an outbox and delivered at least once."""

import json
import random
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import urllib3
from django.conf import settings
from django.db.models import F
from urllib3.exceptions import HTTPError

from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.faults import Faults
from marketplace.domain.identifiers import new_code
from marketplace.domain.sweep import for_each_row
from marketplace.enums import Event
from marketplace.models import Hit, HitType, Notification, Requester

VERSION = "2006-05-05"
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
TIMEOUT_SECONDS = 5.0
FIRST_RETRY = timedelta(seconds=5)
LONGEST_RETRY = timedelta(hours=1)
GIVE_UP_AFTER = timedelta(days=3)
BATCH = 200

_http = urllib3.PoolManager(
    timeout=urllib3.Timeout(TIMEOUT_SECONDS), retries=False, maxsize=4, num_pools=20
)


def check_specification(specification: dict[str, Any]) -> None:
    """Raise RefusalError unless the marketplace can deliver to this destination."""
    if specification["Version"] != VERSION:
        raise InvalidParameterError(f"Version must be {VERSION}.")
    parts = urlsplit(specification["Destination"])
    if specification["Transport"] != "SNS" or parts.scheme not in ("http", "https"):
        raise RefusalError(
            "InvalidTransportEndpoint",
            "This marketplace delivers to webhooks only: Transport SNS with a Destination that "
            "begins with https://.",
        )
    if parts.scheme == "http" and not settings.MARKETPLACE_ALLOW_HTTP:
        raise RefusalError("InvalidTransportEndpoint", "Destination must begin with https://.")
    if parts.hostname not in allowed_hosts():
        raise RefusalError(
            "InvalidTransportEndpoint",
            f"This marketplace may not call {parts.hostname}. Its operator can allow the host "
            "with MARKETPLACE_WEBHOOK_HOSTS.",
        )


def allowed_hosts() -> set[str]:
    """Return the allowed hosts of webhooks, which protect the operator's network."""
    own = urlsplit(settings.MARKETPLACE_URL).hostname or ""
    ours = LOOPBACK if own in LOOPBACK else {own}
    return {*settings.MARKETPLACE_WEBHOOK_HOSTS, *ours}


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
        event=event,
        created_at=now,
        due_at=now,
    )


def deliver_due(*, now: datetime, faults: Faults) -> int:
    """Deliver the due notifications, each at least once. Return how many were delivered."""
    due = Notification.objects.filter(delivered_at__isnull=True, due_at__lte=now)
    rows = list(due.select_related("requester").order_by("due_at")[:BATCH])
    if faults.happens("reorder_notifications"):
        random.shuffle(rows)
    return for_each_row("notify", rows, lambda row: _deliver(row, now=now, faults=faults))


def _deliver(row: Notification, *, now: datetime, faults: Faults) -> bool:
    error = _post(row)
    if not error and faults.happens("repeat_notifications"):
        _post(row)
    notification = Notification.objects.filter(pk=row.pk)
    if not error:
        notification.update(delivered_at=now, attempts=F("attempts") + 1, last_error="")
        return True
    if now - row.created_at > GIVE_UP_AFTER:
        notification.update(delivered_at=now, last_error=f"given up: {error}"[:300])
        return False
    pause = min(FIRST_RETRY * 2 ** min(row.attempts, 12), LONGEST_RETRY)
    notification.update(due_at=now + pause, attempts=F("attempts") + 1, last_error=error[:300])
    return False


def _post(row: Notification) -> str:
    """Post a notification. Return the error, or an empty string on success."""
    if urlsplit(row.destination).hostname not in allowed_hosts():
        return "the host is no longer allowed"
    try:
        response = _http.request(
            "POST",
            row.destination,
            body=json.dumps(document(row)).encode(),
            headers={"Content-Type": "application/json"},
            redirect=False,
        )
    except HTTPError as error:
        return f"{type(error).__name__}: {error}"
    return "" if 200 <= response.status < 300 else f"HTTP {response.status}"


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
