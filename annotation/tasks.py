from celery import shared_task
from django.utils import timezone

from annotation.domain.decisions.send_bonus_news import send_bonus_news as send_news
from annotation.domain.publishing.batch_actions import top_up_batches
from annotation.domain.publishing.republish import republish_due_items
from annotation.domain.work import unconfirmed_drafts, unused_blocks
from annotation.domain.work.compensate import book_approved_sessions, pay_compensations
from annotation.domain.work.onboarding.steps import delete_unconfirmed_onboarding
from annotation.domain.work.record_generations import record_new_generations
from annotation.domain.work.tutorial import delete_unused_marks
from jobs.domain.sweep import sweep


@shared_task
def record_generations() -> None:
    sweep(lambda: record_new_generations(clock=timezone.now))


@shared_task
def pay_due_compensations() -> None:
    sweep(lambda: pay_compensations(clock=timezone.now))
    sweep(lambda: book_approved_sessions(clock=timezone.now))


@shared_task
def top_up_open_batches() -> None:
    sweep(lambda: top_up_batches(clock=timezone.now))


@shared_task
def delete_unconfirmed_drafts() -> None:
    now = timezone.now()
    unconfirmed_drafts.delete_unconfirmed_drafts(now=now)
    unused_blocks.delete_unused_blocks(now=now)
    delete_unconfirmed_onboarding(now=now)
    delete_unused_marks(now=now)


@shared_task
def republish_short_items() -> None:
    sweep(lambda: republish_due_items(clock=timezone.now))


@shared_task
def send_bonus_news() -> None:
    send_news(clock=timezone.now)
