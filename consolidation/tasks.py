from functools import partial

from celery import shared_task
from django.utils import timezone

from consolidation.domain.cases import experiment, open_cases, record_work, republish_cases, revise
from consolidation.domain.experts import monitor
from consolidation.domain.gold import index_gold, kept_work
from consolidation.domain.reviews import decide_waiting
from consolidation.protocols import PROTOCOLS
from jobs.domain.sweep import sweep


@shared_task
def open_and_offer_cases() -> None:
    sweep(lambda: open_cases.open_due_cases(clock=timezone.now))
    sweep(lambda: experiment.open_experiment_cases(clock=timezone.now))
    sweep(lambda: open_cases.publish_open_cases(clock=timezone.now))
    sweep(lambda: revise.publish_due_revisions(clock=timezone.now))


@shared_task
def record_case_work_and_gold() -> None:
    sweep(lambda: record_work.record_new_case_work(clock=timezone.now))
    sweep(lambda: revise.accept_due_revisions(clock=timezone.now))
    for protocol in PROTOCOLS.values():
        sweep(partial(protocol.write_due_gold, clock=timezone.now))


@shared_task
def decide_waiting_bonuses() -> None:
    """Count what the gold has of each annotation, then decide the work and bonuses that wait for it."""
    sweep(lambda: kept_work.count_kept_work(clock=timezone.now))
    sweep(lambda: decide_waiting.decide_waiting_work(clock=timezone.now))
    sweep(lambda: decide_waiting.decide_waiting_bonuses(clock=timezone.now))


@shared_task
def reopen_and_republish_cases() -> None:
    sweep(lambda: republish_cases.reopen_returned_cases(clock=timezone.now))
    sweep(lambda: republish_cases.republish_due_cases(clock=timezone.now))
    sweep(lambda: revise.give_up_revisions(clock=timezone.now))


@shared_task
def draw_due_reviews() -> None:
    sweep(lambda: monitor.draw_due_reviews(clock=timezone.now))


@shared_task
def index_missing_gold() -> None:
    sweep(lambda: index_gold.index_missing_gold(clock=timezone.now))
