"""Alerts open with a problem, are mailed to superusers once, and close with the problem."""

import socket
import time
from datetime import timedelta

import pytest
from botocore.config import Config
from django.contrib.auth import get_user_model
from django.core import mail
from django.urls import reverse

from crowd.enums import PaymentKind, PaymentState
from crowd.models import Payment, Worker
from jobs.domain.failures import set_aside
from jobs.domain.sweep import for_each_row
from jobs.models import SweepFailure
from operations.domain import disks, stored_files
from operations.domain.alerts import MIN_PROBLEM_AGE, mail_alerts, remedy_url, update_alerts
from operations.enums import AlertKind
from operations.models import Alert, Heartbeat
from tests.crowd.factories import NOW, make_assignment, make_live_hit, make_worker
from tests.jobs.factories import make_import

pytestmark = [pytest.mark.django_db, pytest.mark.failing_rows]


def open_keys() -> set[str]:
    return {alert.key for alert in update_alerts(now=NOW)}


def make_failure(age: timedelta = 2 * MIN_PROBLEM_AGE) -> SweepFailure:
    return SweepFailure.objects.create(
        sweep="test",
        model="crowd.Worker",
        object_id=make_worker().pk,
        error="ValueError('broken')",
        first_failed_at=NOW - age,
        retry_at=NOW,
    )


def open_alerts() -> None:
    """Check twice, a minute apart."""
    for minutes in (1, 0):
        update_alerts(now=NOW - timedelta(minutes=minutes))


@pytest.fixture
def root():
    return get_user_model().objects.create_superuser("root", "root@example.org", "pw")


def test_site_without_problems_has_no_alerts():
    make_failure(age=timedelta(minutes=1))
    assert open_keys() == set()


def test_failing_row_alerts_until_it_is_set_aside():
    failure = make_failure()
    assert open_keys() == {"failing rows"}
    set_aside(failures=[failure], actor="root", now=NOW)
    assert open_keys() == set()


def test_old_queues_and_jobs_alert(project):
    hit = make_live_hit()
    hit.state, hit.prepared_at = "pending", NOW - 2 * MIN_PROBLEM_AGE
    hit.save()
    job = make_import(project)
    job.requested_at = NOW - 2 * MIN_PROBLEM_AGE
    job.save()
    assert open_keys() == {"queue hits", "jobs"}
    assert "for 20 minutes" in Alert.objects.get(key="queue hits").text


def test_refused_payment_full_disk_and_absent_marketplace_alert(monkeypatch):
    Payment.objects.create(
        assignment=make_assignment(),
        kind=PaymentKind.REWARD,
        amount_cents=5,
        fee_cents=1,
        token="token",
        state=PaymentState.FAILED,
        intended_at=NOW,
    )
    Heartbeat.objects.create(at=NOW, marketplace_problem="does not answer")
    # More than any disk has free.
    monkeypatch.setattr(disks, "MIN_FREE", 1 << 70)
    monkeypatch.setattr(disks, "FREE_SHARE", 2)
    assert open_keys() >= {"refused payments", "disk", "marketplace"}


def test_storage_that_fails_alerts_until_it_works(job_files, settings):
    assert open_keys() == set()
    (job_files / "exports").mkdir(exist_ok=True)
    (job_files / "file").touch()
    backend = "django.core.files.storage.FileSystemStorage"
    broken = {"BACKEND": backend, "OPTIONS": {"location": job_files / "file"}}
    working = settings.STORAGES
    settings.STORAGES = working | {"exports": broken}
    assert open_keys() == {"files"}
    assert "exports (Not a directory)" in Alert.objects.get().text
    settings.STORAGES = working
    assert open_keys() == set()


