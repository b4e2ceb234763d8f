from celery import shared_task
from django.utils import timezone

from consolidation.domain import monitor, open_cases, record_gold
from crowd.domain.sweep import sweep


@shared_task
def open_due_cases() -> None:
    sweep(lambda: open_cases.open_due_cases(clock=timezone.now))
    sweep(lambda: open_cases.offer_open_cases(clock=timezone.now))


@shared_task
def record_new_gold() -> None:
    sweep(lambda: record_gold.record_new_consolidations(clock=timezone.now))
    sweep(lambda: record_gold.write_due_gold(clock=timezone.now))


@shared_task
def draw_due_reviews() -> None:
    sweep(lambda: monitor.draw_due_reviews(clock=timezone.now))
