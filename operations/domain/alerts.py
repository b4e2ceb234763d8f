"""Alerts: problems that an operator must solve, on pages and by email."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import send_mail
from django.db import OperationalError, transaction
from django.urls import reverse
from redis.exceptions import RedisError

from crowd.enums import PaymentState
from crowd.models import Payment
from database.limits import exceeded_limit
from jobs.enums import JobState
from jobs.models import Job, SweepFailure
from operations.domain.disks import GIB, database_bytes, database_is_large, disks
from operations.domain.figures import queue_ages
from operations.domain.heartbeat import (
    late_queues,
    main_heartbeat,
    may_be_starting,
    stopped_queues,
    workers_may_be_starting,
)
from operations.domain.locks import blockers
from operations.domain.scheduled_backups import overdue
from operations.domain.stored_files import broken_storages
from operations.enums import AlertKind
from operations.models import Alert
from web.markdown import heading_id

log = logging.getLogger("touchstone.alerts")

# A problem that is younger than this usually solves itself.
MIN_PROBLEM_AGE = timedelta(minutes=10)
# Checks are a minute apart. After several missed ones, an earlier problem proves nothing.
NEXT_CHECK, MISSED_CHECKS = timedelta(seconds=45), timedelta(minutes=3)
RUNBOOK = "how-to/runbook.md"
_QUEUES = {
    "hits": "HITs are waiting to be published",
    "assignments": "Submissions are waiting to be recorded",
    "rejections": "Rejections are waiting to be sent",
    "payments": "Payments are waiting to be sent or confirmed",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of one kind, of one subject if several may have it, such as queues.

    One with `since` has lasted already, so that its alert opens at once.
    """

    kind: AlertKind
    text: str
    subject: str = ""
    since: datetime | None = None

    @property
    def key(self) -> str:
        """Identify the problem while its text changes, with at most 60 characters."""
        return f"{self.kind} {self.subject}".rstrip()


def current_problems(*, now: datetime) -> Iterator[Problem]:
    """Yield the problems. A check that the database refuses is a problem too."""
    for check in _CHECKS:
        try:
            yield from list(check(now))
        except OperationalError as error:
            log.warning("a check for problems failed: %s", error)
            limit = exceeded_limit(error)
            text = f"exceeded its {limit} limit" if limit else "failed"
            yield Problem(
                AlertKind.DATABASE, f"A check for problems {text} in the database. See the log."
            )


def stopped_workers(now: datetime) -> Iterator[Problem]:
    """Yield the queues that no worker serves. Pages show them without the help of a worker."""
    if workers_may_be_starting():
        return
    for queue in stopped_queues(now=now):
        yield Problem(AlertKind.WORKER, str(queue), subject=queue.name, since=queue.last_at)


