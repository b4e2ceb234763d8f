"""Webhooks: events are stored with what happened, and sent at least once to allowed hosts only."""

import json
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.db import transaction
from django.utils import timezone

from annotation.domain.decisions.hold_bonus import hold_bonus
from annotation.models import Batch
from consolidation.domain.gold.add_gold import add_gold
from consolidation.models import Gold
from crowd.models import Assignment, Hit, Payment
from dashboard.events import SETTLING_TIME, record_ended_batches
from datasets.domain.exports.queue_export import EXPORT
from jobs.domain import run_jobs
from jobs.domain.kinds import JobFailedError, JobKind
from jobs.domain.queue_job import queue_job
from operations.domain.retention import delete_expired
from projects.domain import deliver_webhooks
from projects.domain.deliver_webhooks import (
    KEPT_FOR,
    LEASE,
    MAX_ATTEMPTS,
    PAUSES,
    deliver_due,
    signed_headers,
)
from projects.domain.webhooks import (
    MAX_WEBHOOKS,
    TooManyWebhooksError,
    WebhookError,
    change_webhook,
    create_webhook,
    delete_webhook,
    replay,
    secret_of,
    send_ping,
)
from projects.enums import SUBSCRIBABLE, MemberRole, WebhookEvent
from projects.models import Notification, Webhook, WebhookDelivery
from projects.notification_texts import text_of
from projects.tasks import deliver_webhooks as task
from schemes.contract.content import ReviewReason
from tests.crowd.test_killed_processes import SuddenEnd, killed_in
from tests.dashboard.campaign import CONTENT, Campaign, make_project, make_user
from tests.fakes.webhook_receiver import webhook_receiver
from tests.releases.projects import make_release

pytestmark = pytest.mark.django_db
ALL = [value for value, _ in SUBSCRIBABLE]
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def receiver(settings):
    with webhook_receiver() as receiver:
        settings.WEBHOOK_HOSTS = [receiver.host]
        yield receiver


def make_webhook(project, url, events=ALL) -> Webhook:
    now = timezone.now() - timedelta(minutes=1)
    webhook, _ = create_webhook(project=project, url=url, events=events, actor="ada", now=now)
    return webhook


@pytest.fixture
def webhook(project, receiver):
    return make_webhook(project, receiver.url)


def ping(webhook) -> WebhookDelivery:
    return send_ping(webhook=webhook, actor="ada", now=timezone.now())


def deliver(later=timedelta(0)) -> int:
    return deliver_due(clock=lambda: timezone.now() + later)


def gold_of(item, now=None) -> Gold:
    return add_gold(
        item=item, source="expert", content=CONTENT, provenance=[], now=now or timezone.now()
    )


# --- requests


def test_signature_is_that_of_the_specification():
    """The test vector of Standard Webhooks."""
    headers = signed_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_request_is_signed_with_the_secret(webhook, receiver):
    delivery = ping(webhook)
    assert deliver() == 1
    [(headers, body)] = receiver.requests
    timestamp = int(headers["webhook-timestamp"])
    assert abs(timestamp - time.time()) < 60
    expected = signed_headers(secret_of(webhook), delivery.event_id, timestamp, body)
    assert {name: headers[name] for name in expected} == expected
    assert headers["Content-Type"] == "application/json"
    assert json.loads(body) == {
        "id": delivery.event_id,
        "type": "ping",
        "timestamp": delivery.created_at.isoformat().replace("+00:00", "Z"),
        "project": "demo",
        "data": {},
    }
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 204, 1)
    assert deliver(DAY) == 0


def test_secret_is_stored_encrypted(project, receiver):
    webhook, secret = create_webhook(
        project=project, url=receiver.url, events=ALL, actor="ada", now=timezone.now()
    )
    assert secret.startswith("whsec_")
    assert secret not in webhook.sealed_secret
    assert secret_of(Webhook.objects.get()) == secret


# --- events


def test_gold_is_announced_once_for_all_of_a_while(project, webhook, receiver):
    campaign = Campaign(project, 6)
    golds = [gold_of(item) for item in campaign.items]
    assert deliver() == 0  # it is collected first
    assert deliver(timedelta(seconds=11)) == 1
    [event] = receiver.events
    first, last = golds[0].pk, golds[-1].pk
    assert event["type"] == "gold.created"
    url = event["data"].pop("url")
    assert event["data"] == {"first_id": first, "last_id": last, "count": 6}
    assert url.endswith(f"/api/v1/projects/demo/gold/?id_after={first - 1}")
    gold_of(campaign.items[0])
    assert deliver(timedelta(minutes=1)) == 1
    assert receiver.events[1]["data"]["count"] == 1
    assert receiver.events[1]["id"] != event["id"]


