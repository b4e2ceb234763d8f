from functools import partial

from celery import shared_task
from django.core.management import call_command
from django.utils import timezone

from accounts.domain.reset_password import send_due_resets
from accounts.domain.sign_up import send_due_links
from jobs.domain.sweep import sweep

LOGINS_DAYS = 30


@shared_task
def send_password_resets() -> None:
    sweep(partial(send_due_resets, clock=timezone.now))


@shared_task
def send_sign_up_links() -> None:
    sweep(partial(send_due_links, clock=timezone.now))


@shared_task
def clear_expired_sessions() -> None:
    call_command("clearsessions")


@shared_task
def forget_old_logins() -> None:
    """Delete django-axes' records of logins, which contain names and addresses."""
    call_command("axes_reset_logs", age=LOGINS_DAYS)
