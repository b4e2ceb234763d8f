from celery import shared_task
from django.utils import timezone

from operation.domain import signs


@shared_task
def give_sign() -> None:
    signs.give_sign(now=timezone.now())
