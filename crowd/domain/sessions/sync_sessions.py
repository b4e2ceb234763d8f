"""Finish sessions and follow what the provider says about them."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from audit.domain.change_state import log_state_change
from crowd.domain.money.decide_assignment import apply_provider_decision
from crowd.domain.provider.providers import study_provider_of
from crowd.domain.sessions.deal_hit import give_back
from crowd.domain.sessions.notice_study import notice_study, unknown_state
from crowd.domain.sessions.open_session import SessionOverError, deadline_of
from crowd.domain.sessions.session_rules import done_tasks, issue_of
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import AssignmentState, SessionIssue, SessionState, StudyState
from crowd.models import Assignment, Study, StudySession
from crowd.providers.base import ListedSession, OutcomeUnknownError, ProviderRefusedError
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

# The provider's states of a place that was given up.
GIVEN_UP = ("returned", "timed-out", "screened-out")
RUNNING = (SessionState.ACTIVE, SessionState.FINISHED)
# After this time, a worker's redirect to the provider counts as lost.
REDIRECT = timedelta(minutes=5)
RETRY = timedelta(minutes=1)
UNKNOWN = "unknown"
CHECK = timedelta(minutes=10)
# Decisions at the provider, such as the automatic approval, are looked for once a day.
DAILY = timedelta(days=1)
# The sessions of an ended study are listed until the provider has approved the last by itself.
LISTED_FOR = timedelta(days=60)
# After this time, a place that is held without opening this site counts as never opened.
TIME_TO_OPEN = timedelta(minutes=30)


@transaction.atomic
def finish_session(*, session: StudySession, now: datetime) -> str:
    """Record that the worker is done, and return the address that completes the session."""
    row = StudySession.objects.select_for_update().get(pk=session.pk)
    if row.state == SessionState.ACTIVE:
        give_back(session=row, now=now)
        _change(row, SessionState.FINISHED, now, finished_at=now, sync_due_at=now + REDIRECT)
    provider = study_provider_of(session.study.provider)
    return provider.completion_url(session.study.completion_code)


@transaction.atomic
def decline_session(*, session: StudySession, now: datetime) -> str:
    """Record that the worker chose not to take part, and return the address that says so, if any.

    The address is for workers who have not submitted a task. Raise SessionOverError.
    """
    row = (
        StudySession.objects.select_for_update(of=("self",))
        .select_related("study")
        .get(pk=session.pk)
    )
    if row.state != SessionState.ACTIVE:
        raise SessionOverError(session)
    give_back(session=row, now=now)
    StudySession.objects.filter(pk=row.pk).update(declined_at=now)
    if not row.study.decline_code or done_tasks(row):
        return ""
    return study_provider_of(row.study.provider).completion_url(row.study.decline_code)


def schedule_session_sync(*, external_ids: Iterable[str], now: datetime) -> int:
    """Schedule a sync of the sessions by the next sweep. Return how many exist."""
    ids = list(external_ids)
    return StudySession.objects.filter(external_id__in=ids).update(sync_due_at=now)


def sync_due_sessions(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Compare up to `limit` due sessions with the provider. Return how many changed."""
    return for_each_row(
        sweep="sync sessions",
        rows=StudySession.objects.filter(sync_due_at__lte=clock()).select_related("study"),
        process=lambda session, now: sync_session(session=session, now=now),
        clock=clock,
        limit=limit,
        leased=True,
    )


def sync_session(*, session: StudySession, now: datetime) -> bool:
    """Apply the provider's state of the session. Complete it if its redirect was lost."""
    provider = study_provider_of(session.study.provider)
    try:
        listed = provider.session(session.external_id)
        if _redirect_was_lost(session, listed, now):
            code = session.study.completion_code
            provider.complete_session(session.external_id, code=code)
            listed = provider.session(session.external_id)
    except (OutcomeUnknownError, ProviderRefusedError) as error:
        StudySession.objects.filter(pk=session.pk).update(
            error=str(error), sync_due_at=now + RETRY, leased_until=None
        )
        return False
    return _apply(session, listed, now)


def _redirect_was_lost(session: StudySession, listed: ListedSession, now: datetime) -> bool:
    if session.finished_at is None or now - session.finished_at < REDIRECT:
        return False
    return listed.state in ("active", "reserved", "timed-out")


@transaction.atomic
def _apply(session: StudySession, listed: ListedSession, now: datetime) -> bool:
    row = (
        StudySession.objects.select_for_update(of=("self",))
        .select_related("study")
        .get(pk=session.pk)
    )
    if listed.state == UNKNOWN:
        return _leave(row, listed, now)
    new = _state_after(row, listed)
    changes: dict[str, object] = {
        "provider_state": listed.state,
        "completed_at": listed.completed_at or row.completed_at,
        "leased_until": None,
        "error": "",
        "sync_due_at": _next_check(new, now),
    }
    if new == SessionState.APPROVED and row.approved_at is None:
        changes["approved_at"] = now
    if new not in RUNNING:
        give_back(session=row, now=now)
        if row.state in RUNNING and (issue := row.issue or issue_of(row, new)):
            changes |= {"issue": issue, "issue_at": now}
    if new == row.state:
        StudySession.objects.filter(pk=row.pk).update(**changes)
        return False
    _change(row, new, now, **changes)
    return True


