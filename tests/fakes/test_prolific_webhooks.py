"""The stand-in's webhooks: handshake, signature, repeats, order, losses and retries."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from tests.fakes.prolific import CODE
from tests.fakes.prolific.webhooks import signature

TARGET = "http://127.0.0.1:1/hook/"


class Inbox:
    """A receiver that stores deliveries and answers with `status`."""

    def __init__(self, status=200):
        self.status = status
        self.deliveries = []

    def __call__(self, address, body, headers):
        self.deliveries.append((address, body, headers))
        return self.status

    @property
    def statuses(self):
        return [json.loads(body)["status"] for _, body, _ in self.deliveries]

    @property
    def ids(self):
        return [headers["X-Event-ID"] for _, _, headers in self.deliveries]


def subscribe(prolific, event_type="submission.status.change", target=TARGET):
    """Create and confirm a subscription, and return its id and the workspace's secret."""
    workspace = {"workspace_id": prolific.workspace.id}
    secret = prolific.call("POST", "/hooks/secrets/", workspace)[1]["value"]
    body = {**workspace, "event_type": event_type, "target_url": target}
    status, subscription = prolific.call("POST", "/hooks/subscriptions/", body)
    assert (status, subscription["is_enabled"]) == (201, False)
    key = subscription["id"]
    handshake = prolific.platform.subscriptions[key].handshake
    path = f"/hooks/subscriptions/{key}/"
    assert prolific.call("POST", path, {"secret": "wrong"})[0] == 400
    assert prolific.call("POST", path, {"secret": handshake})[1]["is_enabled"] is True
    return key, secret


def take_and_complete(prolific):
    study = prolific.add_study()
    person = prolific.participant()
    person.take(study)
    person.complete(CODE)
    return person.submissions[0]


def test_subscription_needs_a_secret(prolific):
    body = {
        "workspace_id": prolific.workspace.id,
        "event_type": "study.status.change",
        "target_url": TARGET,
    }
    status, answer = prolific.call("POST", "/hooks/subscriptions/", body)
    assert (status, answer["detail"]) == (400, "Create a secret for the workspace first.")


def test_delivery_is_signed(prolific):
    _, secret = subscribe(prolific)
    submission = take_and_complete(prolific)
    inbox = Inbox()
    assert len(prolific.deliver(send=inbox)) == 3
    assert inbox.statuses == ["RESERVED", "ACTIVE", "AWAITING REVIEW"]
    address, body, headers = inbox.deliveries[2]
    assert address == TARGET
    assert json.loads(body) == {
        "event_type": "submission.status.change",
        "resource_id": submission.id,
        "participant_id": submission.participant,
        "status": "AWAITING REVIEW",
    }
    timestamp = headers["X-Prolific-Request-Timestamp"]
    assert timestamp == str(int(prolific.clock().timestamp()))
    assert headers["X-Prolific-Request-Signature"] == signature(secret, timestamp, body)
    assert prolific.deliver(send=inbox) == []


def test_signature_of_a_known_message():
    # printf '1700000000{}' | openssl dgst -sha256 -hmac key -binary | base64
    assert signature("key", "1700000000", b"{}") == ("i/lINbu870b3ShJQxHhQ7eP6iAkOWfGwvGrzEgmpfKk=")


def test_deliveries_are_repeated_reordered_and_dropped(prolific):
    subscribe(prolific)
    take_and_complete(prolific)
    inbox = Inbox()
    prolific.deliver(
        send=inbox,
        repeats=2,
        order=reversed,
        is_dropped=lambda event: event.payload["status"] == "ACTIVE",
    )
    assert inbox.statuses == ["AWAITING REVIEW"] * 2 + ["RESERVED"] * 2
    assert len(set(inbox.ids)) == 2
    assert prolific.deliver(send=inbox) == []


def test_failed_delivery_is_retried_with_the_same_id(prolific):
    key, _ = subscribe(prolific, "study.status.change")
    prolific.add_study()
    inbox = Inbox(500)
    prolific.deliver(send=inbox)
    assert inbox.statuses == ["PUBLISHING", "ACTIVE"]
    prolific.deliver(send=inbox)
    assert len(inbox.deliveries) == 2
    for _ in range(20):
        prolific.clock.advance(hours=3)
        prolific.deliver(send=inbox)
    # The first delivery and 11 retries
    assert len(inbox.deliveries) == 2 * 12
    assert len(set(inbox.ids)) == 2
    events = prolific.call("GET", f"/hooks/subscriptions/{key}/events/")[1]["results"]
    assert {event["status"] for event in events} == {"FAILED"}


def test_subscription_ends_after_five_failing_days(prolific):
    key, _ = subscribe(prolific, "study.status.change")
    inbox = Inbox(500)
    for _ in range(6):
        prolific.add_study()
        prolific.deliver(send=inbox)
        prolific.clock.advance(days=1)
    assert prolific.call("GET", f"/hooks/subscriptions/{key}/")[1]["is_enabled"] is False


@pytest.mark.parametrize(
    ("event_type", "count"),
    [("study.status.change", 2), ("study.progress.change", 3), ("submission.status.change", 3)],
)
def test_event_types(prolific, event_type, count):
    subscribe(prolific, event_type)
    take_and_complete(prolific)
    assert len(prolific.deliver(send=Inbox())) == count


def test_subscriptions_are_changed_and_deleted(prolific):
    key, _ = subscribe(prolific)
    path = f"/hooks/subscriptions/{key}/"
    assert prolific.call("PATCH", path, {"is_enabled": False})[1]["is_enabled"] is False
    take_and_complete(prolific)
    assert prolific.deliver(send=Inbox()) == []
    query = {"workspace_id": prolific.workspace.id}
    assert prolific.call("GET", "/hooks/subscriptions", None, **query)[1]["results"] == []
    query["is_enabled"] = "false"
    assert len(prolific.call("GET", "/hooks/subscriptions", None, **query)[1]["results"]) == 1
    assert prolific.call("DELETE", path)[0] == 204
    assert prolific.call("GET", path)[0] == 404
    assert len(prolific.call("GET", "/hooks/event-types/")[1]["results"]) == 4
    assert len(prolific.call("GET", "/hooks/secrets/")[1]["results"]) == 1


@contextmanager
def receiving() -> Iterator[tuple[str, list[bytes]]]:
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_delivery_over_http(prolific):
    with receiving() as (address, bodies):
        subscribe(prolific, "study.status.change", address)
        prolific.add_study()
        events = prolific.deliver()
    assert [event.status for event in events] == ["SUCCEEDED"] * 2
    assert [json.loads(body)["status"] for body in bodies] == ["PUBLISHING", "ACTIVE"]
