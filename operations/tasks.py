from celery import shared_task
from django.utils import timezone

from operations.domain import heartbeat


@shared_task
def beat() -> None:
    heartbeat.beat(now=timezone.now())