def test_gold_that_may_have_been_announced_is_not_joined(project, webhook, receiver):
    """Its receiver would ignore the rest as a repeat."""
    campaign = Campaign(project, 2)
    receiver.answers = [500]
    gold_of(campaign.items[0])
    deliver(timedelta(seconds=11))
    gold_of(campaign.items[1])
    deliver(timedelta(minutes=2))
    counts = {(event["id"], event["data"]["count"]) for event in receiver.events}
    assert len(receiver.events) == 3
    assert len(counts) == 2


def test_many_events_of_gold_are_joined_in_portions(project, webhook, receiver, monkeypatch):
    monkeypatch.setattr(deliver_webhooks, "MAX_COLLECTED", 3)
    for item in Campaign(project, 8).items:
        gold_of(item)
    assert deliver(timedelta(seconds=11)) == 1
    assert receiver.events[0]["data"]["count"] == 8
    assert WebhookDelivery.objects.count() == 1


def test_event_of_a_rolled_back_change_is_not_stored(project, webhook):
    item = Campaign(project, 1).items[0]
    with transaction.atomic():
        gold_of(item)
        transaction.set_rollback(True)
    assert not WebhookDelivery.objects.exists()


@pytest.fixture
def job(project, settings, monkeypatch):
    """Return a function that runs an export whose work is the given function."""

    def run(work, kind=EXPORT):
        own = JobKind(run=work, attempts=1)
        monkeypatch.setattr(run_jobs, "kind_of", lambda job: own)
        queued = queue_job(kind=kind, scope="demo", parameters={}, actor="ada", now=timezone.now())
        with suppress(ZeroDivisionError):
            run_jobs.run_next_job(clock=timezone.now)
        return queued

    return run


def refuse(run):
    raise JobFailedError("The file is empty.")


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (lambda run: {}, "job.finished"),
        (refuse, "job.failed"),
        (lambda run: 1 / 0, "job.failed"),
    ],
)
def test_end_of_a_job_is_announced(webhook, receiver, job, work, expected):
    queued = job(work)
    deliver()
    [event] = receiver.events
    assert event["type"] == expected
    url = event["data"].pop("url")
    assert event["data"] == {"id": queued.pk, "kind": "export"}
    assert url.endswith(f"/api/v1/projects/demo/exports/{queued.pk}/")


def test_job_that_only_pages_start_is_not_announced(project, webhook, job):
    job(lambda run: {}, "certainty")
    assert not WebhookDelivery.objects.exists()


def test_held_bonus_is_announced_once(project, webhook, receiver):
    campaign = Campaign(project, 4)
    payment = Payment.objects.filter(
        assignment__hit__budget=project.budget_id, kind="bonus"
    ).first()
    submissions = list(payment.assignment.submissions.all())
    for _ in range(2):
        hold_bonus(
            payment=payment,
            submissions=submissions,
            reasons=[ReviewReason("fast", "It took two seconds.")],
            now=timezone.now(),
        )
    deliver()
    [event] = receiver.events
    held = campaign.project.held_bonuses.get()
    assert (event["type"], event["data"]["id"]) == ("bonus.held", held.pk)
    assert event["data"]["url"].endswith(f"/api/v1/projects/demo/held-bonuses/{held.pk}/")


def test_release_is_announced_with_its_archive(project, receiver, job_files):
    Campaign(project, 4)
    webhook = make_webhook(project, receiver.url)
    Webhook.objects.update(created_at=datetime(2020, 1, 1, tzinfo=UTC))
    make_release(project, "1.0", source="consolidated")
    assert webhook.deliveries.count() == 1
    deliver()
    [event] = receiver.events
    assert (event["type"], event["data"]["version"]) == ("release.published", "1.0")
    assert event["data"]["url"].endswith("/api/v1/projects/demo/releases/1.0/")


