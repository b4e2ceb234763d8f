"""Webhooks of a site whose worker is killed in the middle of a delivery."""

import os
import signal
import sys
import threading

import pytest

from tests.fakes.webhook_receiver import webhook_receiver
from tests.operations.manage import manage

pytestmark = pytest.mark.system
CELERY = (sys.executable, "-m", "celery", "-A", "config", "worker", "-B")
CREATE = """
from django.utils import timezone
from projects.domain.create_project import create_project
from projects.domain.webhooks import create_webhook, send_ping
now = timezone.now()
project = create_project(slug="demo", scheme="qasrl", now=now)
webhook, _ = create_webhook(
    project=project, url="{url}", events=["gold.created"], actor="tests", now=now
)
send_ping(webhook=webhook, actor="tests", now=now)
"""
PING = """
from django.utils import timezone
from projects.domain.webhooks import send_ping
from projects.models import Webhook
send_ping(webhook=Webhook.objects.get(), actor="tests", now=timezone.now())
"""
# The lease of a minute is over.
LATER = """
from django.utils import timezone
from projects.models import Webhook, WebhookDelivery
Webhook.objects.update(retry_at=timezone.now())
WebhookDelivery.objects.update(due_at=timezone.now())
"""
STATES = """
from projects.models import WebhookDelivery
print(sorted(WebhookDelivery.objects.values_list("state", flat=True)))
"""


def test_event_arrives_though_the_worker_is_killed_in_its_delivery(
    server_site, migrate, start_process, tmp_path, wait_for
):
    with webhook_receiver() as receiver:
        site = {**server_site, "WEBHOOK_HOSTS": receiver.host, "SWEEP_SECONDS": "1"}
        migrate(site)
        options = ["-Q", "outside", "--concurrency", "1", "-s", str(tmp_path / "schedule")]

        def start(name: str):
            return start_process(
                [*CELERY, *options, "-n", f"{name}@%h"], env=site, log=tmp_path / name
            )

        manage(site, "shell", "-v0", "-c", CREATE.format(url=receiver.url))
        worker = start("first")
        wait_for(lambda: len(receiver.requests) == 1)
        killed = threading.Event()
        receiver.answers = [lambda handler: killed.wait(60)]
        manage(site, "shell", "-v0", "-c", PING)
        wait_for(lambda: len(receiver.requests) == 2)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
        killed.set()
        assert "['delivered', 'pending']" in manage(site, "shell", "-v0", "-c", STATES)
        manage(site, "shell", "-v0", "-c", LATER)
        start("second")
        wait_for(lambda: len(receiver.requests) == 3)
        wait_for(lambda: "pending" not in manage(site, "shell", "-v0", "-c", STATES))
    first, interrupted, again = receiver.events
    assert again == interrupted
    assert again["id"] != first["id"]
