from celery import shared_task
from django.utils import timezone

from annotation.domain.record_generations import record_new_generations
from crowd.domain.sweep import sweep


@shared_task
def record_new_assignments() -> None:
    sweep(lambda: record_new_generations(clock=timezone.now))
