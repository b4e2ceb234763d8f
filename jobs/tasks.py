import time

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from jobs.domain.cancel_job import cancel_old_uploads
from jobs.domain.run_jobs import run_next_job


@shared_task
def run_jobs() -> None:
    cancel_old_uploads(now=timezone.now())
    # After the deadline, beat starts a new task, with the full time limit for its first job.
    deadline = time.monotonic() + settings.SWEEP_SECONDS
    while run_next_job(clock=timezone.now) and time.monotonic() < deadline:
        pass
