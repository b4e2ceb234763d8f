"""Refuse sessions that were submitted without usable work: first ask, then reject."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from crowd.domain.providers import study_provider_of
from crowd.domain.settle_sessions import UNDECIDED
from crowd.enums import AssignmentState, SessionState
from crowd.models import Assignment, StudySession
from crowd.providers.base import OutcomeUnknownError, ProviderRefusedError
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

# The time that a worker has to return a session before it is rejected.
TIME_TO_RETURN = timedelta(days=7)
NO_WORK = (
    "No task was submitted in this session, so that we cannot approve it. Please return your place. "
    "This does not affect your record. Write to us if you think that this is a mistake."
)
ALL_REJECTED = (
    "None of the work in this session could be accepted: {reasons} Please return your place, which does "
    "not affect your record, or write to us if you think that this is a mistake."
)
MOST_LETTERS = 1000


def empty_sessions() -> QuerySet[StudySession]:
    """Return submitted sessions that have no work that is accepted or undecided."""
    work = Assignment.objects.filter(session=OuterRef("pk"))
    usable = work.filter(state__in=[AssignmentState.APPROVED, *UNDECIDED])
    return StudySession.objects.filter(~Exists(usable), state=SessionState.SUBMITTED)


def refuse_empty_sessions(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Ask workers to return sessions without usable work. Reject those kept for a week."""
    now = clock()
    asked_before = now - TIME_TO_RETURN
    new = empty_sessions().filter(return_requested_at=None)
    kept = empty_sessions().filter(return_requested_at__lte=asked_before)
    return for_each_row(
        sweep="refuse empty sessions",
        rows=(new | kept).select_related("study"),
        process=_refuse,
        clock=lambda: now,
        limit=limit,
        leased=True,
    )


def _refuse(session: StudySession, now: datetime) -> bool:
    provider = study_provider_of(session.study.provider)
    reason = reason_for(session)
    changes: dict[str, object] = {"leased_until": None, "error": ""}
    try:
        if session.return_requested_at is None:
            provider.request_return(session.external_id, reason=reason)
            changes["return_requested_at"] = now
        else:
            provider.reject_session(session.external_id, reason=reason)
            changes |= {"state": SessionState.REJECTED, "sync_due_at": None}
    except (OutcomeUnknownError, ProviderRefusedError) as error:
        changes = {"leased_until": None, "error": str(error)}
    StudySession.objects.filter(pk=session.pk).update(**changes)
    return not changes["error"]


def reason_for(session: StudySession) -> str:
    """Return why the session is not approved, for the worker."""
    reasons = sorted(set(session.assignments.values_list("decision_reason", flat=True)) - {""})
    if not reasons:
        return NO_WORK
    return ALL_REJECTED.format(reasons=" ".join(reasons))[:MOST_LETTERS]
