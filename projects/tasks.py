from celery import shared_task
from django.utils import timezone

from projects.domain import send_digests as digests


@shared_task
def send_digests() -> None:
    digests.queue_due_digests(now=timezone.now())
    digests.send_due_digests(clock=timezone.now)
