"""Compensate workers for lost or expired work.

A HIT may have expired while a worker was working, or a submission may have been lost. The worker
gets a HIT of their own, whose reward is the amount and which only has to be submitted.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from annotation.domain.publishing.publish import public_id_of
from annotation.domain.work.worker_page import REFERENCE, InvalidPageError
from annotation.models import Compensation
from crowd.domain.hits.prepare_hits import HitPlan, hit_type_of, prepare_hits
from crowd.domain.money.decide_assignment import approve_assignment
from crowd.domain.money.hit_reservations import HitTerms, place_cents
from crowd.domain.money.pay_in_session import pay_in_session
from crowd.domain.provider.providers import capabilities_of
from crowd.domain.provider.site_key import site_key
from crowd.domain.sessions.arrivals import Arrival
from crowd.domain.sessions.refuse_sessions import lock_session_to_decide
from crowd.domain.workers.languages import language_of
from crowd.domain.workers.qualifications import (
    define_qualification,
    grant_qualification,
    requirement_for,
)
from crowd.enums import AssignmentState, SessionState
from crowd.models import Assignment, HitType, Payment, StudySession, Worker
from jobs.domain.sweep import for_each_row
from projects.models import Project

PAGE = "annotation:compensation"
UNSUBMITTED = gettext_noop("Your session was approved without a submitted task.")
LIFETIME_SECONDS = 60 * 86400
MAX_CENTS = 100_000
PAID_WITHOUT_TASKS = gettext_noop("Your session is paid although no task was submitted.")


@transaction.atomic
def publish_compensation(
    *,
    project: Project,
    worker: Worker,
    amount_cents: int,
    reason: str,
    key: str,
    session: StudySession | None = None,
    actor: str,
    now: datetime,
) -> Compensation:
    """Publish a HIT that pays the worker the amount.

    `key` identifies what is compensated, such as the lost assignment. A repeat with the same key
    publishes nothing. At a provider with sessions, the amount is paid in `session`, or as a bonus of the
    worker's last one.
    Raise BudgetExceededError, ValueError.
    """
    if not 1 <= amount_cents <= MAX_CENTS or not reason.strip():
        raise ValueError(f"Enter a reason for the worker and an amount of 1 to {MAX_CENTS} cents.")
    earlier = Compensation.objects.filter(project=project, worker=worker, key=key).first()
    if earlier:
        return earlier
    token = _token(project, worker, key)
    public_id = public_id_of(token, key=site_key())
    with translation.override(language_of(worker)):
        title, description = gettext("Payment for your work"), _description(reason)
    hit_type = hit_type_of(
        provider=project.provider,
        title=title,
        description=description,
        keywords="compensation",
        reward_cents=amount_cents,
        assignment_seconds=3600,
        auto_approval_seconds=86400,
        qualifications=[_for_this_worker(worker, now)],
    )
    (hit,) = prepare_hits(
        plans=[HitPlan(token, settings.SITE_URL + reverse(PAGE, args=[public_id]))],
        hit_type=hit_type,
        budget=project.budget,
        terms=HitTerms(1, LIFETIME_SECONDS, 0),
        now=now,
        is_dealt=False,
    )
    if capabilities_of(project.provider).has_sessions:
        pay_in_session(hit=hit, worker=worker, session=session, actor=actor, now=now)
    return Compensation.objects.create(
        project=project,
        worker=worker,
        hit=hit,
        public_id=public_id,
        reason=reason,
        key=key,
        offered_by=actor,
        offered_at=now,
    )


def pay_session(*, session: StudySession, reason: str, actor: str, now: datetime) -> Compensation:
    """Pay the reward of a session in which no task was submitted. A repeat pays nothing.

    Raise BudgetExceededError, ValueError.
    """
    return publish_compensation(
        project=Project.objects.get(budget=session.study.budget_id),
        worker=session.worker,
        amount_cents=session.study.reward_cents,
        reason=reason,
        key=f"session-{session.pk}",
        session=session,
        actor=actor,
        now=now,
    )


@transaction.atomic
def pay_empty_session(*, session: StudySession, actor: str, now: datetime) -> Compensation:
    """Pay the reward of a session without any task, as a person has decided.

    Raise SessionDecisionError, BudgetExceededError.
    """
    lock_session_to_decide(session=session, now=now)
    return pay_session(session=session, reason=PAID_WITHOUT_TASKS, actor=actor, now=now)


def book_approved_sessions(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Book the rewards of sessions that the provider has approved by itself, without accepted work."""
    work = Assignment.objects.filter(session=OuterRef("pk"))
    undecided = work.filter(Q(state=AssignmentState.SUBMITTED) | Q(recorded_at=None))
    paid = Payment.objects.filter(assignment__session=OuterRef("pk"))
    approved = StudySession.objects.filter(~Exists(undecided), ~Exists(paid))
    return for_each_row(
        sweep="book approved sessions",
        rows=approved.filter(state=SessionState.APPROVED).select_related("study", "worker"),
        process=_book,
        clock=clock,
        limit=limit,
    )


