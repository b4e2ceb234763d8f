"""Notifications to SQS queues, SNS topics and email addresses, and failed deliveries."""

import json
import socket
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from marketplace.domain.faults import Faults
from marketplace.domain.notifications import notifications
from marketplace.domain.notifications.transports import aws
from marketplace.enums import Event
from marketplace.models import HitType, Notification, NotificationHost, Requester
from tests.environment import find_free_port
from tests.fakes.aws_messaging import KEY_ID, REGION, SECRET, running_messaging
from tests.fakes.mail_server import MailServer

from .conftest import accept, submit
from .test_operations import refused

pytestmark = pytest.mark.django_db
ALL = [event.value for event in Event if event != Event.PING]


@pytest.fixture
def messaging(settings):
    with running_messaging() as server:
        settings.MARKETPLACE_SQS_ENDPOINT_URL = server.url
        settings.MARKETPLACE_SNS_ENDPOINT_URL = server.url
        settings.MARKETPLACE_AWS_REGION = REGION
        settings.MARKETPLACE_AWS_ACCESS_KEY_ID = KEY_ID
        settings.MARKETPLACE_AWS_SECRET_ACCESS_KEY = SECRET
        yield server


@pytest.fixture
def mail_server(settings):
    with MailServer() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        settings.MAIL_IS_ON = True
        yield server
        server.shutdown()


def specification(transport: str, destination: str, *events: str) -> dict:
    return {
        "Destination": destination,
        "Transport": transport,
        "Version": "2014-08-15",
        "EventTypes": list(events) or ALL,
    }


def send_test(mturk, transport: str, destination: str) -> None:
    mturk.send_test_event_notification(
        Notification=specification(transport, destination, "HITExpired"), TestEventType="Ping"
    )


def deliver(*, later: timedelta = timedelta(0)) -> int:
    return notifications.deliver_due(now=timezone.now() + later, faults=Faults())


@pytest.mark.parametrize("transport", ["SQS", "SNS"])
def test_events_arrive_in_the_format_of_mturk(mturk, publish, browser, messaging, transport):
    is_queue = transport == "SQS"
    destination = messaging.add_queue("hits") if is_queue else messaging.add_topic("hits")
    hit = publish()
    mturk.update_notification_settings(
        HITTypeId=hit["HITTypeId"],
        Notification=specification(transport, destination),
        Active=True,
    )
    assignment = accept(browser, hit)
    submit(browser, assignment)
    assert not messaging.targets  # nothing is sent within a request
    assert deliver() == 3
    messages = messaging.queues[destination] if is_queue else messaging.topics[destination]
    documents = [json.loads(message) for message in messages]
    assert [document["Events"][0]["EventType"] for document in documents] == [
        "AssignmentAccepted",
        "AssignmentSubmitted",
        "HITReviewable",
    ]
    submitted = documents[1]
    assert submitted == {
        "EventDocVersion": "2014-08-15",
        "EventDocId": submitted["EventDocId"],
        "CustomerId": Requester.objects.get().code,
        "Events": [
            {
                "EventType": "AssignmentSubmitted",
                "EventTimestamp": submitted["Events"][0]["EventTimestamp"],
                "HITTypeId": hit["HITTypeId"],
                "HITId": hit["HITId"],
                "AssignmentId": assignment,
            }
        ],
    }
    assert "AssignmentId" not in documents[2]["Events"][0]
    assert len({document["EventDocId"] for document in documents}) == 3


def test_requests_go_to_the_configured_endpoint(mturk, messaging):
    send_test(mturk, "SQS", messaging.add_queue("hits"))
    deliver()
    assert messaging.targets == ["/"]


def test_hit_types_have_separate_transports(mturk, publish, messaging):
    queue, topic = messaging.add_queue("hits"), messaging.add_topic("hits")
    hits = [publish(), publish(Title="Another type")]
    for hit, (transport, destination) in zip(hits, [("SQS", queue), ("SNS", topic)], strict=True):
        mturk.update_notification_settings(
            HITTypeId=hit["HITTypeId"],
            Notification=specification(transport, destination, "HITExpired"),
            Active=True,
        )
        mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    assert HitType.objects.filter(notification_active=True).count() == 2
    assert deliver() == 2
    received = (messaging.queues[queue], messaging.topics[topic])
    for hit, [message] in zip(hits, received, strict=True):
        assert json.loads(message)["Events"][0]["HITId"] == hit["HITId"]


def test_failed_delivery_is_retried_and_delays_no_other(mturk, messaging):
    for name in ("first", "second"):
        send_test(mturk, "SQS", messaging.add_queue(name))
    messaging.failures = ["RequestThrottled"]
    assert deliver() == 1
    row = Notification.objects.get(delivered_at=None)
    assert (row.attempts, row.last_error) == (1, "RequestThrottled: RequestThrottled!")
    assert deliver() == 0
    assert deliver(later=timedelta(minutes=1)) == 1
    assert [len(messages) for messages in messaging.queues.values()] == [1, 1]


