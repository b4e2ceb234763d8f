"""Events of projects that members are notified of, derived from rows.

Every sweep yields the events of the last days again. `projects.domain.notify` creates each once.
Events that happen in large numbers, such as submissions, have a key per project and day.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from annotation.domain.publishing.queries import WAITS
from annotation.domain.publishing.republish import short_of
from annotation.enums import AppealState, HeldBonusState
from annotation.models import Batch, BonusAppeal, HeldBonus, Submission, Task
from consolidation.enums import QueueState, ReviewState
from consolidation.models import ExpertQueue, Review
from crowd.enums import HitState, PaymentState, RequestState
from crowd.models import (
    Assignment,
    Payment,
    QualificationRequest,
    ReceivedMessage,
    Study,
    StudySession,
)
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.notify import Event
from projects.domain.webhook_events import record_event
from projects.enums import NotificationKind, Role, WebhookEvent
from projects.models import Notification, Project, Webhook
from qualification.domain.rounds.answer_requests import requests_of
from qualification.enums import EnrolmentState
from qualification.models import Alert, Evaluation, Feedback, PoolFeedback
from web.money import dollars

# How long after an event members are still notified, for example after an outage of the workers.
LOOK_BACK = timedelta(days=3)
# The time in which the sweeps settle what needs no person.
SETTLING_TIME = timedelta(minutes=10)
# Comments are looked up in the newest submissions only, because the table has no index for them.
NEWEST = 5_000
NEAR_PERCENT = 90
# The names of jobs and the pages of their results.
_JOBS = {
    "import": ("corpus import", "annotation:corpus"),
    "gold-import": ("import of gold", "consolidation:gold_import"),
    "publication": ("publication", "consolidation:batches"),
    "resource-import": ("import of a resource", "consolidation:resources"),
    "queue-setup": ("set-up of an expert queue", "consolidation:experts"),
    "model-run": ("run of a model", "model_annotators:models"),
    "round-setup": ("set-up of rounds", "qualification:rounds"),
    "export": ("export", "datasets:exports"),
    "system-evaluation": ("evaluation of systems", "datasets:systems"),
    "certainty": ("estimate of certainty", "datasets:certainty"),
    "release": ("release", "releases:releases"),
    "release-import": ("import of a release", "dashboard:jobs"),
    "rehearsal": ("rehearsal", "rehearsal:dry_run"),
}


def recent_events(*, now: datetime) -> Iterator[Event]:
    """Yield the recent events of all projects, except archived ones and rehearsals' copies."""
    projects = Project.objects.filter(archived_at=None, deleted_at=None, rehearsal=None)
    slugs = dict(projects.values_list("pk", "slug"))
    if not slugs:
        return
    since = now - LOOK_BACK
    yield from _submissions(slugs, since)
    yield from _bonuses(slugs, since)
    yield from _comments(slugs, since)
    yield from _batches(slugs, since, now)
    yield from _budgets(projects.exclude(budget__cap_cents=None))
    yield from _payments(slugs, since, now)
    yield from _studies(slugs, since)
    yield from _sessions(slugs, since)
    yield from _requests(projects, since)
    yield from _messages(slugs, since)
    yield from _training(slugs, since)
    yield from _experts(slugs, since)
    yield from _jobs({slug: pk for pk, slug in slugs.items()}, since)


def _daily(
    kind: NotificationKind,
    page: str,
    slugs: dict[int, str],
    rows: Iterable[tuple[int, datetime | None]],
) -> Iterator[Event]:
    """Yield an event for each project and day of the rows."""
    for project, day in {(project, at.date()) for project, at in rows if at}:
        if project in slugs:
            path = reverse(page, args=[slugs[project]])
            yield Event(kind, f"{kind}:{project}:{day}", project, path)


