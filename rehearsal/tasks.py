from celery import shared_task
from django.utils import timezone

from rehearsal.domain.try_out import run_next_rehearsal


@shared_task
def run_waiting_rehearsals() -> None:
    # One: it takes minutes, and the next one has the next sweep.
    run_next_rehearsal(clock=timezone.now)