def test_storage_that_does_not_answer_alerts_soon(settings, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setattr(stored_files, "WAIT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        limits = Config(connect_timeout=1, read_timeout=1, retries={"total_max_attempts": 1})
        options = {"bucket_name": "one", "endpoint_url": url, "client_config": limits}
        bucket = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
        settings.STORAGES = settings.STORAGES | dict.fromkeys(stored_files.ALIASES, bucket)
        start = time.monotonic()
        assert open_keys() == {"files"}
        assert time.monotonic() - start < 3
    assert "images (no answer within 0.3 seconds)" in Alert.objects.get().text


def test_problem_that_one_check_finds_opens_no_alert(root, settings):
    settings.MAIL_IS_ON = True
    minute = timedelta(minutes=1)
    beat = Heartbeat.objects.create(at=NOW, marketplace_problem="does not answer")
    # Found by one check, then solved, then found again
    for age, problem in ((0, "no answer"), (1, ""), (2, "no answer"), (60, "no answer")):
        beat.marketplace_problem = problem
        beat.save()
        update_alerts(now=NOW + age * minute)
        assert mail_alerts(now=NOW) == 0
    update_alerts(now=NOW + 61 * minute)
    alert = Alert.objects.get()
    assert (alert.since, alert.opened_at) == (NOW + 2 * minute, NOW + 61 * minute)
    assert mail_alerts(now=NOW) == 1


def test_alert_keeps_its_start_while_its_text_changes():
    make_failure()
    update_alerts(now=NOW)
    make_failure()
    update_alerts(now=NOW + timedelta(minutes=1))
    alert = Alert.objects.get()
    assert (alert.since, alert.text) == (NOW, "Rows that can't be processed: 2.")


def test_new_alert_is_mailed_once(root, settings):
    settings.MAIL_IS_ON = True
    get_user_model().objects.create_user("guest", "guest@example.org", "pw")
    make_failure()
    open_alerts()
    assert [mail_alerts(now=NOW), mail_alerts(now=NOW)] == [1, 0]
    [message] = mail.outbox
    assert message.to == ["root@example.org"]
    assert "Rows that can't be processed: 1." in message.body
    assert f"{settings.SITE_URL}{remedy_url(AlertKind.FAILING_ROWS)}" in message.body


def test_unmailed_alert_stays_due(root, settings, free_port):
    settings.MAIL_IS_ON = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port
    make_failure()
    open_alerts()
    assert mail_alerts(now=NOW) == 0
    assert Alert.objects.get().mailed_at is None


def test_superusers_see_alerts_above_the_projects(client, root):
    make_failure()
    open_alerts()
    page = reverse("dashboard:projects")
    client.force_login(get_user_model().objects.create_user("guest", password="pw"))
    assert "needs attention" not in client.get(page).content.decode()
    client.force_login(root)
    text = client.get(page).content.decode()
    assert "be processed: 1." in text
    assert reverse("admin:jobs_sweepfailure_changelist") in text
    assert f'href="{remedy_url(AlertKind.FAILING_ROWS)}"' in text


def test_alert_of_a_newer_version_is_shown_without_a_remedy(client, root, settings):
    settings.MAIL_IS_ON = True
    Alert.objects.create(
        key="moon", text="The moon is low.", since=NOW, found_at=NOW, opened_at=NOW
    )
    client.force_login(root)
    text = client.get(reverse("dashboard:projects")).content.decode()
    assert ("The moon is low." in text, "What to do" in text) == (True, False)
    assert mail_alerts(now=NOW) == 1
    assert "What to do" not in mail.outbox[0].body


def test_administration_sets_rows_aside_and_retries_them(client, root):
    failure = make_failure()
    processed = []

    def process(worker: Worker, now: object) -> int:
        processed.append(worker.pk)
        return 1

    def run() -> None:
        rows = Worker.objects.filter(pk=failure.object_id)
        later = lambda: NOW + timedelta(days=3650)  # noqa: E731 - after the retry of today
        for_each_row(sweep="test", rows=rows, process=process, clock=later)

    client.force_login(root)
    page = reverse("admin:jobs_sweepfailure_changelist")
    chosen = {"_selected_action": [failure.pk]}
    assert client.get(page).status_code == 200
    client.post(page, {"action": "set_aside", **chosen})
    failure.refresh_from_db()
    assert (failure.set_aside_at is None, failure.set_aside_by) == (False, "root")
    run()
    assert processed == []
    client.post(page, {"action": "retry_now", **chosen})
    run()
    assert processed == [failure.object_id]
    assert not SweepFailure.objects.exists()