def _submissions(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    waiting = Submission.objects.filter(WAITS, submitted_at__gte=since).order_by()
    rows = waiting.values_list("item__project", "submitted_at")
    yield from _daily(NotificationKind.SUBMISSIONS, "consolidation:submissions", slugs, rows)


def _bonuses(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    held = HeldBonus.objects.filter(state=HeldBonusState.HELD, held_at__gte=since)
    appeals = BonusAppeal.objects.filter(state=AppealState.OPEN, created_at__gte=since)
    rows = [
        *held.values_list("project", "held_at"),
        *appeals.values_list("held__project", "created_at"),
    ]
    yield from _daily(NotificationKind.BONUSES, "annotation:held_bonuses", slugs, rows)


def _comments(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    newest = Submission.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    rows = Submission.objects.filter(
        pk__gt=newest - NEWEST, submitted_at__gte=since, worker__isnull=False
    ).exclude(comment="")
    columns = ("pk", "item", "item__key", "item__project", "worker__pseudonym")
    for pk, item, key, project, worker in rows.values_list(*columns):
        if project in slugs:
            path = reverse("consolidation:item", args=[slugs[project], item])
            details = {"worker": worker, "item": key}
            yield Event(NotificationKind.COMMENT, f"comment:{pk}", project, path, details)


def _studies(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    """Yield what happened to studies at their provider."""
    noticed = Study.objects.filter(noticed_at__gte=since, budget__project__in=slugs)
    columns = ("pk", "hit_type__title", "notice", "noticed_at", "budget__project")
    for pk, title, notice, at, project in noticed.values_list(*columns):
        path = reverse("consolidation:studies", args=[slugs[project]])
        details = {"study": title, "notice": notice}
        yield Event(NotificationKind.STUDY, f"study:{pk}:{at.isoformat()}", project, path, details)


def _batches(slugs: dict[int, str], since: datetime, now: datetime) -> Iterator[Event]:
    """Yield the end of batches of generators. Other roles get new HITs as their work arises."""
    kinds = {NotificationKind.BATCH_FINISHED, NotificationKind.BATCH_SHORT}
    done = Notification.objects.filter(kind__in=kinds, created_at__gte=since - LOOK_BACK)
    known = set(done.values_list("key", flat=True))
    for batch in _ended_batches(since, now).filter(project__in=slugs):
        is_short = _is_short(batch, now)
        kind = NotificationKind.BATCH_SHORT if is_short else NotificationKind.BATCH_FINISHED
        key = f"{kind}:{batch.pk}"
        if key not in known:
            path = reverse("consolidation:batch", args=[slugs[batch.project_id], batch.pk])
            yield Event(kind, key, batch.project_id, path, {"batch": batch.title})


def _ended_batches(since: datetime, now: datetime) -> QuerySet[Batch]:
    """Return batches without open work whose last work, at `worked_at`, is settled."""
    open_tasks = Task.objects.filter(
        batch=OuterRef("pk"), hit__state__in=[HitState.PENDING, HitState.LIVE]
    )
    work = Assignment.objects.filter(hit__task__batch=OuterRef("pk"))
    newest = (
        work.filter(submitted_at__isnull=False).order_by("-submitted_at").values("submitted_at")
    )
    return Batch.objects.filter(
        ~Exists(open_tasks),
        Exists(work.filter(submitted_at__gte=since)),
        ~Exists(work.filter(Q(recorded_at=None) | Q(submitted_at__gt=now - SETTLING_TIME))),
        role=Role.GENERATOR,
    ).annotate(worked_at=Subquery(newest[:1]))


def _is_short(batch: Batch, now: datetime) -> bool:
    return not batch.for_training and short_of(batch, now=now).exists()


def record_ended_batches(*, now: datetime) -> None:
    """Store the ends of batches for webhooks, each once."""
    watched = Webhook.objects.filter(is_active=True, project__archived_at=None)
    projects = {row.project_id for row in watched if WebhookEvent.BATCH_FINISHED in row.events}
    if not projects:
        return
    for batch in _ended_batches(now - LOOK_BACK, now).filter(project__in=projects):
        record_event(
            project_id=batch.project_id,
            event=WebhookEvent.BATCH_FINISHED,
            data={"id": batch.pk, "is_short": _is_short(batch, now)},
            now=batch.worked_at + SETTLING_TIME,  # type: ignore[attr-defined]  # annotated
            event_id=f"evt_batch_{batch.pk}",
        )


def _budgets(projects: QuerySet[Project]) -> Iterator[Event]:
    """Yield budgets near their limit. The key contains the limit, which can be raised."""
    held = Payment.objects.filter(
        state=PaymentState.HELD, assignment__hit__budget=OuterRef("budget")
    )
    used = F("budget__spent_cents") + F("budget__reserved_cents")
    near = projects.annotate(used=used, is_on_hold=Exists(held)).filter(
        Q(is_on_hold=True) | Q(used__gte=F("budget__cap_cents") * NEAR_PERCENT / 100)
    )
    for project in near.filter(budget__cap_cents__gt=0).select_related("budget"):
        limit: int = project.budget.cap_cents or 0
        is_reached = project.is_on_hold
        kind = NotificationKind.BUDGET_REACHED if is_reached else NotificationKind.BUDGET_NEAR
        details = {"limit": dollars(limit)} | ({} if is_reached else {"percent": NEAR_PERCENT})
        path = reverse("datasets:costs", args=[project.slug])
        yield Event(kind, f"{kind}:{project.pk}:{limit}", project.pk, path, details)


def _payments(slugs: dict[int, str], since: datetime, now: datetime) -> Iterator[Event]:
    unknown = Payment.objects.filter(
        state=PaymentState.SENT, attempted_at__gte=since, attempted_at__lte=now - SETTLING_TIME
    )
    rows = unknown.values_list("assignment__hit__budget__project", "attempted_at")
    yield from _daily(NotificationKind.PAYMENTS, "dashboard:jobs", slugs, rows)


def _sessions(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    rows = StudySession.objects.filter(issue_at__gte=since, worker__is_simulated=False)
    unusual = rows.values_list("study__budget__project", "issue_at")
    yield from _daily(NotificationKind.SESSIONS, "consolidation:studies", slugs, unusual)


def _requests(projects: QuerySet[Project], since: datetime) -> Iterator[Event]:
    wanted = {"state": RequestState.OPEN, "requested_at__gte": since}
    if not QualificationRequest.objects.filter(**wanted).exists():
        return
    for project in projects:
        path = reverse("qualification:requests", args=[project.slug])
        for row in requests_of(project=project).filter(**wanted):
            details = {
                "worker": row.worker.pseudonym,
                "qualification": row.qualification_type.name,
            }
            yield Event(NotificationKind.REQUEST, f"request:{row.pk}", project.pk, path, details)


def _messages(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    """Yield workers' messages from the marketplace. Replies to feedback are events of their own."""
    rows = ReceivedMessage.objects.filter(sent_at__gte=since).exclude(external_id=None)
    columns = ("pk", "subject", "worker__pseudonym", "budget__project")
    for pk, subject, worker, project in rows.values_list(*columns):
        if project in slugs:
            path = reverse("qualification:thread", args=[slugs[project], worker])
            details = {"worker": worker, "subject": subject}
            yield Event(NotificationKind.MESSAGE, f"message:{pk}", project, path, details)


def _training(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    yield from _trainees(slugs, since)
    replies: list[tuple[QuerySet[Any], str]] = [
        (Feedback.objects.select_related("evaluation__enrolment__round__project"), "trainee"),
        (PoolFeedback.objects.select_related("project", "worker"), "pool_worker"),
    ]
    for rows, page in replies:
        for feedback in rows.filter(replied_at__gte=since):
            yield from _reply(feedback, page, slugs)
    alerts = Alert.objects.filter(raised_at__gte=since, acknowledged_at=None, project__in=slugs)
    for alert in alerts.select_related("worker"):
        worker = alert.worker.pseudonym
        yield Event(
            NotificationKind.ALERT,
            f"alert:{alert.pk}",
            alert.project_id,
            reverse("qualification:pool_worker", args=[slugs[alert.project_id], worker]),
            {"worker": worker, "alert": alert.get_kind_display()},
        )


def _trainees(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    finished = Evaluation.objects.filter(
        computed_at__gte=since, so_far=False, enrolment__state=EnrolmentState.FINISHED
    )
    rows = finished.values_list(
        "enrolment__round", "enrolment__round__title", "enrolment__round__project", "computed_at"
    )
    for round_id, title, project, at in rows:
        if project in slugs:
            yield Event(
                NotificationKind.TRAINEES,
                f"trainees:{round_id}:{at.date()}",
                project,
                reverse("qualification:round", args=[slugs[project], round_id]),
                {"round": title},
            )


def _reply(feedback: Any, page: str, slugs: dict[int, str]) -> Iterator[Event]:
    project, worker = feedback.project, feedback.worker.pseudonym
    if project.pk not in slugs:
        return
    arguments = [project.slug, worker]
    if page == "trainee":
        arguments.insert(1, feedback.evaluation.enrolment.round_id)
    yield Event(
        NotificationKind.REPLY,
        f"reply:{page}:{feedback.pk}:{feedback.replied_at.isoformat(timespec='seconds')}",
        project.pk,
        reverse(f"qualification:{page}", args=arguments),
        {"worker": worker, "title": feedback.title},
    )


def _experts(slugs: dict[int, str], since: datetime) -> Iterator[Event]:
    drawn = Review.objects.filter(state=ReviewState.DRAWN, drawn_at__gte=since)
    rows = drawn.values_list("gold__item__project", "drawn_at")
    yield from _daily(NotificationKind.REVIEWS, "consolidation:reviews", slugs, rows)
    queues = ExpertQueue.objects.filter(
        state=QueueState.OPEN, created_at__gte=since, project__in=slugs
    )
    for queue in queues:
        path = reverse("consolidation:expert_queue", args=[slugs[queue.project_id], queue.pk])
        details = {"queue": queue.title}
        yield Event(NotificationKind.QUEUE, f"queue:{queue.pk}", queue.project_id, path, details)


def _jobs(projects: dict[str, int], since: datetime) -> Iterator[Event]:
    """Yield the ends of jobs that take long enough for their users to leave the page."""
    ended = Job.objects.filter(
        kind__in=_JOBS,
        state__in=[JobState.FINISHED, JobState.FAILED],
        ended_at__gte=since,
        scope__in=projects,
    )
    for job in ended:
        is_finished = job.state == JobState.FINISHED
        kind = NotificationKind.JOB_FINISHED if is_finished else NotificationKind.JOB_FAILED
        name, page = _JOBS[job.kind]
        yield Event(
            kind,
            f"job:{job.pk}",
            projects[job.scope],
            reverse(page, args=[job.scope]),
            {"job": name},
            username=job.requested_by,
        )
