import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from crowd.domain.create_hits import create_pending_hits
from crowd.domain.hear_notifications import destination, forget_notifications
from crowd.domain.sync_hits import sync_due_hits
from crowd.models import Assignment, Hit, NotificationReceipt, TopicSubscription
from marketplace import models as theirs
from marketplace.domain import work
from marketplace.domain.notifications import document
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
def test_event_makes_its_hit_due_and_its_repeat_does_nothing(address):
    hit, other = make_live_hit(), make_live_hit()
    Hit.objects.update(sync_due_at=None)
    assert post(address, event("one", hit.external_id)).status_code == 204
    hit.refresh_from_db()
    other.refresh_from_db()
    assert hit.sync_due_at is not None
    assert (other.sync_due_at, hit.claimed_assignments) == (None, 0)
    Hit.objects.update(sync_due_at=None)
    assert post(address, event("one", hit.external_id)).status_code == 204
    hit.refresh_from_db()
    assert hit.sync_due_at is None


@pytest.mark.django_db
def test_event_in_a_topics_envelope_is_read(address):
    hit = make_live_hit()
    inner = json.dumps(event("two", hit.external_id))
    assert post(address, {"Type": "Notification", "Message": inner}).status_code == 204
    hit.refresh_from_db()
    assert hit.sync_due_at is not None


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body", ["", "[]", "{", '{"Events": []}', '{"EventDocId": "", "Events": []}', '"x"']
)
def test_what_is_no_notification_is_refused(address, body):
    assert post(address, body).status_code == 400
    assert not NotificationReceipt.objects.exists()


@pytest.mark.django_db
def test_address_can_not_be_guessed(address):
    hit = make_live_hit()
    wrong = address[:-3] + "x" + address[-2:]
    assert post(wrong, event("one", hit.external_id)).status_code == 404
    assert Client().get(address).status_code == 405


@pytest.mark.django_db
def test_receipts_are_forgotten_in_time(address):
    post(address, event("old"))
    NotificationReceipt.objects.update(received_at=NOW)
    post(address, event("new"))
    assert forget_notifications(now=timezone.now()) == 1


def test_marketplaces_event_brings_the_work_in(wire, clock, address):
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
    assert sync_due_hits(clock=clock) == 0  # nobody has told us yet
    (told,) = theirs.Notification.objects.filter(event__EventType="AssignmentSubmitted")
    assert told.destination.endswith(address)
    post(address, document(told))
    clock.skip(seconds=1)
    assert sync_due_hits(clock=clock) == 1
    assert Assignment.objects.count() == 1


def test_refused_notifications_keep_nothing_from_being_published(wire, clock, settings):
    settings.MTURK_NOTIFICATIONS = "arn:aws:sns:us-east-1:123456789012:touchstone"
    make_hits(1)
    assert create_pending_hits(clock=clock) == 1
    assert "UpdateNotificationSettings" in wire.calls


TOPIC = "arn:aws:sns:us-east-1:123456789012:hits"


class TopicService(BaseHTTPRequestHandler):
    """The topic's end of a confirmation; `asked` are the paths that were fetched."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(302 if "elsewhere" in self.path else 200)
        self.send_header("Location", "/stranger")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Quiet: a test's output is for failures."""


@pytest.fixture
def topic_service(settings):
    TopicService.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), TopicService)
    Thread(target=server.serve_forever, daemon=True).start()
    settings.MTURK_NOTIFICATIONS = TOPIC
    settings.MTURK_SNS_ORIGINS = [f"http://127.0.0.1:{server.server_address[1]}"]
    yield settings.MTURK_SNS_ORIGINS[0]
    server.shutdown()
    server.server_close()


def question(url: str, topic: str = TOPIC) -> dict[str, str]:
    return {
        "Type": "SubscriptionConfirmation",
        "TopicArn": topic,
        "SubscribeURL": url,
        "Message": "?",
    }


@pytest.mark.django_db
def test_topics_question_is_kept_and_answered_by_a_person(address, topic_service):
    with pytest.raises(CommandError, match="has not asked"):
        call_command("confirm_topic", TOPIC)
    assert post(address, question(f"{topic_service}/?Token=1")).status_code == 204
    assert TopicService.asked == []
    call_command("confirm_topic", TOPIC)
    call_command("confirm_topic", TOPIC)
    assert TopicService.asked == ["/?Token=1"]
    # The topic was subscribed anew: it asks again, under a new token.
    post(address, question(f"{topic_service}/?Token=2"))
    call_command("confirm_topic", TOPIC)
    assert TopicService.asked == ["/?Token=1", "/?Token=2"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("url", "topic"),
    [
        ("http://169.254.169.254/latest/", TOPIC),
        ("{service}@stranger.example/", TOPIC),
        ("{service}/?Token=1", TOPIC + "2"),
        ("", TOPIC),
    ],
)
def test_question_of_a_stranger_is_refused(address, topic_service, url, topic):
    asked = question(url.format(service=topic_service), topic)
    assert post(address, asked).status_code == 400
    assert not TopicSubscription.objects.exists()


@pytest.mark.django_db
def test_confirmation_follows_no_redirect_and_says_what_came_back(address, topic_service):
    post(address, question(f"{topic_service}/elsewhere"))
    with pytest.raises(CommandError, match="answers 302"):
        call_command("confirm_topic", TOPIC)
    assert TopicService.asked == ["/elsewhere"]
    assert TopicSubscription.objects.get().confirmed_at is None
