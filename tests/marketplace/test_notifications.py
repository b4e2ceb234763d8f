"""Webhooks: stored events, delivered at least once, and only to allowed hosts."""

import hmac
import json
import socket
import threading
import time
from contextlib import suppress
from datetime import timedelta
from email.message import Message
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from botocore.exceptions import ClientError
from django.db import transaction
from django.utils import timezone

from marketplace.domain import access_keys
from marketplace.domain.faults import Faults, parse_faults
from marketplace.domain.notifications import notifications
from marketplace.domain.notifications.transports import webhook
from marketplace.domain.work import maintenance
from marketplace.enums import Event
from marketplace.models import Assignment, Hit, HitType, Notification, NotificationHost

from .conftest import accept, submit

pytestmark = pytest.mark.django_db
ALL = [event.value for event in Event if event != Event.PING]


class Receiver:
    """A local webhook that stores requests and can be set to fail."""

    def __init__(self) -> None:
        self.documents: list[dict] = []
        self.requests: list[tuple[Message, bytes]] = []
        self.failures = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                failing = receiver.failures > 0
                receiver.failures -= failing
                if not failing:
                    receiver.requests.append((self.headers, body))
                    receiver.documents.append(json.loads(body))
                self.send_response(500 if failing else 204)
                self.end_headers()

            def log_message(self, *args) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()

    @property
    def events(self) -> list[str]:
        return [event["EventType"] for doc in self.documents for event in doc["Events"]]


@pytest.fixture
def receiver(settings):
    receiver = Receiver()
    settings.MARKETPLACE_WEBHOOK_HOSTS = [f"127.0.0.1:{receiver.server.server_port}"]
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


