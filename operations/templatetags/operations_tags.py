from collections.abc import Iterable
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone

from crowd.enums import DEFAULT_PROVIDER
from jobs.enums import JobState
from jobs.models import Job
from operations.domain import heartbeat
from operations.domain.alerts import remedy_url
from operations.domain.alerts import stopped_workers as find_stopped_workers
from operations.enums import AlertKind
from operations.models import Alert
from projects.models import Project

register = template.Library()

# Where the rows of an alert are listed, by its kind.
_PAGES = {
    AlertKind.FAILING_ROWS: "admin:jobs_sweepfailure_changelist",
    AlertKind.REFUSED_PAYMENTS: "admin:crowd_payment_changelist",
    AlertKind.JOBS: "admin:jobs_job_changelist",
}


@register.inclusion_tag("operations/alerts.html")
def alerts_for(user: Any) -> dict[str, Any]:
    """Show the open alerts to a superuser, without those of `stopped_workers`."""
    if not user.is_superuser:
        return {"alerts": []}
    alerts = Alert.objects.exclude(opened_at=None).exclude(key__startswith=f"{AlertKind.WORKER} ")
    return {"alerts": [(alert, _page_of(alert), _remedy_of(alert)) for alert in alerts]}


@register.inclusion_tag("operations/stopped_workers.html")
def stopped_workers(user: Any) -> dict[str, Any]:
    """Show a superuser the queues without a worker, which this page finds out itself."""
    if not user.is_superuser:
        return {"problems": []}
    problems = list(find_stopped_workers(timezone.now()))
    return {"problems": problems, "remedy": remedy_url(AlertKind.WORKER)}


@register.inclusion_tag("operations/marketplace_outage.html")
def marketplace_outage(project: Project) -> dict[str, Any]:
    """Say that the project's marketplace is unreachable, since when, and what works meanwhile.

    Only the default provider is checked regularly.
    """
    if project.provider != DEFAULT_PROVIDER:
        return {"outage": None}
    now = timezone.now()
    outage = heartbeat.marketplace_outage(now=now)
    return {
        "outage": outage,
        "is_starting": outage is not None and heartbeat.may_be_starting(outage, now=now),
    }


@register.inclusion_tag("operations/missing_worker.html")
def missing_worker(jobs: Job | Iterable[Job]) -> dict[str, Any]:
    """Say that no worker process is running, if one of the jobs waits for it."""
    jobs = [jobs] if isinstance(jobs, Job) else jobs
    waiting = [job.requested_at for job in jobs if job.state == JobState.QUEUED]
    now = timezone.now()
    return {"is_missing": waiting and heartbeat.is_missing(since=min(waiting), now=now)}


def _page_of(alert: Alert) -> str:
    name = _PAGES.get(alert.kind) if alert.kind else None
    return reverse(name) if name else ""


def _remedy_of(alert: Alert) -> str:
    return remedy_url(alert.kind) if alert.kind else ""
