from celery import shared_task
from django.utils import timezone

from projects.domain import send_digests as digests
from projects.domain.deliver_webhooks import deliver_due


@shared_task
def send_digests() -> None:
    digests.queue_due_digests(now=timezone.now())
    digests.send_due_digests(clock=timezone.now)


@shared_task
def deliver_webhooks() -> None:
    deliver_due(clock=timezone.now)
