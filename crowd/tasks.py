"""Celery tasks that process due rows in small batches, until none are left or time is up."""

from collections.abc import Callable
from functools import partial

from celery import shared_task
from django.utils import timezone

from crowd.domain import handle_notifications
from crowd.domain.hits import create_hits, manage_hits, sync_hits
from crowd.domain.money import announce_bonuses, send_payments
from crowd.domain.provider import check_account
from crowd.domain.sessions import publish_studies, refuse_sessions, sync_sessions
from crowd.domain.sessions import settle_sessions as settlements
from crowd.domain.workers import (
    block_worker,
    qualification_requests,
    qualifications,
    receive_messages,
    write_mail,
    write_messages,
)
from jobs.domain.sweep import sweep


def _sweep(*batches: Callable[..., int]) -> None:
    for process_batch in batches:
        sweep(partial(process_batch, clock=timezone.now))


@shared_task
def publish_hits() -> None:
    """Send grants and blocks, then create the HITs whose requirements depend on both."""
    _sweep(qualifications.send_due_grants, block_worker.send_due_blocks)
    _sweep(create_hits.create_pending_hits)


@shared_task
def sync_qualification_requests() -> None:
    """Send decisions first, so that decided requests are no longer listed."""
    _sweep(qualification_requests.send_due_answers)
    qualification_requests.fetch_requests(now=timezone.now())


@shared_task
def fetch_messages() -> None:
    receive_messages.fetch_messages(now=timezone.now())


@shared_task
def send_hit_changes() -> None:
    """Send increases, then ends, which also apply to the added assignments."""
    _sweep(manage_hits.send_due_increases, manage_hits.send_due_ends)


@shared_task
def sync_due_hits() -> None:
    _sweep(sync_hits.sync_due_hits)


@shared_task
def run_studies() -> None:
    """Open HITs to sessions, follow the sessions, then give studies the places that are needed."""
    _sweep(publish_studies.open_pending_hits, sync_sessions.list_due_studies)
    _sweep(sync_sessions.sync_due_sessions)
    _sweep(publish_studies.advance_studies)


@shared_task
def settle_sessions() -> None:
    """Decide overdue work, plan what sessions are paid, then approve them and pay the rest."""
    _sweep(sync_sessions.approve_overdue)
    _sweep(refuse_sessions.request_returns, refuse_sessions.reject_sessions)
    _sweep(settlements.plan_settlements, settlements.approve_sessions)
    settlements.pay_bonuses(clock=timezone.now)


@shared_task
def check_accounts() -> None:
    check_account.check_accounts(clock=timezone.now)


@shared_task
def check_balances() -> None:
    check_account.check_balances(clock=timezone.now)


@shared_task
def forget_notifications() -> None:
    handle_notifications.forget_notifications(now=timezone.now())


@shared_task
def send_decisions() -> None:
    """Pay and reject, then send announcements and messages, which need decided assignments."""
    sweep(lambda: send_payments.release_held_payments(now=timezone.now()))
    _sweep(send_payments.send_due_payments, send_payments.send_due_rejections)
    _sweep(announce_bonuses.send_due_announcements, write_messages.send_due_messages)


@shared_task
def send_mail() -> None:
    _sweep(write_mail.send_due_mail)
