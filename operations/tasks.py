from collections.abc import Sequence

from celery import shared_task
from django.utils import timezone

from operations.domain import heartbeat
from operations.domain.alerts import mail_alerts, update_alerts
from operations.domain.notify_outage import notify_outage
from operations.domain.retention import delete_expired
from operations.run_in_turn import run_in_turn


@shared_task
def beat() -> None:
    heartbeat.beat(now=timezone.now())


@shared_task
def watch() -> None:
    now = timezone.now()
    update_alerts(now=now)
    notify_outage(now=now)


@shared_task
def send_alerts() -> None:
    """Send new alerts by email."""
    mail_alerts(now=timezone.now())


@shared_task
def delete_expired_data() -> None:
    delete_expired(now=timezone.now())


@shared_task
def run_sweeps(tasks: Sequence[str]) -> None:
    run_in_turn(tasks)


@shared_task
def run_outside_sweeps(tasks: Sequence[str]) -> None:
    """Run sweeps that call other servers, in a queue of their own."""
    run_in_turn(tasks)
