from celery import shared_task
from django.utils import timezone

from accounts.domain import sessions


@shared_task
def forget_expired_sessions() -> None:
    sessions.forget_expired(now=timezone.now())
