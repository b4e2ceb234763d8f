"""Sweeps: each works off what is due, in small bites, until nothing is left or its time is up."""

from collections.abc import Callable

from celery import shared_task
from django.utils import timezone

from crowd.domain import (
    block_worker,
    create_hits,
    hear_notifications,
    qualifications,
    send_payments,
    steer_hits,
    sync_hits,
    write_mail,
    write_messages,
)
from crowd.domain.sweep import sweep


def _clocked(domain: Callable[..., int]) -> Callable[[], int]:
    return lambda: domain(clock=timezone.now)


@shared_task
def create_pending_hits() -> None:
    sweep(_clocked(qualifications.send_due_grants))
    sweep(_clocked(block_worker.send_due_blocks))
    sweep(_clocked(create_hits.create_pending_hits))
    sweep(_clocked(steer_hits.send_due_increases))
    sweep(_clocked(steer_hits.send_due_ends))


@shared_task
def sync_due_hits() -> None:
    sweep(_clocked(sync_hits.sync_due_hits))
    hear_notifications.forget_notifications(now=timezone.now())


@shared_task
def send_due_payments() -> None:
    sweep(lambda: send_payments.release_held_payments(now=timezone.now()))
    sweep(_clocked(send_payments.send_due_payments))
    sweep(_clocked(send_payments.send_due_rejections))
    # After the decisions: a worker can be written to once one of theirs has been made.
    sweep(_clocked(write_messages.send_due_messages))


@shared_task
def send_due_mail() -> None:
    sweep(_clocked(write_mail.send_due_mail))