def test_end_of_a_batch_is_announced_once(project, receiver):
    campaign = Campaign(project, 4)
    webhook = make_webhook(project, receiver.url)
    Hit.objects.update(state="expired")
    ended = timezone.now() - SETTLING_TIME
    Assignment.objects.update(submitted_at=ended, recorded_at=ended)
    for minutes in (1, 2):
        record_ended_batches(now=timezone.now() + timedelta(minutes=minutes))
    assert webhook.deliveries.count() == 1
    # A webhook that is created later is not sent what happened before.
    later, _ = create_webhook(
        project=project, url=receiver.url, events=ALL, actor="ada", now=timezone.now() + HOUR
    )
    record_ended_batches(now=timezone.now() + 2 * HOUR)
    assert not later.deliveries.exists()
    deliver(HOUR)
    [event] = receiver.events
    assert event["type"] == "batch.finished"
    batch = Batch.objects.get(role="generator")
    assert event["data"]["id"] == batch.pk == campaign.batches["generator"].pk
    assert event["data"]["is_short"] in (True, False)


def test_only_chosen_events_of_the_own_project_are_sent(project, receiver):
    webhook = make_webhook(project, receiver.url, [WebhookEvent.JOB_FAILED])
    make_webhook(make_project("other"), receiver.url)
    gold_of(Campaign(project, 1).items[0])
    assert not WebhookDelivery.objects.exists()
    change_webhook(webhook=webhook, events=ALL, actor="ada", now=timezone.now())
    gold_of(Campaign(make_project("third"), 1).items[0])
    assert not WebhookDelivery.objects.exists()


def test_events_have_the_same_id_at_all_webhooks_of_a_project(project, receiver):
    make_webhook(project, receiver.url)
    make_webhook(project, receiver.url)
    gold_of(Campaign(project, 1).items[0])
    assert deliver(timedelta(seconds=11)) == 2
    assert len({event["id"] for event in receiver.events}) == 1


# --- failures


def test_failed_delivery_is_repeated_with_the_same_body(webhook, receiver):
    delivery = ping(webhook)
    receiver.answers = [500, 503]
    assert deliver() == 0
    assert deliver() == 0  # not due yet
    assert deliver(31 * SECOND) == 0
    assert deliver(200 * SECOND) == 1
    bodies = {body for _, body in receiver.requests}
    assert (len(receiver.requests), len(bodies)) == (3, 1)
    assert {headers["webhook-id"] for headers, _ in receiver.requests} == {delivery.event_id}
    delivery.refresh_from_db()
    webhook.refresh_from_db()
    assert (delivery.state, delivery.attempts, webhook.failing_since) == ("delivered", 3, None)


def test_delivery_fails_after_a_day_and_eight_attempts(webhook, receiver):
    receiver.always = 500
    delivery = ping(webhook)
    later = timedelta(0)
    for pause in (*PAUSES, DAY):
        deliver(later)
        later += max(pause, HOUR) + SECOND
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.status) == ("failed", MAX_ATTEMPTS, 500)
    assert DAY < sum(PAUSES, timedelta(0)) < 1.1 * DAY
    requests = len(receiver.requests)
    assert deliver(10 * DAY) == 0
    assert len(receiver.requests) == requests == MAX_ATTEMPTS


def redirect(handler) -> None:
    handler.send_response(307)
    handler.send_header("Location", "http://127.0.0.1:1/elsewhere")
    handler.end_headers()


def endless(handler) -> None:
    handler.send_response(400)
    handler.end_headers()
    with suppress(OSError):
        while True:
            handler.wfile.write(b"\0no " * 10_000)


def trickle(handler) -> None:
    with suppress(OSError):
        while True:
            handler.wfile.write(b"H")
            handler.wfile.flush()
            time.sleep(0.05)


def garbage(handler) -> None:
    handler.wfile.write(b"no HTTP at all\r\n\r\n")


@pytest.fixture
def _short_deadline(monkeypatch):
    monkeypatch.setattr(deliver_webhooks, "DEADLINE_SECONDS", 0.6)


@pytest.mark.usefixtures("_short_deadline")
@pytest.mark.parametrize(
    ("answer", "status", "text"),
    [
        (redirect, 307, ""),
        (endless, 400, "no no no"),
        (trickle, None, "no answer within 0.6 s"),
        (garbage, None, "BadStatusLine"),
        (301, 301, ""),
    ],
)
def test_other_answers_are_failures(webhook, receiver, answer, status, text):
    receiver.answers = [answer]
    delivery = ping(webhook)
    began = time.monotonic()
    assert deliver() == 0
    assert time.monotonic() - began < 5
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status) == ("pending", status)
    assert text in delivery.answer
    assert len(delivery.answer) <= 300
    assert deliver(40 * SECOND) == 1
    assert len(receiver.requests) == 2


