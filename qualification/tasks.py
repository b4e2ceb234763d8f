from celery import shared_task
from django.utils import timezone

from crowd.domain.sweep import sweep
from qualification.domain import evaluate, outcomes, watch_pool


@shared_task
def evaluate_rounds() -> None:
    sweep(lambda: evaluate.enrol_newcomers(clock=timezone.now))
    sweep(lambda: evaluate.refresh_references(clock=timezone.now))
    sweep(lambda: evaluate.evaluate_due(clock=timezone.now))


@shared_task
def watch_pools() -> None:
    sweep(lambda: outcomes.hold_against_gold(clock=timezone.now))
    watch_pool.watch_pools(clock=timezone.now)
