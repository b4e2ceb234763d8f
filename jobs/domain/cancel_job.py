import logging
from datetime import datetime, timedelta

from audit.domain.change_state import TransitionNotAllowedError, change_state
from jobs.domain.kinds import TRANSITIONS, kind_of
from jobs.enums import JobState
from jobs.models import Job

log = logging.getLogger("touchstone.sweep")

UPLOAD_MAX_AGE = timedelta(days=1)


def cancel_job(*, job: Job, actor: str, now: datetime, problem: str = "") -> None:
    """Cancel an unfinished job and delete its files. Raise TransitionNotAllowedError."""
    job = change_state(
        instance=job,
        new=JobState.CANCELLED,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        reason=problem,
        problem=problem,
        ended_at=now,
        leased_until=None,
    )
    kind_of(job).clean_up(job)


def cancel_old_uploads(*, now: datetime) -> None:
    """Cancel uploads that were not confirmed within UPLOAD_MAX_AGE."""
    limit = now - UPLOAD_MAX_AGE
    for job in Job.objects.filter(state=JobState.UPLOADED, requested_at__lt=limit):
        problem = "The upload was not confirmed within a day."
        try:
            cancel_job(job=job, actor=job.kind, now=now, problem=problem)
        except TransitionNotAllowedError:
            continue
        except Exception:  # jobs must run even if a storage fails
            log.exception("The files of job %s were not deleted", job.pk)