def _leave(session: StudySession, listed: ListedSession, now: datetime) -> bool:
    """Leave a session alone whose state is not known. Return False."""
    error = unknown_state("a submission", listed.provider_state)
    notice_study(study=session.study, notice=error, now=now)
    StudySession.objects.filter(pk=session.pk).update(
        provider_state=UNKNOWN, error=error, sync_due_at=now + CHECK, leased_until=None
    )
    return False


def _state_after(session: StudySession, listed: ListedSession) -> SessionState:
    if listed.state in GIVEN_UP:
        return SessionState.RETURNED
    return {
        "submitted": SessionState.SUBMITTED,
        "approved": SessionState.APPROVED,
        "rejected": SessionState.REJECTED,
    }.get(listed.state, SessionState(session.state))


def _next_check(state: str, now: datetime) -> datetime | None:
    return {
        SessionState.ACTIVE: now + CHECK,
        SessionState.FINISHED: now + RETRY,
        SessionState.SUBMITTED: now + DAILY,
    }.get(SessionState(state))


def _change(session: StudySession, new: SessionState, now: datetime, **changes: object) -> None:
    old = session.state
    StudySession.objects.filter(pk=session.pk).update(state=new, **changes)
    # What the session leaves undone needs another place.
    Study.objects.filter(pk=session.study_id).update(sync_due_at=now)
    log_state_change(instance=session, old=old, new=new, actor="automatic", now=now)


def list_due_studies(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Compare the provider's lists of sessions with ours, for up to `limit` studies."""
    now = clock()
    published = Study.objects.exclude(external_id=None).exclude(published_at=None)
    running = ~Q(state=StudyState.ENDED) & Q(listed_at__lte=now - CHECK)
    ended = Q(listed_at__lte=now - DAILY, published_at__gte=now - LISTED_FOR)
    return for_each_row(
        sweep="list sessions",
        rows=published.filter(Q(listed_at=None) | running | ended),
        process=lambda study, now: list_sessions(study=study, now=now),
        clock=clock,
        limit=limit,
        leased=True,
    )


def list_sessions(*, study: Study, now: datetime) -> bool:
    """Schedule a sync of sessions that have changed, and store those that never arrived here."""
    assert study.external_id
    try:
        rows = list(study_provider_of(study.provider).list_sessions(study.external_id))
    except (OutcomeUnknownError, ProviderRefusedError):
        Study.objects.filter(pk=study.pk).update(leased_until=None)
        return False
    known = dict(study.sessions.values_list("external_id", "provider_state"))
    changed = [
        row.external_id for row in rows if known.get(row.external_id, row.state) != row.state
    ]
    schedule_session_sync(external_ids=changed, now=now)
    for row in rows:
        if row.external_id not in known and _is_unopened(row, now):
            _store_unopened(study, row, now)
    Study.objects.filter(pk=study.pk).update(listed_at=now, leased_until=None)
    return True


def _is_unopened(listed: ListedSession, now: datetime) -> bool:
    """Return True if the worker holds the place, or has handed it in, without opening this site."""
    if listed.state == "active":
        return now - listed.started_at >= TIME_TO_OPEN
    return listed.state in ("submitted", "approved")


@transaction.atomic
def _store_unopened(study: Study, listed: ListedSession, now: datetime) -> None:
    worker = register_worker(provider=study.provider, external_id=listed.worker, now=now)
    state = {"submitted": SessionState.SUBMITTED, "approved": SessionState.APPROVED}.get(
        listed.state, SessionState.ACTIVE
    )
    session, created = StudySession.objects.get_or_create(
        external_id=listed.external_id,
        defaults={
            "study": study,
            "worker": worker,
            "state": state,
            "provider_state": listed.state,
            "deadline": deadline_of(study, listed),
            "completed_at": listed.completed_at,
            "approved_at": now if state == SessionState.APPROVED else None,
            "issue": SessionIssue.UNOPENED,
            "issue_at": now,
            "sync_due_at": _next_check(state, now),
        },
    )
    if created:
        log_state_change(instance=session, old="", new=state, actor="provider", now=now)


def approve_overdue(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Approve work in sessions that is undecided after its delay. Return how many assignments.

    A provider with sessions does not know our assignments, so that this site keeps the time.
    """
    now = clock()
    undecided = (
        Assignment.objects.filter(state=AssignmentState.SUBMITTED)
        .exclude(session=None)
        .exclude(recorded_at=None)
    )
    # One condition per delay, because SQLite cannot multiply a number by an interval.
    delays = set(undecided.values_list("hit__hit_type__auto_approval_seconds", flat=True))
    due = Q(pk=None)
    for delay in delays:
        submitted = now - timedelta(seconds=delay)
        due |= Q(hit__hit_type__auto_approval_seconds=delay, submitted_at__lte=submitted)

    def approve(assignment: Assignment, now: datetime) -> bool:
        apply_provider_decision(
            assignment=assignment, provider_state=AssignmentState.APPROVED, now=now
        )
        return True

    return for_each_row(
        sweep="approve overdue work",
        rows=undecided.filter(due).order_by("pk"),
        process=approve,
        clock=clock,
        limit=limit,
    )
