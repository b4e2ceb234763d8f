from celery import shared_task
from django.utils import timezone

from jobs.domain.sweep import sweep
from qualification.domain.pool import monitor_pool
from qualification.domain.scores import gold_comparisons
from qualification.domain.training import evaluate


@shared_task
def enrol_and_evaluate() -> None:
    sweep(lambda: evaluate.enrol_newcomers(clock=timezone.now))
    sweep(lambda: evaluate.refresh_references(clock=timezone.now))
    sweep(lambda: evaluate.evaluate_due(clock=timezone.now))


@shared_task
def compare_with_gold_and_watch_pools() -> None:
    sweep(lambda: gold_comparisons.compare_with_gold(clock=timezone.now))
    monitor_pool.monitor_pools(clock=timezone.now)
