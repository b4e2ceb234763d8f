"""Tests of digests, which list unread notifications once per user and period."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.core.mail.backends import locmem
from django.test import Client
from django.urls import reverse

from crowd.enums import MailState
from jobs.models import SweepFailure
from projects.domain.notification_settings import save_settings, unsubscribe_token
from projects.domain.notify import Event, notify
from projects.domain.send_digests import last_period, queue_due_digests, send_due_digests
from projects.enums import DigestPeriod, NotificationKind
from projects.models import Digest, Notification

pytestmark = pytest.mark.django_db
# A Wednesday.
NOW = datetime(2026, 11, 25, 9, 30, tzinfo=UTC)
YESTERDAY = NOW - timedelta(days=1)


@pytest.fixture(autouse=True)
def _mail_is_on(settings):
    settings.MAIL_IS_ON = True


@pytest.fixture
def rita(requester):
    requester.email = "rita@touchstone.example"
    requester.save()
    return requester


def make_notification(project, at=YESTERDAY, key="key") -> None:
    path = reverse("consolidation:submissions", args=[project.slug])
    event = Event(NotificationKind.SUBMISSIONS, key, project.pk, path)
    notify(events=[event], now=at)


def send(now=NOW) -> int:
    queue_due_digests(now=now)
    return send_due_digests(clock=lambda: now)


def test_periods_are_yesterday_and_last_week():
    midnight = datetime(2026, 11, 25, tzinfo=UTC)
    monday = datetime(2026, 11, 23, tzinfo=UTC)
    assert last_period(DigestPeriod.DAILY, now=NOW) == (midnight - timedelta(days=1), midnight)
    assert last_period(DigestPeriod.WEEKLY, now=NOW) == (monday - timedelta(days=7), monday)


def test_digest_is_sent_once(project, rita):
    make_notification(project)
    assert [send(), send(), send(NOW + timedelta(hours=1))] == [1, 0, 0]
    [message] = mail.outbox
    assert message.to == ["rita@touchstone.example"]
    assert message.subject == "Touchstone: 1 unread notification"
    assert "Project demo\n- Submissions need your decision.\n" in message.body
    assert "/projects/demo/submissions/" in message.body
    assert Digest.objects.get().state == MailState.SENT


def test_nothing_is_sent_without_unread_notifications_of_the_period(project, rita):
    make_notification(project, NOW, "today")
    make_notification(project, NOW - timedelta(days=2), "before")
    make_notification(project, YESTERDAY, "read")
    Notification.objects.filter(key="read").update(read_at=NOW)
    assert send() == 0
    assert not Digest.objects.exists()


def test_digest_is_dropped_if_its_notifications_were_read_meanwhile(project, rita):
    make_notification(project)
    queue_due_digests(now=NOW)
    Notification.objects.update(read_at=NOW)
    assert send_due_digests(clock=lambda: NOW) == 0
    assert Digest.objects.get().state == MailState.DROPPED
    assert mail.outbox == []


@pytest.mark.parametrize(("digest", "sent"), [("never", 0), ("daily", 1), ("weekly", 0)])
def test_user_chooses_the_period(project, rita, digest, sent):
    save_settings(user=rita, digest=digest, kinds=NotificationKind.values)
    make_notification(project)
    assert send() == sent


def test_weekly_digest_covers_last_week(project, rita):
    save_settings(user=rita, digest="weekly", kinds=NotificationKind.values)
    monday = NOW - timedelta(days=2)
    make_notification(project, monday - timedelta(days=6))
    days = [monday + timedelta(days=number) for number in (0, 1, 7)]
    assert [send(day) for day in days] == [1, 0, 0]


def test_late_digest_is_dropped(project, rita):
    make_notification(project)
    queue_due_digests(now=NOW)
    later = NOW + timedelta(days=3)
    assert send_due_digests(clock=lambda: later) == 0
    assert Digest.objects.get().state == MailState.DROPPED


def test_nothing_is_sent_without_mail_server_or_address(project, requester, settings):
    make_notification(project)
    assert send() == 0
    requester.email = "rita@touchstone.example"
    requester.save()
    settings.MAIL_IS_ON = False
    assert send() == 0
    assert not Digest.objects.exists()


class DownBackend(locmem.EmailBackend):
    def open(self):
        raise OSError("no route")


class LostBackend(locmem.EmailBackend):
    def send_messages(self, messages):
        raise OSError("connection lost")


@pytest.mark.failing_rows
def test_digest_is_tried_again_while_the_server_is_down(project, rita, settings):
    make_notification(project)
    settings.EMAIL_BACKEND = f"{__name__}.DownBackend"
    assert send() == 0
    assert Digest.objects.get().state == MailState.PENDING
    assert SweepFailure.objects.count() == 1
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert send(NOW + timedelta(minutes=5)) == 1


def test_digest_with_unknown_outcome_is_not_sent_again(project, rita, settings):
    make_notification(project)
    settings.EMAIL_BACKEND = f"{__name__}.LostBackend"
    assert send() == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert send(NOW + timedelta(minutes=5)) == 0
    assert Digest.objects.get().state == MailState.UNCERTAIN


def test_digest_of_a_dead_process_is_not_sent_again(project, rita):
    make_notification(project)
    queue_due_digests(now=NOW)
    Digest.objects.update(state=MailState.SENDING, leased_until=NOW)
    assert send(NOW + timedelta(minutes=5)) == 0
    assert Digest.objects.get().state == MailState.UNCERTAIN


def test_link_in_the_digest_unsubscribes_without_signing_in(project, rita):
    make_notification(project)
    send()
    [message] = mail.outbox
    path = re.search(r"Unsubscribe: https?://[^/]+(\S+)", message.body)[1]
    assert message.extra_headers["List-Unsubscribe"].endswith(f"{path}>")
    client = Client(enforce_csrf_checks=True)
    page = client.get(path)
    assert "rita will receive no more digests" in page.content.decode()
    assert "Unsubscribed" in client.post(path).content.decode()
    make_notification(project, NOW, "another")
    assert send(NOW + timedelta(days=1)) == 0


def test_invalid_link_does_not_unsubscribe(rita):
    token = unsubscribe_token(rita)
    path = reverse("projects:unsubscribe", args=[token[:-1] + ("A" if token[-1] != "A" else "B")])
    assert Client().post(path).status_code == 404