def test_missing_queue_does_not_delay_others(mturk, messaging):
    send_test(mturk, "SQS", f"{messaging.url}/123456789012/none")
    send_test(mturk, "SQS", messaging.add_queue("hits"))
    assert deliver() == 1
    assert "QueueDoesNotExist" in Notification.objects.get(delivered_at=None).last_error
    assert NotificationHost.objects.get().failures == 0


def test_unreachable_endpoint_costs_one_attempt(mturk, messaging, settings):
    closed = f"http://127.0.0.1:{find_free_port()}"
    settings.MARKETPLACE_SQS_ENDPOINT_URL = closed
    for _ in range(3):
        send_test(mturk, "SQS", f"{closed}/123456789012/hits")
    send_test(mturk, "SNS", messaging.add_topic("hits"))
    assert deliver() == 1
    assert Notification.objects.filter(attempts__gt=0, delivered_at=None).count() == 1
    assert NotificationHost.objects.get(failures=1).origin == f"sqs {closed}"


def test_silent_endpoint_times_out(mturk, settings, messaging, monkeypatch):
    monkeypatch.setattr(aws, "TIMEOUT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        silent = f"http://127.0.0.1:{listener.getsockname()[1]}"
        settings.MARKETPLACE_SQS_ENDPOINT_URL = silent
        send_test(mturk, "SQS", f"{silent}/123456789012/hits")
        assert deliver() == 0
    assert "timeout" in Notification.objects.get().last_error.lower()


@pytest.mark.parametrize(
    ("transport", "setting"),
    [("SQS", "MARKETPLACE_SQS_ENDPOINT_URL"), ("SNS", "MARKETPLACE_SNS_ENDPOINT_URL")],
)
def test_transport_without_its_setting_is_refused(mturk, publish, transport, setting):
    destination = (
        "https://sqs.us-east-1.amazonaws.com/123456789012/hits"
        if transport == "SQS"
        else "arn:aws:sns:us-east-1:123456789012:hits"
    )
    code, message = refused(
        mturk.update_notification_settings,
        HITTypeId=publish()["HITTypeId"],
        Notification=specification(transport, destination),
    )
    assert code == "InvalidTransportEndpoint"
    assert f"Its operator can set {setting}." in message


@pytest.mark.parametrize(
    "destination",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:1/123456789012/hits",
        "{url}@evil.example/123456789012/hits",
        "{url}.evil.example/123456789012/hits",
        "{url}/123456789012/hits?Action=DeleteQueue",
        "{url}/123456789012/../hits",
        "{url}/123456789012/hits.fifo",
        "{url}/123456789012/hits\n",
        "{url}/",
        "{url}",
        "arn:aws:sqs:us-east-1:123456789012:hits",
        "hits",
    ],
)
def test_queue_outside_the_endpoint_is_refused(mturk, messaging, destination):
    code, message = refused(
        mturk.send_test_event_notification,
        Notification=specification("SQS", destination.format(url=messaging.url), "HITExpired"),
        TestEventType="Ping",
    )
    assert code == "InvalidTransportEndpoint"
    assert f"a standard queue of {messaging.url}" in message


@pytest.mark.parametrize(
    "destination",
    [
        "arn:aws:sns:eu-west-1:123456789012:hits",
        "arn:aws:sns:us-east-1:123456789012:hits.fifo",
        "arn:aws:sns:us-east-1:12:hits",
        "arn:aws:sqs:us-east-1:123456789012:hits",
        "arn:aws:sns:us-east-1:123456789012:hits\n",
    ],
)
def test_topic_of_another_shape_is_refused(mturk, messaging, destination):
    code, message = refused(
        mturk.send_test_event_notification,
        Notification=specification("SNS", destination, "HITExpired"),
        TestEventType="Ping",
    )
    assert code == "InvalidTransportEndpoint"
    assert "standard topic in the region us-east-1" in message


def test_removed_setting_stops_deliveries(mturk, messaging, settings):
    send_test(mturk, "SQS", messaging.add_queue("hits"))
    settings.MARKETPLACE_SQS_ENDPOINT_URL = ""
    assert deliver() == 0
    assert "no longer allowed" in Notification.objects.get().last_error
    assert not messaging.targets


def test_event_is_mailed_to_the_account(mturk, publish, browser, requester, mail_server):
    owner = requester[0]
    owner.email = "Lab@example.org"
    owner.save()
    hit = publish()
    mturk.update_notification_settings(
        HITTypeId=hit["HITTypeId"],
        Notification=specification("Email", "lab@example.org", "AssignmentSubmitted"),
        Active=True,
    )
    assignment = accept(browser, hit)
    submit(browser, assignment)
    assert not mail_server.accepted
    assert deliver() == 1
    [mail] = mail_server.accepted
    row = Notification.objects.get()
    assert (mail["To"], mail["Subject"]) == (
        "lab@example.org",
        "HIT notification: AssignmentSubmitted",
    )
    assert mail["Message-ID"].startswith(f"<{row.doc_id}@")
    text = mail.get_payload()
    assert f"HITId: {hit['HITId']}\n" in text
    assert json.loads(text.strip().splitlines()[-1]) == notifications.document(row)


