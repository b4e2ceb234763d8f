"""Webhooks: secrets, subscriptions with a handshake, and signed deliveries.

Events wait in `Platform.events` until `deliver` sends those that are due.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import requests

from tests.fakes.prolific.errors import ApiError
from tests.fakes.prolific.routing import Request, Response, page_of, route
from tests.fakes.prolific.state import Event, Platform, Subscription, Workspace, text_of

EVENT_TYPES = {
    "submission.status.change": "A submission has a new status.",
    "study.status.change": "A study has a new status.",
    "study.progress.change": "A place of a study was taken or reopened.",
    "study.has_high_return_rate": "Many participants return their places.",
}
# Retries over 24 hours.
RETRIES = 11
RETRY_GAP = timedelta(hours=24) / RETRIES
FAILING_DAYS = timedelta(days=5)
TIMEOUT_SECONDS = 5

# Address, body, headers -> status
Send = Callable[[str, bytes, dict[str, str]], int]


def emit(
    platform: Platform, workspace: Workspace, event_type: str, payload: dict[str, Any]
) -> None:
    """Add an event to the queue of each subscription."""
    for subscription in platform.subscriptions.values():
        if (
            subscription.is_enabled
            and subscription.event_type == event_type
            and subscription.workspace == workspace.id
        ):
            platform.events.append(
                Event(
                    id=platform.new_id(),
                    subscription=subscription.id,
                    payload={"event_type": event_type, **payload},
                    created_at=platform.now,
                    due_at=platform.now,
                )
            )


def send_by_http(address: str, body: bytes, headers: dict[str, str]) -> int:
    try:
        response = requests.post(address, data=body, headers=headers, timeout=TIMEOUT_SECONDS)
    except requests.RequestException:
        return 0
    return response.status_code


def deliver(
    platform: Platform,
    *,
    send: Send = send_by_http,
    repeats: int = 1,
    order: Callable[[list[Event]], Iterable[Event]] = list,
    is_dropped: Callable[[Event], bool] = lambda event: False,
) -> list[Event]:
    """Send the events that are due, and return them.

    `repeats` sends each event several times. `order` rearranges the events, and `is_dropped`
    selects events that never arrive. The lock is not held during requests.
    """
    with platform.lock:
        now = platform.now
        due_events = [
            row for row in platform.events if row.status == "PENDING" and row.due_at <= now
        ]
    sent_events = []
    for event in order(due_events):
        if is_dropped(event):
            event.status = "DROPPED"
            continue
        for _ in range(repeats):
            _attempt(platform, event, send)
        sent_events.append(event)
    return sent_events


def _attempt(platform: Platform, event: Event, send: Send) -> None:
    with platform.lock:
        subscription = platform.subscriptions.get(event.subscription)
        if subscription is None or not subscription.is_enabled:
            event.status = "FAILED"
            return
        body = json.dumps(event.payload).encode()
        headers = signed_headers(platform, subscription, event.id, body)
    status = send(subscription.target_url, body, headers)
    with platform.lock:
        event.attempts += 1
        if 200 <= status < 300:
            event.status = "SUCCEEDED"
            subscription.failing_since = None
        elif event.status != "SUCCEEDED":
            _retry_later(platform, subscription, event)


def _retry_later(platform: Platform, subscription: Subscription, event: Event) -> None:
    event.due_at = platform.now + RETRY_GAP
    if event.attempts > RETRIES:
        event.status = "FAILED"
    subscription.failing_since = subscription.failing_since or platform.now
    if platform.now - subscription.failing_since >= FAILING_DAYS:
        subscription.is_enabled = False


def signed_headers(
    platform: Platform, subscription: Subscription, event_id: str, body: bytes
) -> dict[str, str]:
    timestamp = str(int(platform.now.timestamp()))
    secret = platform.workspaces[subscription.workspace].secret
    return {
        "Content-Type": "application/json",
        "X-Event-ID": event_id,
        "X-Prolific-Request-Timestamp": timestamp,
        "X-Prolific-Request-Signature": signature(secret, timestamp, body),
    }


def signature(secret: str, timestamp: str, body: bytes) -> str:
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


# Secrets


def _secret(workspace: Workspace) -> dict[str, str]:
    return {
        "id": workspace.secret_id,
        "value": workspace.secret,
        "workspace_id": workspace.id,
    }


@route("POST", "/hooks/secrets/")
def create_secret(platform: Platform, request: Request) -> Response:
    """Create the secret of a workspace, or replace it."""
    workspace = platform.workspace(request.text("workspace_id"))
    workspace.secret_id = platform.new_id()
    workspace.secret = f"{platform.random.getrandbits(256):064x}"
    return Response(201, _secret(workspace))


@route("GET", "/hooks/secrets/")
def list_secrets(platform: Platform, request: Request) -> Response:
    key = request.query.get("workspace_id")
    rows = [
        _secret(workspace)
        for workspace in platform.workspaces.values()
        if workspace.secret and key in (None, workspace.id)
    ]
    return Response(200, {"results": rows})


# Subscriptions


def _body(subscription: Subscription) -> dict[str, Any]:
    return {
        "id": subscription.id,
        "event_type": subscription.event_type,
        "target_url": subscription.target_url,
        "is_enabled": subscription.is_enabled,
        "workspace_id": subscription.workspace,
    }


def _subscription(platform: Platform, key: str) -> Subscription:
    if key not in platform.subscriptions:
        raise _invalid("Subscription not found.", status=404)
    return platform.subscriptions[key]


def _invalid(detail: str, *, status: int = 400) -> ApiError:
    """Return an error without the key "error", as these endpoints do."""
    return ApiError(status, detail, wrapped=False)


@route("GET", "/hooks/event-types/")
def list_event_types(platform: Platform, request: Request) -> Response:
    rows = [{"event_type": name, "description": text} for name, text in EVENT_TYPES.items()]
    return Response(200, {"results": rows})


@route("POST", "/hooks/subscriptions/")
def create_subscription(platform: Platform, request: Request) -> Response:
    workspace = platform.workspace(request.text("workspace_id"))
    if not workspace.secret:
        raise _invalid("Create a secret for the workspace first.")
    if request.text("event_type") not in EVENT_TYPES:
        raise _invalid("Unknown event type.")
    subscription = Subscription(
        id=platform.new_id(),
        workspace=workspace.id,
        event_type=request.text("event_type"),
        target_url=request.text("target_url"),
        handshake=platform.new_id(),
    )
    platform.subscriptions[subscription.id] = subscription
    return Response(201, _body(subscription), {"X-Hook-Secret": subscription.handshake})


@route("GET", "/hooks/subscriptions/")
def list_subscriptions(platform: Platform, request: Request) -> Response:
    query = request.query
    rows = [
        _body(row)
        for row in platform.subscriptions.values()
        if query.get("workspace_id") in (None, row.workspace)
        and query.get("is_enabled", "true").lower() == str(row.is_enabled).lower()
    ]
    return page_of(platform, request, rows)


@route("POST", "/hooks/subscriptions/{key}/")
def confirm_subscription(platform: Platform, request: Request, key: str) -> Response:
    subscription = _subscription(platform, key)
    if request.text("secret") != subscription.handshake:
        raise _invalid("The secret is wrong.")
    subscription.is_enabled = True
    return Response(200, _body(subscription))


@route("GET", "/hooks/subscriptions/{key}/")
def read_subscription(platform: Platform, request: Request, key: str) -> Response:
    return Response(200, _body(_subscription(platform, key)))


@route("PATCH", "/hooks/subscriptions/{key}/")
def change_subscription(platform: Platform, request: Request, key: str) -> Response:
    subscription = _subscription(platform, key)
    for name in ("event_type", "target_url", "is_enabled"):
        if name in request.fields:
            setattr(subscription, name, request.fields[name])
    subscription.failing_since = None
    return Response(200, _body(subscription))


@route("DELETE", "/hooks/subscriptions/{key}/")
def delete_subscription(platform: Platform, request: Request, key: str) -> Response:
    del platform.subscriptions[_subscription(platform, key).id]
    return Response(204)


@route("GET", "/hooks/subscriptions/{key}/events/")
def list_events(platform: Platform, request: Request, key: str) -> Response:
    rows = [
        {
            "id": event.id,
            "datetime_created": text_of(event.created_at),
            "event_type": event.payload["event_type"],
            "payload": event.payload,
            "status": event.status,
            "resource_id": event.payload["resource_id"],
            "target_url": _subscription(platform, key).target_url,
        }
        for event in platform.events
        if event.subscription == key
    ]
    return page_of(platform, request, rows)
