"""Deal HITs to sessions, and record the work on them as assignments."""

import secrets
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from crowd.domain.sessions.open_session import SessionOverError
from crowd.domain.sessions.publish_studies import open_hits
from crowd.enums import DealState, HitState, Provider, SessionState
from crowd.models import Assignment, Deal, Hit, StudySession

# Work that was submitted on time can arrive a little later.
ACCEPTING = [SessionState.ACTIVE, SessionState.FINISHED]


def open_deal(session: StudySession) -> Deal | None:
    """Return the HIT that the session is working on, or None."""
    deals = session.deals.filter(state=DealState.OPEN)
    return deals.select_related("hit", "session__worker").first()


def dealable_hits(session: StudySession) -> QuerySet[Hit]:
    """Return the HITs of the study that were not dealt to the worker before, in order."""
    dealt = Deal.objects.filter(session__worker=session.worker_id).values("hit")
    done = Assignment.objects.filter(worker=session.worker_id).values("hit")
    free = open_hits(session.study).exclude(pk__in=dealt).exclude(pk__in=done)
    return free.select_related("hit_type").order_by("pk")


def has_room(session: StudySession, now: datetime) -> bool:
    """Return True if the session may get another HIT."""
    is_running = session.state == SessionState.ACTIVE and now < session.deadline
    return is_running and session.deals.count() < session.study.hits_per_session


@transaction.atomic
def deal_hit(*, session: StudySession, hit: Hit, now: datetime) -> Deal | None:
    """Deal the HIT to the session unless its places are taken. Return the open deal, if any.

    Raise SessionOverError.
    """
    # The session first, so that two tabs of one worker get the same HIT.
    locked = StudySession.objects.select_for_update().get(pk=session.pk)
    if locked.state != SessionState.ACTIVE or now >= locked.deadline:
        raise SessionOverError(session)
    if deal := open_deal(session):
        return deal
    row = Hit.objects.select_for_update().get(pk=hit.pk)
    open_deals = row.deals.filter(state=DealState.OPEN).count()
    if (
        row.state != HitState.LIVE
        or row.paused_at
        or row.assignments.count() + open_deals >= row.max_assignments
    ):
        return None
    return Deal.objects.create(
        session=session,
        hit=row,
        token=f"s{session.pk}-{row.pk}-{secrets.token_hex(6)}",
        dealt_at=now,
    )


@transaction.atomic
def submit_deal(*, token: str, answer: Mapping[str, str], now: datetime) -> StudySession:
    """Record the work on a dealt HIT as a submitted assignment. A repeat changes nothing.

    Work that arrives after its HIT was given back is recorded as well, because it was done.
    Raise SessionOverError if the session ended without it.
    """
    deal = Deal.objects.select_related("hit", "session__study", "session__worker").get(token=token)
    session = StudySession.objects.select_for_update().get(pk=deal.session_id)
    row = Deal.objects.select_for_update().get(pk=deal.pk)
    if row.state == DealState.DONE:
        return deal.session
    if session.state not in ACCEPTING:
        raise SessionOverError(deal.session, unsaved=deal)
    Assignment.objects.create(
        hit=deal.hit,
        worker=deal.session.worker,
        session=deal.session,
        external_id=deal.token,
        answer=dict(answer),
        accepted_at=deal.dealt_at,
        submitted_at=now,
    )
    Deal.objects.filter(pk=deal.pk).update(state=DealState.DONE, ended_at=now)
    Hit.objects.filter(pk=deal.hit_id).update(sync_due_at=now)
    return deal.session


def task_number(deal: Deal) -> int:
    """Return the number of the task in its session, from 1."""
    return Deal.objects.filter(session=deal.session_id, pk__lte=deal.pk).count()


def give_back(*, session: StudySession, now: datetime) -> int:
    """Release the HITs that the session has open, so that others can do them. Return how many."""
    return session.deals.filter(state=DealState.OPEN).update(state=DealState.RELEASED, ended_at=now)


def give_back_deal(*, token: str, now: datetime) -> str:
    """Release the session's open HIT with this token, so that others can do it.

    Return the name of the provider, or "" if the HIT was not dealt to a session.
    """
    deal = Deal.objects.filter(token=token).select_related("session__study").first()
    if deal is None:
        return ""
    open_deal = Deal.objects.filter(pk=deal.pk, state=DealState.OPEN)
    open_deal.update(state=DealState.RELEASED, ended_at=now)
    return str(Provider(deal.session.study.provider).label)