def _book(session: StudySession, now: datetime) -> bool:
    pay_session(
        session=session,
        reason=UNSUBMITTED,
        actor="provider",
        now=now,
    )
    return True


def compensation_cents(amount_cents: int, *, provider: str) -> int:
    """Return the cost of a compensation, including the provider's fee."""
    hit_type = HitType(provider=provider, reward_cents=amount_cents)
    return sum(place_cents(hit_type, HitTerms(1, LIFETIME_SECONDS, 0)))


def _for_this_worker(worker: Worker, now: datetime) -> dict[str, object]:
    """Return a requirement for a qualification that only this worker holds."""
    kind = define_qualification(
        provider=worker.provider,
        code=f"compensation-{worker.pseudonym}",
        name=f"Compensation {worker.pseudonym}",
        description="Held by a worker who is owed payment for work that couldn't be paid.",
    )
    grant_qualification(qualification=kind, worker=worker, value=1, now=now)
    return requirement_for(qualification=kind)


def _description(reason: str) -> str:
    text = gettext(
        "This task is reserved for you. Accept and submit it to be paid. Reason: %(reason)s"
    )
    return (text % {"reason": reason})[:2000]


def _token(project: Project, worker: Worker, key: str) -> str:
    text = f"{settings.SITE_URL}\n{project.slug}\n{worker.external_id}\n{key}"
    return "tc-" + hashlib.sha256(text.encode()).hexdigest()[:48]


def compensation_form(*, arrival: Arrival) -> dict[str, str]:
    """Return the action and assignment of the page's form, or nothing for a preview.

    Raise InvalidPageError.
    """
    if not arrival.assignment:
        return {}
    if not REFERENCE.match(arrival.assignment):
        raise InvalidPageError(
            gettext("This link has no assignment. Open the task from the marketplace again.")
        )
    return {"action": arrival.submit_to, "assignment": arrival.assignment}


def pay_compensations(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Approve compensations submitted by the intended worker. Return the number approved.

    A submission by a different worker is left for review.
    """
    unrecorded = Assignment.objects.unrecorded().filter(hit__compensation__isnull=False)
    return for_each_row(
        sweep="pay compensations",
        rows=unrecorded.select_related("hit__compensation").order_by("pk"),
        process=_pay,
        clock=clock,
        limit=limit,
    )


@transaction.atomic
def _pay(assignment: Assignment, now: datetime) -> bool:
    row = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if row.recorded_at:
        return False
    row.recorded_at = now
    if row.worker_id != assignment.hit.compensation.worker_id:
        row.error = gettext("This compensation is for another worker.")
    row.save(update_fields=["recorded_at", "error"])
    if row.error:
        return False
    approve_assignment(assignment=row, bonus=None, actor="compensation", now=now)
    return True