def test_mail_refused_by_the_server_is_retried(mturk, requester, mail_server):
    owner = requester[0]
    owner.email = "lab@example.org"
    owner.save()
    send_test(mturk, "Email", "lab@example.org")
    mail_server.behaviour.answer_to["RCPT"] = "451 try again"
    assert deliver() == 0
    assert "The mail server refused it" in Notification.objects.get().last_error
    mail_server.behaviour.answer_to.clear()
    assert deliver(later=timedelta(minutes=1)) == 1
    assert len(mail_server.accepted) == 1


def test_unavailable_mail_server_costs_one_attempt(mturk, requester, mail_server, settings):
    owner = requester[0]
    owner.email = "lab@example.org"
    owner.save()
    settings.EMAIL_PORT = find_free_port()
    for _ in range(2):
        send_test(mturk, "Email", "lab@example.org")
    assert deliver() == 0
    assert Notification.objects.filter(attempts=1).count() == 1
    settings.EMAIL_PORT = mail_server.port
    assert deliver(later=timedelta(minutes=2)) == 2


@pytest.mark.parametrize(
    ("address", "message"),
    [("", "no email address"), ("other@example.org", "the email address of your account")],
)
def test_mail_to_another_address_is_refused(mturk, requester, settings, address, message):
    requester[0].email = address
    requester[0].save()
    settings.MAIL_IS_ON = True
    assert message in refused_mail(mturk)


def test_mail_without_a_mail_server_is_refused(mturk, requester, settings):
    requester[0].email = "lab@example.org"
    requester[0].save()
    settings.MAIL_IS_ON = False
    assert "EMAIL_URL" in refused_mail(mturk)


def refused_mail(mturk) -> str:
    code, message = refused(
        mturk.send_test_event_notification,
        Notification=specification("Email", "lab@example.org", "HITExpired"),
        TestEventType="Ping",
    )
    assert code == "InvalidTransportEndpoint"
    return message


def test_operator_sets_the_address_of_an_account(operator, requester):
    owner = requester[0]
    page = f"/hits/operator/requesters/{owner.code}/"
    profile = {"name": owner.name, "email": "not an address"}
    answer = operator.post(f"{page}profile/", profile)
    assert "Enter a valid email address." in answer.content.decode()
    profile["email"] = "lab@example.org"
    assert operator.post(f"{page}profile/", profile).url == page
    owner.refresh_from_db()
    assert owner.email == "lab@example.org"
    assert "lab@example.org" in operator.get(page).content.decode()


def test_operator_retries_abandoned_deliveries(mturk, messaging, operator, requester):
    send_test(mturk, "SQS", f"{messaging.url}/123456789012/hits")
    deliver()
    page = operator.get("/hits/operator/notifications/").content.decode()
    assert "QueueDoesNotExist" in page
    assert "Try again" not in page
    Notification.objects.update(
        created_at=timezone.now() - timedelta(days=4), due_at=timezone.now()
    )
    deliver()
    row = Notification.objects.get()
    assert (row.delivered_at, row.attempts) == (None, 2)
    page = operator.get("/hits/operator/notifications/").content.decode()
    assert "Try again" in page
    assert f"{messaging.url}/123456789012/hits" in page
    messaging.add_queue("hits")
    answer = operator.post(f"/hits/operator/notifications/{row.pk}/try-again/")
    assert answer.url == "/hits/operator/notifications/"
    assert deliver() == 1
    assert not operator.get("/hits/operator/notifications/").context["listing"].total


def test_old_abandoned_deliveries_are_deleted(mturk, messaging):
    send_test(mturk, "SQS", f"{messaging.url}/123456789012/hits")
    Notification.objects.update(given_up_at=timezone.now() - timedelta(days=31))
    call_command("run_marketplace_maintenance", "--json")
    assert not Notification.objects.exists()


def test_delivered_and_waiting_rows_are_not_listed(mturk, messaging, operator):
    send_test(mturk, "SQS", messaging.add_queue("hits"))
    page = operator.get("/hits/operator/notifications/").content.decode()
    assert "Every notification was delivered" in page


def test_number_of_queries_does_not_grow_with_failures(mturk, messaging, operator, requester):
    counts = []
    for number in (3, 300):
        rows = [
            Notification(
                doc_id=f"3DOC{number}N{index}",
                requester=requester[0],
                transport="SQS",
                version="2014-08-15",
                destination=f"{messaging.url}/123456789012/hits",
                event={"EventType": "Ping"},
                created_at=timezone.now(),
                due_at=timezone.now(),
                attempts=1,
            )
            for index in range(number)
        ]
        Notification.objects.bulk_create(rows)
        with CaptureQueriesContext(connection) as queries:
            assert operator.get("/hits/operator/notifications/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
