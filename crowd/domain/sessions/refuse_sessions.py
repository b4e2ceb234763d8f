"""Ask workers to return sessions without usable work, and reject those that a person has refused.

Asking comes first, because a returned place costs the worker nothing. Nothing is rejected without a
person's reason: either every task of the session was rejected with one, or a requester has written one
for a session in which no task was submitted.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.money.decide_assignment import check_reason
from crowd.domain.provider.providers import study_provider_of
from crowd.domain.sessions.session_rules import SUBMITTED_EARLY, TIME_TO_RETURN, done_tasks
from crowd.domain.sessions.settle_sessions import UNDECIDED
from crowd.domain.workers.languages import language_of
from crowd.enums import AssignmentState, Provider, RejectionCategory, SessionState
from crowd.models import Assignment, Budget, StudySession
from crowd.providers.base import OutcomeUnknownError, ProviderRefusedError
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row
from web.money import dollars

NO_WORK = gettext_noop(
    "No task was submitted in this session, so that we cannot approve it. Please return your place. "
    "This does not affect your record. Write to us if you think that this is a mistake."
)
DECLINED = gettext_noop(
    "You chose not to take part. Please return your place, so that others can take part. This does not "
    "affect your record."
)
NOT_OPENED = gettext_noop(
    "You hold a place and have not opened the study yet. Open it to begin, or return your place, so that "
    "others can take part. This does not affect your record."
)
FEW_TASKS = gettext_noop(
    "You submitted %(done)s of %(most)s tasks and left before the end of the session. Your work is "
    "saved. Please return your place: we then pay you %(amount)s and any bonus for these tasks at once. "
    "This does not affect your record."
)
ALL_REJECTED = gettext_noop(
    "None of the work in this session could be accepted: %(reasons)s Please return your place, which "
    "does not affect your record, or write to us if you think that this is a mistake."
)
MAX_LETTERS = 1000


class SessionDecisionError(TouchstoneError, ValueError):
    """The session can't be rejected, or does not need a decision any more."""


def empty_sessions() -> QuerySet[StudySession]:
    """Return submitted sessions that have no work that is accepted or undecided."""
    work = Assignment.objects.filter(session=OuterRef("pk"))
    usable = work.filter(state__in=[AssignmentState.APPROVED, *UNDECIDED])
    return StudySession.objects.filter(~Exists(usable), state=SessionState.SUBMITTED)


def sessions_to_decide(*, budget: Budget, now: datetime) -> QuerySet[StudySession]:
    """Return submitted sessions without any task, oldest first. A person decides on them.

    Workers who chose not to take part first have a week to return the place.
    """
    rows = empty_sessions().filter(study__budget=budget, assignments=None, rejection_reason="")
    rows = rows.filter(Q(declined_at=None) | Q(return_requested_at__lte=now - TIME_TO_RETURN))
    return rows.select_related("study__hit_type", "worker").order_by("completed_at", "pk")


def lock_session_to_decide(*, session: StudySession, now: datetime) -> StudySession:
    """Return the locked row of a session on which a person decides. Raise SessionDecisionError."""
    row = StudySession.objects.select_for_update().get(pk=session.pk)
    budget = session.study.budget
    if not sessions_to_decide(budget=budget, now=now).filter(pk=row.pk).exists():
        raise SessionDecisionError("This session doesn't need a decision any more.")
    return row


def request_returns(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Ask workers to return sessions without usable work, that are early or that were never opened."""
    unopened = Q(state=SessionState.ACTIVE, arrived_at=None)
    rows = empty_sessions() | StudySession.objects.filter(SUBMITTED_EARLY | unopened)
    return for_each_row(
        sweep="request returns",
        rows=rows.filter(return_requested_at=None).select_related("study__hit_type", "worker"),
        process=_request_return,
        clock=clock,
        limit=limit,
        leased=True,
    )


def _request_return(session: StudySession, now: datetime) -> bool:
    provider = study_provider_of(session.study.provider)
    changes: dict[str, object] = {"return_requested_at": now, "error": ""}
    with translation.override(language_of(session.worker)):
        reason = request_for(session)
    try:
        provider.request_return(session.external_id, reason=reason)
    except (OutcomeUnknownError, ProviderRefusedError) as error:
        changes = {"error": str(error)}
    StudySession.objects.filter(pk=session.pk).update(leased_until=None, **changes)
    return not changes["error"]


def request_for(session: StudySession) -> str:
    """Return why the worker should return the session, in the current language."""
    if session.state == SessionState.ACTIVE:
        return gettext(NOT_OPENED)
    if session.assignments.exclude(state=AssignmentState.REJECTED).exists():
        done = done_tasks(session)
        return gettext(FEW_TASKS) % {
            "done": done,
            "most": session.study.hits_per_session,
            "amount": dollars(done * session.study.hit_type.reward_cents),
        }
    if session.declined_at:
        return gettext(DECLINED)
    reasons = _reasons(session)
    if not reasons:
        return gettext(NO_WORK)
    return (gettext(ALL_REJECTED) % {"reasons": reasons})[:MAX_LETTERS]


def _reasons(session: StudySession) -> str:
    reasons = set(session.assignments.values_list("decision_reason", flat=True)) - {""}
    return " ".join(sorted(reasons))[:MAX_LETTERS]


def reject_sessions(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Reject sessions that a person has refused and that their workers have kept for a week."""
    rejected_work = Assignment.objects.filter(session=OuterRef("pk"))
    refused = empty_sessions().filter(Exists(rejected_work) | ~Q(rejection_reason=""))
    return for_each_row(
        sweep="reject sessions",
        rows=refused.filter(return_requested_at__lte=clock() - TIME_TO_RETURN).select_related(
            "study"
        ),
        process=_reject,
        clock=clock,
        limit=limit,
        leased=True,
    )


def _reject(session: StudySession, now: datetime) -> bool:
    provider = study_provider_of(session.study.provider)
    reason, category = session.rejection_reason or _reasons(session), _category(session)
    try:
        provider.reject_session(session.external_id, reason=reason, category=category)
    except (OutcomeUnknownError, ProviderRefusedError) as error:
        StudySession.objects.filter(pk=session.pk).update(leased_until=None, error=str(error))
        return False
    with transaction.atomic():
        rows = StudySession.objects.filter(pk=session.pk, state=SessionState.SUBMITTED)
        if rows.update(state=SessionState.REJECTED, sync_due_at=None, leased_until=None, error=""):
            old, new = SessionState.SUBMITTED, SessionState.REJECTED
            log_state_change(
                instance=session, old=old, new=new, actor="automatic", now=now, reason=reason
            )
    return True


def _category(session: StudySession) -> str:
    """Return the category that was chosen for most of the session's tasks."""
    chosen = session.assignments.order_by("pk").values_list("decision_category", flat=True)
    counts = Counter(category for category in chosen if category)
    if counts:
        return counts.most_common(1)[0][0]
    return RejectionCategory.OTHER if session.rejection_reason == "" else RejectionCategory.NO_DATA


@transaction.atomic
def refuse_session(*, session: StudySession, reason: str, actor: str, now: datetime) -> None:
    """Store the rejection of a session without any task. It is sent if the worker keeps the place.

    Raise SessionDecisionError, or ValueError if the reason is too short.
    """
    row = lock_session_to_decide(session=session, now=now)
    check_reason(reason, provider=Provider(session.study.provider))
    StudySession.objects.filter(pk=row.pk).update(rejection_reason=reason)
    log_state_change(
        instance=row,
        old=row.state,
        new=row.state,
        actor=actor,
        now=now,
        reason=f"refused: {reason}",
    )
