"""Celery tasks for time-based transitions and the notification outbox."""

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from marketplace.domain.faults import parse_faults
from marketplace.domain.notifications import notifications
from marketplace.domain.work import maintenance, retention


@shared_task
def run_maintenance() -> None:
    maintenance.run_due(now=timezone.now())


@shared_task
def deliver_notifications() -> None:
    faults = parse_faults(settings.MARKETPLACE_FAULTS)
    notifications.deliver_due(now=timezone.now(), faults=faults)


@shared_task
def delete_expired_data() -> None:
    retention.delete_expired(now=timezone.now())