def test_huge_answer_to_a_success_is_not_read(webhook, receiver):
    def huge(handler):
        handler.send_response(200)
        handler.end_headers()
        endless_after(handler)

    def endless_after(handler):
        with suppress(OSError):
            while True:
                handler.wfile.write(b"x" * 100_000)

    receiver.answers = [huge]
    ping(webhook)
    assert deliver() == 1


def test_closed_port_is_a_failure(project, settings, free_port):
    settings.WEBHOOK_HOSTS = [f"127.0.0.1:{free_port}"]
    webhook = make_webhook(project, f"http://127.0.0.1:{free_port}/")
    delivery = ping(webhook)
    assert deliver() == 0
    delivery.refresh_from_db()
    assert "ConnectionRefusedError" in delivery.answer


def test_wrong_certificate_is_a_failure(project, settings, tmp_path):
    path = tmp_path / "certificate.pem"
    path.write_bytes(self_signed())
    with webhook_receiver(path) as receiver:
        settings.WEBHOOK_HOSTS = [receiver.host]
        delivery = ping(make_webhook(project, receiver.url))
        assert deliver() == 0
        assert receiver.requests == []
    delivery.refresh_from_db()
    assert "certificate verify failed" in delivery.answer


def self_signed() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    addresses = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(addresses, critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    return certificate.public_bytes(pem) + key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def test_silent_receiver_costs_one_time_out_and_delays_no_other(
    project, settings, receiver, monkeypatch
):
    monkeypatch.setattr(deliver_webhooks, "TIMEOUT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        settings.WEBHOOK_HOSTS = [host, receiver.host]
        silent = make_webhook(project, f"http://{host}/")
        working = make_webhook(project, receiver.url)
        for _ in range(20):
            ping(silent)
        ping(working)
        began = time.monotonic()
        assert deliver() + deliver() == 1
        assert time.monotonic() - began < 3
    assert silent.deliveries.filter(attempts=1).count() == 1
    assert silent.deliveries.filter(attempts=0).count() == 19


def test_webhook_in_use_is_left_to_the_other_pass(webhook, receiver):
    """Two passes at the same time would send everything twice."""
    ping(webhook)
    Webhook.objects.update(retry_at=timezone.now() + LEASE)
    assert deliver() == 0
    assert receiver.requests == []


def test_webhook_is_switched_off_after_days_of_failures(project, webhook, receiver):
    ada = make_user("ada", project, MemberRole.ADMIN)
    make_user("tom", project, MemberRole.TRAINER)
    receiver.always = 500
    for days in range(5):
        delivery = ping(webhook)
        WebhookDelivery.objects.filter(pk=delivery.pk).update(due_at=timezone.now())
        deliver(days * DAY)
    webhook.refresh_from_db()
    assert not webhook.is_active
    [notification] = Notification.objects.all()
    assert (notification.user, notification.kind) == (ada, "webhook-off")
    assert receiver.host in text_of(notification)
    assert notification.path == f"/projects/demo/webhooks/{webhook.pk}/"
    requests = len(receiver.requests)
    deliver(9 * DAY)
    gold_of(Campaign(project, 1).items[0])
    assert not webhook.deliveries.filter(event="gold.created").exists()
    assert len(receiver.requests) == requests
    # Switched on again, it sends what was left.
    receiver.always = 200
    change_webhook(webhook=webhook, is_active=True, actor="ada", now=timezone.now())
    assert deliver(9 * DAY) >= 1


def test_success_between_failures_keeps_the_webhook_on(webhook, receiver):
    for days in range(5):
        receiver.answers = [500, 200]
        ping(webhook)
        ping(webhook)
        deliver(days * DAY + HOUR)
    webhook.refresh_from_db()
    assert webhook.is_active


# --- addresses


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://10.0.0.1/hook", "may not call 10.0.0.1"),
        ("https://hooks.example/x", "may not call hooks.example"),
        ("https://allowed.example:22/x", "may not call allowed.example:22"),
        ("http://[::1]/", "may not call"),
        ("http://169.254.169.254/latest/", "may not call"),
        ("https://allowed.example@10.0.0.1/", "no password"),
        ("https://allowed.example/#part", "no fragment"),
        ("file:///etc/passwd", "is not the address"),
        ("ftp://allowed.example/", "is not the address"),
        ("https://allowed.example:port/", "is not the address"),
        ("https:///path", "may not call"),
        ("nonsense", "is not the address"),
        ("https://[broken/", "is not the address"),
    ],
)
def test_address_that_is_not_allowed_is_refused(project, settings, url, message):
    settings.WEBHOOK_HOSTS = ["allowed.example"]
    with pytest.raises(WebhookError, match=message):
        make_webhook(project, url)
    assert not Webhook.objects.exists()