@pytest.fixture
def silent(settings, receiver, monkeypatch):
    """Return the address of a server that accepts connections and never answers."""
    monkeypatch.setattr(webhook, "TIMEOUT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        settings.MARKETPLACE_WEBHOOK_HOSTS += [f"127.0.0.1:{port}"]
        yield f"http://127.0.0.1:{port}/hook"


def send_tests(mturk, url: str, count: int) -> None:
    for _ in range(count):
        mturk.send_test_event_notification(
            Notification=specification(url, "HITExpired"), TestEventType="Ping"
        )


def specification(url: str, *events: str) -> dict:
    return {
        "Destination": url,
        "Transport": "SNS",
        "Version": "2006-05-05",
        "EventTypes": list(events) or ALL,
    }


def deliver(faults: Faults | None = None, *, later: timedelta = timedelta(0)) -> int:
    return notifications.deliver_due(now=timezone.now() + later, faults=faults or Faults())


@pytest.fixture
def watched(mturk, publish, receiver):
    """Publish a HIT whose type sends every event to the receiver."""
    hit = publish()
    mturk.update_notification_settings(
        HITTypeId=hit["HITTypeId"], Notification=specification(receiver.url), Active=True
    )
    return hit


def test_every_event_is_delivered(mturk, watched, browser, receiver, publish):
    publish(UniqueRequestToken="second")
    returned = accept(browser, watched)
    browser.post(f"/hits/work/{returned}/return/")
    overdue = accept(browser, watched)
    Assignment.objects.filter(code=overdue).update(
        deadline_at=timezone.now() - timedelta(minutes=1)
    )
    maintenance.run_due(now=timezone.now())
    Assignment.objects.update(closed_at=timezone.now() - timedelta(hours=1))
    approved = accept(browser, watched)
    submit(browser, approved)
    mturk.approve_assignment(AssignmentId=approved)
    rejected = accept(browser, watched)
    submit(browser, rejected)
    mturk.reject_assignment(AssignmentId=rejected, RequesterFeedback="no")
    mturk.update_expiration_for_hit(HITId=watched["HITId"], ExpireAt=watched["Expiration"])
    later = watched["Expiration"] + timedelta(days=1)
    mturk.update_expiration_for_hit(HITId=watched["HITId"], ExpireAt=later)
    mturk.update_expiration_for_hit(HITId=watched["HITId"], ExpireAt=0)
    mturk.delete_hit(HITId=watched["HITId"])
    deliver()
    assert set(receiver.events) == set(ALL)
    assert receiver.events.count("AssignmentAccepted") == 4
    assert receiver.events.count("HITReviewable") == 2


def test_notification_is_signed_with_the_newest_key(mturk, receiver, requester):
    owner, _, secret = requester
    send_tests(mturk, receiver.url, 1)
    key, newer = access_keys.issue_key(requester=owner, now=timezone.now())
    deliver()
    access_keys.revoke_key(key=key, now=timezone.now())
    send_tests(mturk, receiver.url, 1)
    deliver()
    assert [headers["Touchstone-Key-Id"] for headers, _ in receiver.requests] == [
        key.access_key_id,
        requester[1],
    ]
    for (headers, body), signer in zip(receiver.requests, (newer, secret), strict=True):
        digest = hmac.new(signer.encode(), body, "sha256").hexdigest()
        assert headers["Touchstone-Signature"] == f"sha256={digest}"


def test_document_has_the_format_of_mturk(watched, browser, receiver, requester):
    assignment = accept(browser, watched)
    assert deliver() == 1
    (document,) = receiver.documents
    assert set(document) == {"EventDocVersion", "EventDocId", "CustomerId", "Events"}
    assert document["EventDocVersion"] == "2006-05-05"
    assert document["CustomerId"] == requester[0].code
    (event,) = document["Events"]
    stamp = event.pop("EventTimestamp")
    assert stamp.endswith("Z")
    assert event == {
        "EventType": "AssignmentAccepted",
        "HITTypeId": watched["HITTypeId"],
        "HITId": watched["HITId"],
        "AssignmentId": assignment,
    }


def test_only_selected_events_are_delivered_while_active(mturk, publish, browser, receiver):
    hit = publish(MaxAssignments=2)
    kind = {"HITTypeId": hit["HITTypeId"]}
    selection = specification(receiver.url, "AssignmentSubmitted")
    mturk.update_notification_settings(**kind, Notification=selection)
    submit(browser, accept(browser, hit))
    mturk.update_notification_settings(**kind, Active=False)
    assert not HitType.objects.get().notifies("AssignmentSubmitted")
    publish(UniqueRequestToken="silent")
    submit(browser, accept(browser, hit))
    mturk.update_notification_settings(**kind, Active=True)
    deliver()
    assert receiver.events == ["AssignmentSubmitted"]


def test_failed_delivery_is_retried_until_it_arrives(watched, browser, receiver):
    accept(browser, watched)
    receiver.failures = 2
    assert deliver() == 0
    assert deliver() == 0  # not due yet, so there is no request
    assert receiver.failures == 1
    assert deliver(later=timedelta(minutes=1)) == 0
    row = Notification.objects.get()
    assert (row.attempts, row.last_error, row.delivered_at) == (2, "HTTP 500", None)
    assert deliver(later=timedelta(minutes=5)) == 1
    assert deliver(later=timedelta(hours=5)) == 0
    assert receiver.events == ["AssignmentAccepted"]


def test_delivery_is_abandoned_after_three_days(watched, browser, receiver):
    accept(browser, watched)
    receiver.failures = 1
    deliver(later=timedelta(days=4))
    row = Notification.objects.get()
    assert (row.given_up_at is None, row.attempts, row.last_error) == (False, 1, "HTTP 500")
    assert row.delivered_at is None
    assert deliver(later=timedelta(days=5)) == 0


def test_event_of_a_rolled_back_change_is_not_stored(watched, receiver):
    hit = Hit.objects.get(code=watched["HITId"])
    with transaction.atomic():
        notifications.record(Event.HIT_CREATED, hit, now=timezone.now())
        transaction.set_rollback(True)
    assert not Notification.objects.exists()


def test_test_event_ignores_the_selected_types(mturk, receiver):
    mturk.send_test_event_notification(
        Notification=specification(receiver.url, "HITExpired"), TestEventType="Ping"
    )
    deliver()
    assert receiver.events == ["Ping"]


def test_silent_host_costs_one_timeout_and_delays_no_other(mturk, silent, receiver):
    send_tests(mturk, silent, 120)
    send_tests(mturk, receiver.url, 1)
    before = time.monotonic()
    assert deliver() + deliver() == 1
    assert time.monotonic() - before < webhook.TIMEOUT_SECONDS + 2
    assert Notification.objects.filter(attempts__gt=0, delivered_at=None).count() == 1
    assert NotificationHost.objects.get(failures=1).origin in silent


def test_silent_host_is_retried_and_abandoned_after_three_days(mturk, silent):
    send_tests(mturk, silent, 2)
    deliver()
    deliver(later=timedelta(minutes=1))
    assert NotificationHost.objects.get().failures == 2
    deliver(later=notifications.GIVE_UP_AFTER + timedelta(hours=1))
    assert Notification.objects.filter(delivered_at=None).exclude(given_up_at=None).count() == 2


def test_recovered_host_receives_all_events(mturk, receiver):
    send_tests(mturk, receiver.url, 3)
    origin = f"http://127.0.0.1:{receiver.server.server_port}"
    now = timezone.now()
    NotificationHost.objects.create(origin=origin, failures=4, retry_at=now + timedelta(minutes=1))
    assert deliver() == 0
    assert deliver(later=timedelta(minutes=2)) == 3
    assert NotificationHost.objects.get().failures == 0


def test_delivery_pass_ends_at_its_time_limit(mturk, receiver, monkeypatch):
    send_tests(mturk, receiver.url, 2)
    monkeypatch.setattr(notifications, "PASS_SECONDS", 0)
    assert deliver() == 0
    assert Notification.objects.filter(attempts=0).count() == 2


def test_host_leased_by_another_pass_is_skipped(mturk, receiver):
    """A killed process leaves the same state behind."""
    send_tests(mturk, receiver.url, 1)
    origin = Notification.objects.get().origin
    assert notifications._lease(origin, timezone.now())
    assert deliver() == 0
    assert deliver(later=notifications.LEASE + timedelta(seconds=1)) == 1


def test_slow_response_is_cut_off(mturk, settings, monkeypatch):
    """Each byte restarts the read timeout."""
    monkeypatch.setattr(webhook, "DEADLINE_SECONDS", 0.8)

    def answer(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                connection.sendall(b"X")
                time.sleep(0.1)

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        settings.MARKETPLACE_WEBHOOK_HOSTS = [f"127.0.0.1:{port}"]
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        send_tests(mturk, f"http://127.0.0.1:{port}/", 1)
        before = time.monotonic()
        assert deliver() == 0
        assert 0.6 < time.monotonic() - before < 3
    assert NotificationHost.objects.get().failures == 1


def test_endless_response_is_not_read(mturk, receiver, settings):
    def answer(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b"x" * 65536)

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        settings.MARKETPLACE_WEBHOOK_HOSTS += [f"127.0.0.1:{port}"]
        thread = threading.Thread(target=answer, args=(server,), daemon=True)
        thread.start()
        send_tests(mturk, f"http://127.0.0.1:{port}/", 1)
        assert deliver() == 1
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("allowed", "destination", "is_allowed"),
    [
        ("hooks.example", "http://hooks.example/x", True),
        ("hooks.example", "https://hooks.example/x", True),
        ("hooks.example", "https://hooks.example:443/x", True),
        ("hooks.example", "https://hooks.example:5432/x", False),
        ("hooks.example:8443", "https://hooks.example:8443/x", True),
        ("hooks.example:8443", "https://hooks.example/x", False),
        ("[2001:db8::1]:8443", "https://[2001:db8::1]:8443/x", True),
        ("hooks.example", "http://localhost:6379/", False),
        ("hooks.example", "https://hooks.example:port/x", False),
    ],
)
def test_ports_are_allowed_with_their_hosts(settings, mturk, allowed, destination, is_allowed):
    settings.MARKETPLACE_WEBHOOK_HOSTS = [allowed]
    change = partial(
        mturk.send_test_event_notification,
        Notification=specification(destination, "HITExpired"),
        TestEventType="Ping",
    )
    if is_allowed:
        change()
    else:
        with pytest.raises(ClientError):
            change()


@pytest.mark.parametrize(
    "change",
    [
        {"Destination": "http://10.0.0.1/hook"},
        {"Destination": "https://elsewhere.example/hook"},
        {"Destination": "arn:aws:sns:us-east-1:123456789012:topic"},
        {"Destination": "file:///etc/passwd"},
        {"Transport": "SQS"},
        {"Transport": "Email"},
        {"Version": "2020-01-01"},
        {"EventTypes": ["Ping"]},
    ],
)
def test_destination_that_is_not_allowed_is_refused(mturk, watched, receiver, change):
    invalid = specification(receiver.url) | change
    with pytest.raises(ClientError) as error:
        mturk.update_notification_settings(HITTypeId=watched["HITTypeId"], Notification=invalid)
    assert error.value.response["Error"]["Code"] == "RequestError"


def test_host_can_be_allowed_and_disallowed_later(settings, mturk, watched, browser, receiver):
    settings.MARKETPLACE_WEBHOOK_HOSTS = ["hooks.example"]
    mturk.update_notification_settings(
        HITTypeId=watched["HITTypeId"], Notification=specification("http://hooks.example/x")
    )
    accept(browser, watched)
    settings.MARKETPLACE_WEBHOOK_HOSTS = []
    assert deliver() == 0
    assert "no longer allowed" in Notification.objects.get().last_error


def test_plain_http_is_refused_where_it_is_not_allowed(settings, mturk, watched, receiver):
    settings.MARKETPLACE_ALLOW_HTTP = False
    with pytest.raises(ClientError):
        mturk.update_notification_settings(
            HITTypeId=watched["HITTypeId"], Notification=specification(receiver.url)
        )


def test_settings_without_a_change_are_refused(mturk, publish):
    kind = {"HITTypeId": publish()["HITTypeId"]}
    for params in ({}, {"Active": True}):
        with pytest.raises(ClientError):
            mturk.update_notification_settings(**kind, **params)


def test_faults_repeat_and_reorder_events(watched, browser, receiver, publish):
    accept(browser, watched)
    deliver(parse_faults("repeat_notifications=1,reorder_notifications=1,seed=2"))
    first, second = receiver.documents
    assert first == second
