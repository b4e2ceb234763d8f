"""Background work: what time brings about, and the outbox."""

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from marketplace.domain import due, notifications
from marketplace.domain.faults import parse_faults


@shared_task
def settle_due() -> None:
    due.settle_all(now=timezone.now())


@shared_task
def deliver_notifications() -> None:
    faults = parse_faults(settings.MARKETPLACE_FAULTS)
    notifications.deliver_due(now=timezone.now(), faults=faults)
