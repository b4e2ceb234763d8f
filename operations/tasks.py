from celery import shared_task
from django.utils import timezone

from operations.domain import heartbeat
from operations.domain.alerts import mail_alerts, update_alerts
from operations.domain.notify_outage import notify_outage


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
