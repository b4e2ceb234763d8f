from celery import shared_task
from django.utils import timezone

from datasets.domain.quality import adaptive
from jobs.domain.sweep import sweep


@shared_task
def decide_redundancy() -> None:
    sweep(lambda: adaptive.decide_due_items(clock=timezone.now))
