from django.db.models import QuerySet

from jobs.enums import JobState
from jobs.models import Job


def jobs_of(*, scope: str, kind: str = "", state: JobState | None = None) -> QuerySet[Job]:
    """Return the scope's jobs, newest first."""
    jobs = Job.objects.filter(scope=scope).order_by("-pk")
    if kind:
        jobs = jobs.filter(kind=kind)
    if state:
        jobs = jobs.filter(state=state)
    return jobs
