import json

import pytest
from django.test import Client
from django.utils import timezone

from crowd.domain.handle_notifications import forget_notifications
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.provider.event_addresses import destination
from crowd.models import Assignment, Hit, NotificationReceipt
from marketplace import models as market_models
from marketplace.domain.notifications.notifications import document
from marketplace.domain.work import work
from tests.crowd.factories import NOW, make_hits, make_live_hit
from tests.crowd.in_process import accept, join


@pytest.fixture
def address(settings) -> str:
    settings.MTURK_NOTIFICATIONS = "webhook"
    return destination().removeprefix(settings.SITE_URL)


def post(address: str, body: object):
    text = body if isinstance(body, str) else json.dumps(body)
    return Client().post(address, text, content_type="application/json")


def event(doc: str, *hits: str) -> dict:
    events = [{"EventType": "AssignmentSubmitted", "HITId": hit} for hit in hits]
    return {"EventDocVersion": "2006-05-05", "EventDocId": doc, "Events": events}


@pytest.mark.django_db
def test_event_makes_its_hit_due_once(address):
    hit, other = make_live_hit(), make_live_hit()
    Hit.objects.update(sync_due_at=None)
    assert post(address, event("one", hit.external_id)).status_code == 204
    hit.refresh_from_db()
    other.refresh_from_db()
    assert hit.sync_due_at is not None
    assert (other.sync_due_at, hit.reported_submissions) == (None, 0)
    Hit.objects.update(sync_due_at=None)
    assert post(address, event("one", hit.external_id)).status_code == 204
    hit.refresh_from_db()
    assert hit.sync_due_at is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{",
        '{"Events": []}',
        '{"EventDocId": "", "Events": []}',
        '{"EventDocId": "a\\u0000", "Events": []}',
        '{"EventDocId": "a", "Events": [{"HITId": "\\ud83d"}]}',
        '{"Type": "SubscriptionConfirmation", "TopicArn": "arn:aws:sns:x", "SubscribeURL": "http://x"}',
        '"x"',
    ],
)
def test_invalid_notification_is_refused(address, body):
    assert post(address, body).status_code == 400
    assert not NotificationReceipt.objects.exists()


@pytest.mark.django_db
def test_address_cannot_be_guessed(address):
    hit = make_live_hit()
    wrong = address[:-3] + "x" + address[-2:]
    assert post(wrong, event("one", hit.external_id)).status_code == 404
    assert Client().get(address).status_code == 405


@pytest.mark.django_db
def test_old_receipts_are_deleted(address):
    post(address, event("old"))
    NotificationReceipt.objects.update(received_at=NOW)
    post(address, event("new"))
    assert forget_notifications(now=timezone.now()) == 1


def test_marketplace_event_triggers_the_sync(wire, clock, address):
    (hit,) = make_hits(1)
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    worker = join(1)
    work.submit(
        worker_code=worker.code,
        assignment_code=accept(hit, worker),
        fields=[("content", "{}")],
        now=timezone.now(),
    )
    assert sync_due_hits(clock=clock) == 0  # no notification has arrived yet
    (notification,) = market_models.Notification.objects.filter(
        event__EventType="AssignmentSubmitted"
    )
    assert notification.destination.endswith(address)
    post(address, document(notification))
    clock.skip(seconds=1)
    assert sync_due_hits(clock=clock) == 1
    assert Assignment.objects.count() == 1


def test_refused_notifications_do_not_prevent_publishing(wire, clock, settings):
    settings.MTURK_NOTIFICATIONS = "webhook"
    settings.SITE_URL = "https://elsewhere.example"  # an address that the marketplace may not call
    make_hits(1)
    assert create_pending_hits(clock=clock) == 1
    assert "UpdateNotificationSettings" in wire.calls