def test_site_with_https_refuses_plain_http(project, settings):
    settings.WEBHOOK_HOSTS, settings.SITE_IS_SECURE = ["allowed.example"], True
    make_webhook(project, "https://allowed.example/")
    with pytest.raises(WebhookError, match="https://"):
        make_webhook(project, "http://allowed.example/")


def test_host_that_is_no_longer_allowed_is_not_called(settings, webhook, receiver):
    delivery = ping(webhook)
    settings.WEBHOOK_HOSTS = []
    assert deliver() == 0
    assert receiver.requests == []
    delivery.refresh_from_db()
    assert "WEBHOOK_HOSTS" in delivery.answer


def test_project_has_a_limited_number_of_webhooks(project, receiver):
    for _ in range(MAX_WEBHOOKS):
        make_webhook(project, receiver.url)
    with pytest.raises(TooManyWebhooksError):
        make_webhook(project, receiver.url)
    make_webhook(make_project("other"), receiver.url)


# --- replays, changes and deletion


def test_replay_sends_the_same_event_again(webhook, receiver):
    delivery = ping(webhook)
    deliver()
    replay(delivery=delivery, actor="ada", now=timezone.now())
    with pytest.raises(WebhookError, match="still pending"):
        replay(delivery=delivery, actor="ada", now=timezone.now())
    assert deliver() == 1
    (_, first), (headers, second) = receiver.requests
    assert first == second
    assert headers["webhook-id"] == delivery.event_id


def test_replayed_gold_is_not_joined_with_new_gold(project, webhook, receiver):
    items = Campaign(project, 3).items
    gold_of(items[0])
    deliver(timedelta(seconds=11))
    replay(delivery=webhook.deliveries.get(), actor="ada", now=timezone.now())
    gold_of(items[1])
    gold_of(items[2])
    deliver(timedelta(seconds=11))
    assert [event["data"]["count"] for event in receiver.events] == [1, 1, 2]


def test_deleted_webhook_is_sent_nothing(webhook, receiver):
    ping(webhook)
    delete_webhook(webhook=webhook, actor="ada", now=timezone.now())
    assert deliver() == 0
    assert receiver.requests == []


def test_deleted_project_sends_nothing(project, webhook, receiver):
    ping(webhook)
    type(project).objects.update(deleted_at=timezone.now())
    assert deliver() == 0
    assert receiver.requests == []


def test_old_deliveries_are_deleted(webhook):
    old, new = ping(webhook), ping(webhook)
    now = timezone.now()
    WebhookDelivery.objects.filter(pk=old.pk).update(created_at=now - KEPT_FOR - DAY)
    assert delete_expired(now=now)["deliveries"] == 1
    assert webhook.deliveries.get() == new


def test_task_delivers(webhook, receiver):
    ping(webhook)
    task.apply(throw=True)
    assert receiver.types == ["ping"]


# --- killed processes


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("carried_out", [True, False])
def test_event_outlives_a_process_that_is_killed_at_any_statement(webhook, receiver, carried_out):
    """Each delivery arrives, with the same id if it arrives again."""
    number, later, expected = 1, timedelta(0), []
    while True:
        expected.append(ping(webhook).event_id)
        end = SuddenEnd(number, carried_out=carried_out)
        killed = killed_in(lambda: deliver(later), end)  # noqa: B023
        later += LEASE + SECOND
        deliver(later)
        later += LEASE + SECOND
        if not killed:
            break
        number += 1
    assert number > 5
    ids = [event["id"] for event in receiver.events]
    assert list(dict.fromkeys(ids)) == expected
    # Killed between the answer and its record, a process leaves a delivery that is sent again.
    assert (len(ids) > len(expected)) is not carried_out
    assert set(WebhookDelivery.objects.values_list("state", flat=True)) == {"delivered"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("carried_out", [True, False])
def test_gold_and_its_event_are_stored_together(project, webhook, carried_out):
    item = Campaign(project, 1).items[0]
    number, killed = 1, True
    while killed:
        killed = killed_in(lambda: gold_of(item), SuddenEnd(number, carried_out=carried_out))
        number += 1
        announced = {row.data["first_id"] for row in webhook.deliveries.all()}
        assert announced == set(Gold.objects.values_list("pk", flat=True))
    assert number > 5
    assert len(announced) >= 1
