"""The client and the example of the reference check what a site sends."""

import re
import time

import pytest
from django.utils import timezone

from projects.domain.deliver_webhooks import deliver_due, signed_headers
from projects.domain.webhooks import create_webhook, send_ping
from tests.api.test_docs import REFERENCE
from tests.dashboard.campaign import make_project
from tests.fakes.webhook_receiver import webhook_receiver
from touchstone_client import SignatureError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"type": "ping"}'


def sign(secret=SECRET, event="evt_1", age=0, body=BODY):
    return signed_headers(secret, event, int(time.time()) - age, body)


@pytest.mark.django_db
def test_request_of_a_site_is_verified(settings):
    with webhook_receiver() as receiver:
        settings.WEBHOOK_HOSTS = [receiver.host]
        now = timezone.now()
        webhook, secret = create_webhook(
            project=make_project(), url=receiver.url, events=["job.failed"], actor="ada", now=now
        )
        send_ping(webhook=webhook, actor="ada", now=now)
        assert deliver_due(clock=timezone.now) == 1
    [(headers, body)] = receiver.requests
    assert verify_webhook(secret, headers, body)["type"] == "ping"
    assert verify_webhook(secret, dict(headers.items()), body)["project"] == "demo"
    is_authentic = example()
    assert is_authentic(secret, headers, body)
    assert not is_authentic(SECRET, headers, body)
    assert not is_authentic(secret, headers, body + b" ")


def example():
    [code] = re.findall(
        r"```python\n((?:(?!```).)*def is_authentic.*?)```", REFERENCE.read_text("utf-8"), re.DOTALL
    )
    names: dict = {}
    exec(code, names)
    return names["is_authentic"]


@pytest.mark.parametrize(
    "change",
    [
        {"body": BODY + b" "},
        {"event": "evt_2"},
        {"age": 400},
        {"age": -400},
        {"secret": "whsec_c2VjcmV0"},
    ],
)
def test_request_that_was_not_signed_like_this_is_refused(change):
    headers = sign(**change) | {"webhook-id": "evt_1"}
    with pytest.raises(SignatureError):
        verify_webhook(SECRET, headers, BODY)


@pytest.mark.parametrize(
    "headers",
    [
        {"webhook-timestamp": "now"},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,é"},
    ],
)
def test_broken_headers_are_refused(headers):
    with pytest.raises(SignatureError):
        verify_webhook(SECRET, sign() | headers, BODY)
    with pytest.raises(SignatureError):
        verify_webhook(SECRET, {}, BODY)


def test_one_of_several_signatures_is_enough():
    """A sender whose secret changes may sign with both."""
    headers = sign()
    headers["webhook-signature"] = f"v1,other {headers['webhook-signature']}"
    assert verify_webhook(SECRET, headers, BODY) == {"type": "ping"}
