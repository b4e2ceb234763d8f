"""Events, stored in an outbox and delivered at least once by the transport of their destination."""

import json
import logging
import random
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet

from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.faults import Faults
from marketplace.domain.identifiers import new_code
from marketplace.domain.notifications.transports import TRANSPORTS, kind_of
from marketplace.enums import Event
from marketplace.models import Hit, HitType, Notification, NotificationHost, Requester
from web.outgoing import UnreachableError

log = logging.getLogger("touchstone.sweep")

#: Versions that clients name. The documents differ in nothing but their EventDocVersion.
VERSIONS = ("2006-05-05", "2014-08-15")
# Shorter than the interval of the passes, so that they hardly overlap.
PASS_SECONDS = 4.0
# Longer than a pass can take.
LEASE = timedelta(minutes=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_RETRY = timedelta(seconds=5)
FIRST_HOST_RETRY = timedelta(seconds=30)
MAX_RETRY_DELAY = timedelta(hours=1)
GIVE_UP_AFTER = timedelta(days=3)
# The most notifications of a host in a pass.
BATCH = 50


def check_specification(specification: dict[str, Any], requester: Requester) -> None:
    """Raise RefusalError unless the marketplace can deliver to this destination."""
    if specification["Version"] not in VERSIONS:
        raise InvalidParameterError(f"Version must be {' or '.join(VERSIONS)}.")
    destination = specification["Destination"]
    kind = kind_of(specification["Transport"], destination)
    TRANSPORTS[kind].check(destination, requester)


def update_settings(
    *, hit_type: HitType, specification: dict[str, Any] | None, active: bool | None
) -> None:
    """Replace the specification, activate or deactivate it, or both."""
    if specification is None and active is None:
        raise InvalidParameterError("Notification or Active is required.")
    if specification is not None:
        check_specification(specification, hit_type.requester)
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
    check_specification(specification, requester)
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
    destination = specification["Destination"]
    kind = kind_of(specification["Transport"], destination)
    Notification.objects.create(
        doc_id=new_code(),
        requester_id=requester_id,
        transport=kind,
        version=specification["Version"],
        destination=destination,
        origin=TRANSPORTS[kind].origin(destination),
        event=event,
        created_at=now,
        due_at=now,
    )


def deliver_due(*, now: datetime, faults: Faults) -> int:
    """Deliver due notifications, each at least once. Return how many were delivered.

    A pass takes PASS_SECONDS and at most the time-out of a delivery more. A host that does not answer is
    left alone until its next attempt is due.
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
    retry_at = dict(NotificationHost.objects.values_list("origin", "retry_at"))
    origins = _due(now).order_by().values_list("origin", flat=True).distinct()
    ready = [origin for origin in origins if retry_at.get(origin, now) <= now]
    return sorted(ready, key=lambda origin: retry_at.get(origin, EPOCH))


def _due(now: datetime) -> QuerySet[Notification]:
    return Notification.objects.filter(
        delivered_at__isnull=True, given_up_at__isnull=True, due_at__lte=now
    )


def _lease(origin: str, now: datetime) -> NotificationHost | None:
    """Return the host, leased, or None if another pass uses it.

    The lease counts as a failure until the pass ends.
    """
    host, _ = NotificationHost.objects.get_or_create(origin=origin, defaults={"retry_at": now})
    free = NotificationHost.objects.filter(pk=host.pk, retry_at__lte=now)
    pause = max(LEASE, _host_pause(host))
    return host if free.update(failures=F("failures") + 1, retry_at=now + pause) else None


def _deliver_to(host: NotificationHost, *, now: datetime, end: float, faults: Faults) -> int:
    rows = list(
        _due(now)
        .filter(origin=host.origin)
        .select_related("requester")
        .order_by("due_at", "pk")[:BATCH]
    )
    if faults.happens("reorder_notifications"):
        random.shuffle(rows)
    this = NotificationHost.objects.filter(pk=host.pk)
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


def _host_pause(host: NotificationHost) -> timedelta:
    return min(FIRST_HOST_RETRY * 2.0 ** min(host.failures, 12), MAX_RETRY_DELAY)


def _give_up_old(origin: str, error: Exception, now: datetime) -> None:
    old = _due(now).filter(origin=origin, created_at__lt=now - GIVE_UP_AFTER)
    old.update(given_up_at=now, last_error=str(error)[:300])


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
        notification.update(given_up_at=now, attempts=F("attempts") + 1, last_error=error[:300])
        return
    pause = min(FIRST_RETRY * 2 ** min(row.attempts, 12), MAX_RETRY_DELAY)
    notification.update(due_at=now + pause, attempts=F("attempts") + 1, last_error=error[:300])


def _post(row: Notification) -> str:
    """Deliver a notification. Return the refusal, or an empty string. Raise UnreachableError."""
    transport = TRANSPORTS[row.transport]
    try:
        transport.check(row.destination, row.requester)
    except RefusalError as refusal:
        return f"the destination is no longer allowed: {refusal.message}"
    return transport.send(row, json.dumps(document(row)))


def document(row: Notification) -> dict[str, Any]:
    """Return the notification in MTurk's form. Receivers recognize repeats by EventDocId."""
    return {
        "EventDocVersion": row.version,
        "EventDocId": row.doc_id,
        "CustomerId": row.requester.code,
        "Events": [row.event],
    }


def _stamp(now: datetime) -> str:
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def try_again(*, notification: Notification, now: datetime) -> None:
    """Make a notification that was given up due once more."""
    given_up = Notification.objects.filter(pk=notification.pk, given_up_at__isnull=False)
    given_up.update(given_up_at=None, due_at=now)
