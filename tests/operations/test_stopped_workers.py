"""A stopped worker is reported on pages and by mail, without the help of that worker."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from operations.domain import heartbeat
from operations.domain.alerts import remedy_url
from operations.domain.heartbeat import stopped_queues
from operations.domain.queues import QUEUES
from operations.domain.watch import watch_site
from operations.enums import AlertKind
from operations.models import Alert, Heartbeat

pytestmark = pytest.mark.django_db
REPORTED_WITHIN = timedelta(minutes=5)


@pytest.fixture(autouse=True)
def _long_running_process(monkeypatch):
    monkeypatch.setattr(heartbeat, "_process_started", float("-inf"))


@pytest.fixture
def root(settings):
    settings.MAIL_IS_ON = True
    return get_user_model().objects.create_superuser("root", "root@example.org", "pw")


def run_workers(*running: str) -> None:
    """Run all workers once, and then the given ones until a stopped one must be reported."""
    now = timezone.now()
    for queue in QUEUES:
        heartbeat.start(queue=queue, now=now - REPORTED_WITHIN)
    for minutes in range(int(REPORTED_WITHIN.total_seconds() // 60)):
        for queue in running:
            watch_site(queue=queue, now=now - REPORTED_WITHIN + timedelta(minutes=minutes))


@pytest.mark.parametrize("stopped", QUEUES)
def test_any_running_worker_reports_and_mails_a_stopped_one(root, stopped):
    run_workers(*QUEUES.keys() - {stopped})
    assert [queue.name for queue in stopped_queues(now=timezone.now())] == [stopped]
    assert f"worker {stopped}" in Alert.objects.values_list("key", flat=True)
    assert [f"(queue {stopped})" in message.body for message in mail.outbox].count(True) == 1


@pytest.mark.parametrize("running", QUEUES)
def test_last_running_worker_reports_and_mails(root, running):
    run_workers(running)
    mailed = "".join(message.body for message in mail.outbox)
    assert {name for name in QUEUES if f"(queue {name})" in mailed} == QUEUES.keys() - {running}


def test_pages_report_stopped_workers_without_any_worker(root, client):
    run_workers()
    guest = get_user_model().objects.create_user("guest", password="pw")
    pages = [reverse("dashboard:projects"), reverse("usersessions_list"), reverse("admin:index")]
    client.force_login(root)
    for page in pages:
        text = client.get(page).content.decode()
        assert [text.count(f"(queue {name})") for name in QUEUES] == [1] * len(QUEUES), page
        assert text.count(remedy_url(AlertKind.WORKER)) == len(QUEUES), page
    client.force_login(guest)
    assert "(queue " not in client.get(pages[0]).content.decode()


def test_pages_of_a_running_site_report_nothing(root, client):
    run_workers()
    for queue in [*QUEUES, *QUEUES]:
        watch_site(queue=queue, now=timezone.now())
    client.force_login(root)
    assert "(queue " not in client.get(reverse("dashboard:projects")).content.decode()
    assert not Alert.objects.filter(key__startswith="worker").exists()


def test_site_that_starts_again_reports_no_old_heartbeats(root, client, monkeypatch):
    run_workers()
    monkeypatch.setattr(heartbeat, "_process_started", float("inf"))
    client.force_login(root)
    assert "(queue " not in client.get(reverse("dashboard:projects")).content.decode()
    watch_site(queue="celery", now=timezone.now())
    assert not Alert.objects.filter(key__startswith="worker").exists()
    assert Heartbeat.objects.count() == len(QUEUES)
