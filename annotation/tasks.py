from celery import shared_task
from django.utils import timezone

from annotation.domain.compensate import pay_compensations
from annotation.domain.record_generations import record_new_generations
from annotation.domain.steer_batch import top_up_batches
from crowd.domain.sweep import sweep


@shared_task
def record_new_assignments() -> None:
    sweep(lambda: record_new_generations(clock=timezone.now))
    sweep(lambda: pay_compensations(clock=timezone.now))


@shared_task
def top_up_open_batches() -> None:
    sweep(lambda: top_up_batches(clock=timezone.now))
