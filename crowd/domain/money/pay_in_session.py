"""Pay a worker for something that no task of a session covers."""

from datetime import datetime

from django.db import transaction

from audit.errors import TouchstoneError
from crowd.domain.money.decide_assignment import approve_assignment
from crowd.enums import HitState
from crowd.models import Assignment, Hit, StudySession, Worker


class NoSessionError(TouchstoneError, ValueError):
    """The worker has had no session, so that there is nothing to pay a bonus for."""


@transaction.atomic
def pay_in_session(
    *, hit: Hit, worker: Worker, session: StudySession | None = None, actor: str, now: datetime
) -> Assignment:
    """Approve the HIT, which nobody can work on, as if the worker had done it in the session.

    By default, it is the worker's last one. The amount becomes a bonus of the session, or its reward if
    nothing else was paid in it. Raise NoSessionError.
    """
    if session is None:
        session = StudySession.objects.filter(worker=worker).order_by("-pk").first()
    if session is None:
        raise NoSessionError("This worker has had no session yet, so a bonus can't be sent.")
    Hit.objects.filter(pk=hit.pk).update(
        state=HitState.FINISHED, external_id=hit.token, attempted_at=now, created_at=now
    )
    assignment = Assignment.objects.create(
        hit=hit,
        worker=worker,
        session=session,
        external_id=f"{hit.token}-{session.pk}"[:64],
        accepted_at=now,
        submitted_at=now,
        recorded_at=now,
    )
    approve_assignment(assignment=assignment, bonus=None, actor=actor, now=now)
    return assignment
