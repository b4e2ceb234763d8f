"""Signed Prolific events, which schedule a check of their session or study."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from crowd.domain.handle_notifications import forget_notifications
from crowd.models import NotificationReceipt, Study, StudySession
from crowd.providers.prolific.webhooks import sign
from tests.prolific.campaign import Campaign, Person, check_accounts, label, local

ADDRESS = reverse("crowd:events", args=["prolific"])


@pytest.fixture
def subscribed(server, study, settings) -> None:
    settings.PROLIFIC_WEBHOOKS = True
    check_accounts(server.clock)


def send(address: str, body: bytes, headers: dict[str, str]) -> int:
    fields = {name: value for name, value in headers.items() if name != "Content-Type"}
    response = Client().post(local(address), body, content_type="application/json", headers=fields)
    return response.status_code


def test_event_schedules_a_check_of_its_session(server, study, subscribed):
    person = Person(server, label)
    person.take_part(study.external_id, most=1)
    due_at = StudySession.objects.get().sync_due_at
    person.participant.return_place()
    server.deliver(send=send)
    row = StudySession.objects.get()
    assert row.sync_due_at < due_at
    Campaign(server, []).sweep(minutes=0)
    assert StudySession.objects.get().state == "returned"


def test_repeated_event_is_ignored(server, study, subscribed):
    person = Person(server, label)
    person.take_part(study.external_id, most=1)
    person.participant.return_place()
    events = server.deliver(send=send, repeats=3)
    assert events
    # The event's id and its signature.
    assert NotificationReceipt.objects.count() == 2 * len(events)


def test_captured_event_has_no_effect_under_another_id_or_after_a_long_time(
    server, study, subscribed
):
    captured = []

    def capture(address: str, body: bytes, headers: dict[str, str]) -> int:
        captured.append((address, body, headers))
        return send(address, body, headers)

    person = Person(server, label)
    person.take_part(study.external_id, most=1)
    person.participant.return_place()
    server.deliver(send=capture)
    Campaign(server, []).sweep(minutes=0)
    later = server.clock() + timedelta(days=1)
    StudySession.objects.update(sync_due_at=later)
    Study.objects.update(sync_due_at=later)
    for address, body, headers in captured:
        assert send(address, body, headers | {"X-Event-ID": "another"}) == 204
    server.clock.advance(days=15)
    forget_notifications(now=server.clock())
    for address, body, headers in captured:
        assert send(address, body, headers | {"X-Event-ID": "a third"}) == 403
    assert StudySession.objects.get().sync_due_at == later
    assert Study.objects.get().sync_due_at == later


def test_replaced_secret_is_read_again_but_not_for_every_stranger(server, study, subscribed):
    server.workspace.secret = "replaced by a colleague's tool"
    person = Person(server, label)
    person.take_part(study.external_id, most=1)
    person.participant.return_place()
    server.deliver(send=send)
    assert NotificationReceipt.objects.exists()
    assert all(event.status == "SUCCEEDED" for event in server.platform.events)
    before = len(server.requests)
    for number in range(20):
        body = f'{{"number": {number}}}'.encode()
        assert send(ADDRESS, body, {"X-Prolific-Request-Signature": "AAAA"}) == 403
    assert len(server.requests) == before


def test_subscriptions_are_created_once(server, study, subscribed):
    before = len(server.platform.subscriptions)
    check_accounts(server.clock)
    assert len(server.platform.subscriptions) == before == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda body, headers: (body + b" ", headers),
        lambda body, headers: (body, headers | {"X-Prolific-Request-Signature": "AAAA"}),
        lambda body, headers: (body, headers | {"X-Prolific-Request-Timestamp": "1"}),
        lambda body, headers: (
            body,
            {k: v for k, v in headers.items() if "Signature" not in k},
        ),
        lambda body, headers: (body, {k: v for k, v in headers.items() if "Event" not in k}),
    ],
)
def test_event_with_a_bad_signature_is_refused(server, study, subscribed, change):
    person = Person(server, label)
    person.take_part(study.external_id, most=1)
    later = server.clock() + timedelta(days=1)
    StudySession.objects.update(sync_due_at=later)
    Study.objects.update(sync_due_at=later)
    statuses = []

    def send_changed(address: str, body: bytes, headers: dict[str, str]) -> int:
        statuses.append(send(address, *change(body, headers)))
        return statuses[-1]

    person.participant.return_place()
    server.deliver(send=send_changed)
    assert set(statuses) == {403}
    assert StudySession.objects.get().sync_due_at == later
    assert NotificationReceipt.objects.count() == 0


def test_signed_body_without_an_event_is_refused(server, study, subscribed):
    secret = server.workspace.secret
    for body in (b"", b"[]", b"{", b'{"event_type": "submission.status.change"}'):
        headers = {
            "X-Prolific-Request-Signature": sign(body, "1", secret=secret),
            "X-Prolific-Request-Timestamp": "1",
            "X-Event-ID": "one",
        }
        assert send(ADDRESS, body, headers) == 403, body


def test_address_of_another_provider_does_not_exist(client, server):
    assert client.post(reverse("crowd:events", args=["mturk"])).status_code == 404
    assert client.get(ADDRESS).status_code == 405
