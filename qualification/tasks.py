from celery import shared_task
from django.utils import timezone

from crowd.domain.sweep import sweep
from qualification.domain import evaluate


@shared_task
def evaluate_rounds() -> None:
    sweep(lambda: evaluate.enrol_newcomers(clock=timezone.now))
    sweep(lambda: evaluate.refresh_references(clock=timezone.now))
    sweep(lambda: evaluate.evaluate_due(clock=timezone.now))
