"""Record what happens in projects for their webhooks.

An event is stored in the transaction of what happened, so that it is neither lost nor sent for what was
rolled back. `projects.domain.deliver_webhooks` sends it.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import uuid4

from jobs.enums import JobState
from jobs.models import Job
from projects.enums import WebhookEvent
from projects.models import Webhook, WebhookDelivery
from schemes.contract.values import Json

# New gold is collected for this time, and announced together.
COLLECTING = timedelta(seconds=10)
_OF_JOBS = {JobState.FINISHED: WebhookEvent.JOB_FINISHED, JobState.FAILED: WebhookEvent.JOB_FAILED}
# The kinds of jobs that programs can start, with the names of their endpoints.
JOB_ENDPOINTS: Mapping[str, str] = {
    "import": "import",
    "gold-import": "gold_import",
    "export": "export",
    "system-evaluation": "system_evaluation",
    "release": "release_job",
}


def record_event(
    *,
    project_id: int,
    event: WebhookEvent,
    data: Json,
    now: datetime,
    event_id: str = "",
) -> None:
    """Store an event for the project's webhooks that wait for it, in the caller's transaction.

    `now` is the time of the event. An event with an `event_id` that is already stored is ignored.
    """
    webhooks = Webhook.objects.filter(project=project_id, is_active=True, created_at__lte=now)
    shared = {
        "event": event,
        "event_id": event_id or new_event_id(),
        "data": dict(data),
        "created_at": now,
        "due_at": now + COLLECTING if event == WebhookEvent.GOLD_CREATED else now,
    }
    rows = [
        WebhookDelivery(webhook=webhook, **shared)
        for webhook in webhooks
        if event in webhook.events
    ]
    WebhookDelivery.objects.bulk_create(rows, ignore_conflicts=bool(event_id))


def record_gold(*, project_id: int, gold_id: int, now: datetime) -> None:
    data = {"first_id": gold_id, "last_id": gold_id, "count": 1}
    record_event(project_id=project_id, event=WebhookEvent.GOLD_CREATED, data=data, now=now)


def record_job(job: Job, now: datetime) -> None:
    """Store the end of a job that programs can start. settings.ON_JOB_END names this function."""
    if job.kind not in JOB_ENDPOINTS or job.state not in _OF_JOBS:
        return
    project = Webhook.objects.filter(project__slug=job.scope).values_list("project", flat=True)
    if (project_id := project.first()) is None:
        return
    data = {"id": job.pk, "kind": job.kind}
    event = _OF_JOBS[JobState(job.state)]
    record_event(project_id=project_id, event=event, data=data, now=now)


def new_event_id() -> str:
    return f"evt_{uuid4().hex}"