def _late_queues(now: datetime) -> Iterator[Problem]:
    try:
        late = list(late_queues(now=now))
    except RedisError as error:
        yield Problem(AlertKind.REDIS, f"Redis is out of reach: {type(error).__name__}.")
        return
    for state in late:
        minutes = int((now - (state.oldest_at or now)).total_seconds() // 60)
        text = (
            f"The queue {state.name} has {state.length} messages, the oldest {minutes} minutes old."
        )
        yield Problem(AlertKind.MESSAGES, text, subject=state.name)


def _locks(now: datetime) -> Iterator[Problem]:
    for blocker in blockers()[:1]:
        yield Problem(AlertKind.LOCKS, str(blocker)[:300])


def _failing_rows(now: datetime) -> Iterator[Problem]:
    failing = SweepFailure.objects.filter(
        set_aside_at=None, first_failed_at__lte=now - MIN_PROBLEM_AGE
    ).count()
    if failing:
        yield Problem(AlertKind.FAILING_ROWS, f"Rows that can't be processed: {failing}.")


def _old_queues(now: datetime) -> Iterator[Problem]:
    ages = {key: timedelta(seconds=age) for key, age in queue_ages(now=now).items()}
    for key, age in ages.items():
        if age > MIN_PROBLEM_AGE:
            minutes = int(age.total_seconds() // 60)
            text = f"{_QUEUES[key]}, the oldest for {minutes} minutes."
            yield Problem(AlertKind.QUEUE, text, subject=key)
    late = Job.objects.filter(
        state=JobState.QUEUED, requested_at__lte=now - MIN_PROBLEM_AGE
    ).count()
    if late:
        yield Problem(
            AlertKind.JOBS, f"Imports, exports and rehearsals that haven't started: {late}."
        )


def _refused_payments(now: datetime) -> Iterator[Problem]:
    refused = Payment.objects.filter(state=PaymentState.FAILED).count()
    if refused:
        text = f"Payments that the marketplace rejected: {refused}."
        yield Problem(AlertKind.REFUSED_PAYMENTS, text)


def _disk(now: datetime) -> Iterator[Problem]:
    if low := low_disks():
        yield Problem(AlertKind.DISK, " ".join(low))


def low_disks() -> list[str]:
    """Return a sentence for each disk without enough room."""
    low = [
        f"Low disk space for the {disk.name}: {disk.free / GIB:.1f} GiB."
        for disk in disks()
        if disk.is_low
    ]
    if database_is_large():
        size = f"{database_bytes() / GIB:.1f} of {settings.DATABASE_DISK_GB:g} GiB"
        low.append(f"The database fills {size}.")
    return low


def _files(now: datetime) -> Iterator[Problem]:
    if broken := broken_storages():
        problems = ", ".join(f"{alias} ({problem})" for alias, problem in broken.items())
        yield Problem(AlertKind.FILES, f"Files can't be stored: {problems}."[:300])


def _marketplace(now: datetime) -> Iterator[Problem]:
    beat = main_heartbeat()
    if beat and beat.marketplace_problem and not may_be_starting(beat, now=now):
        yield Problem(AlertKind.MARKETPLACE, f"The marketplace: {beat.marketplace_problem}"[:300])


def _backups(now: datetime) -> Iterator[Problem]:
    for kind, sentence in overdue(now=now).items():
        yield Problem(AlertKind.BACKUP, sentence[:300], subject=kind)


_CHECKS: tuple[Callable[[datetime], Iterator[Problem]], ...] = (
    stopped_workers,
    _late_queues,
    _locks,
    _failing_rows,
    _old_queues,
    _refused_payments,
    _disk,
    _files,
    _marketplace,
    _backups,
)


def update_alerts(*, now: datetime) -> list[Alert]:
    """Record new problems, open the alerts of those that last, and close those of solved ones.

    Return the alerts of all problems. One that only one check finds, as during a restart, opens none.
    """
    # Outside the transaction, because each check may fail.
    problems = {problem.key: problem for problem in current_problems(now=now)}
    return _store(problems, now)


@transaction.atomic
def _store(problems: dict[str, Problem], now: datetime) -> list[Alert]:
    for alert in Alert.objects.exclude(key__in=problems):
        if alert.opened_at:
            log.info("alert closed: %s", alert.key)
        alert.delete()
    alerts = []
    for problem in problems.values():
        alert, _ = Alert.objects.update_or_create(
            key=problem.key,
            defaults={"text": problem.text},
            create_defaults={
                "text": problem.text,
                "since": problem.since or now,
                "found_at": now,
            },
        )
        _open_if_it_lasts(alert, problem, now)
        alerts.append(alert)
    return alerts


def _open_if_it_lasts(alert: Alert, problem: Problem, now: datetime) -> None:
    if alert.opened_at:
        return
    age = now - alert.found_at
    if problem.since or NEXT_CHECK <= age <= MISSED_CHECKS:
        alert.opened_at = now
        log.warning("alert opened: %s: %s", alert.key, alert.text)
    elif age > MISSED_CHECKS:
        alert.found_at = now
    alert.save()


def mail_alerts(*, now: datetime) -> int:
    """Send the open alerts that were not sent yet to all superusers. Return their number.

    Alerts that cannot be sent stay due.
    """
    new = list(Alert.objects.filter(mailed_at=None).exclude(opened_at=None))
    recipients = _recipients()
    if not new or not recipients or not settings.MAIL_IS_ON:
        return 0
    lines = [line for alert in new for line in _mail_lines(alert)]
    text = "\n".join([f"{settings.SITE_URL} needs attention:", "", *lines, "", _advice()])
    try:
        send_mail(f"Touchstone: {new[0].text}", text, None, recipients)
    except (OSError, SMTPException) as error:
        log.warning("alerts cannot be sent: %s", error)
        return 0
    return Alert.objects.filter(pk__in=[alert.pk for alert in new]).update(mailed_at=now)


def _mail_lines(alert: Alert) -> list[str]:
    remedy = remedy_url(alert.kind) if alert.kind else ""
    return [f"- {alert.text}", *([f"  What to do: {settings.SITE_URL}{remedy}"] if remedy else [])]


def remedy_url(kind: AlertKind) -> str:
    """Return the address of the runbook's section about alerts of this kind, on the help pages."""
    return f"{reverse('dashboard:help_page', args=[RUNBOOK])}#{heading_id(kind.label)}"


def _recipients() -> list[str]:
    users = get_user_model().objects.filter(is_superuser=True, is_active=True).exclude(email="")
    return sorted(users.values_list("email", flat=True))


def _advice() -> str:
    return f"To see all alerts, sign in as an administrator: {settings.SITE_URL}/"
