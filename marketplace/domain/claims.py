"""Accepting HITs: the next one of a group, or a certain one.

The next HIT is found by index from the place where this worker's last one of the group stood, so
neither the number of open HITs nor that of HITs done counts. A HIT that someone else is taking at
this moment is skipped, not waited for; only when nothing else is left is it waited for.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from marketplace.domain import due, notifications
from marketplace.domain.errors import NotFoundError, RefusalError
from marketplace.domain.faults import parse_faults
from marketplace.domain.identifiers import new_code
from marketplace.domain.qualifications import held_by
from marketplace.domain.requirements import unmet
from marketplace.enums import LIVE, AssignmentStatus, Event, Guarded
from marketplace.models import Assignment, Hit, HitType, WorkerAccount, WorkerBlock

MOST_IN_PROGRESS = 25
#: How long a HIT that a worker returned is not offered to the same worker as "the next one".
RETURN_PAUSE = timedelta(minutes=10)
ATTEMPTS = 5


def accept_next(*, worker: WorkerAccount, hit_type: HitType, now: datetime) -> Assignment | None:
    """An assignment of the group's next HIT, or None when nothing is left for this worker.

    Raises RefusalError when the worker may not accept HITs of this group.
    """
    check_may_accept(worker=worker, hit_type=hit_type, now=now)
    if assignment := _accept_any(worker, hit_type, now):
        return assignment
    # Time may have freed places that no one has looked at since.
    if due.free_places(hit_type=hit_type, now=now):
        return _accept_any(worker, hit_type, now)
    return None


def accept_hit(*, worker: WorkerAccount, hit_code: str, now: datetime) -> Assignment:
    """An assignment of this very HIT; the one in progress, if there is one already."""
    try:
        hit = Hit.objects.select_related("hit_type").get(code=hit_code)
    except Hit.DoesNotExist:
        raise NotFoundError("HIT", hit_code) from None
    mine = Assignment.objects.filter(hit=hit, worker=worker, status__in=LIVE).first()
    if mine is not None and mine.status == AssignmentStatus.ACCEPTED:
        return mine
    if mine is not None:
        raise RefusalError("AssignmentAlreadyExists", "You have done this HIT already.")
    check_may_accept(worker=worker, hit_type=hit.hit_type, now=now)
    due.free_places(hit_type=hit.hit_type, now=now)
    try:
        with transaction.atomic():
            locked = Hit.objects.select_for_update().get(pk=hit.pk)
            if not locked.open or locked.expires_at <= now:
                raise RefusalError("HITNotAvailable", "This HIT is not available any more.")
            return _accept(locked, hit.hit_type, worker, now)
    except IntegrityError:
        return Assignment.objects.get(hit=hit, worker=worker, status=AssignmentStatus.ACCEPTED)


def check_may_accept(*, worker: WorkerAccount, hit_type: HitType, now: datetime) -> None:
    """Raises RefusalError for a blocked, unqualified or overloaded worker."""
    in_progress = Assignment.objects.filter(worker=worker, status=AssignmentStatus.ACCEPTED)
    if len(in_progress.values_list("pk", flat=True)[:MOST_IN_PROGRESS]) == MOST_IN_PROGRESS:
        raise RefusalError(
            "ExceedsMaxAssignmentsPerWorker",
            f"You have {MOST_IN_PROGRESS} HITs in progress; finish or return one first.",
        )
    if is_blocked(worker=worker, hit_type=hit_type):
        raise RefusalError("PermissionDeniedException", "You can't work on HITs of this requester.")
    if lacking := unmet(
        hit_type.requirements, held_by(worker, hit_type.requirements), action=Guarded.ACCEPT
    ):
        codes = ", ".join(requirement["QualificationTypeId"] for requirement in lacking)
        raise RefusalError(
            "DoesNotMeetRequirements", f"You lack a qualification for this HIT: {codes}."
        )


def is_blocked(*, worker: WorkerAccount, hit_type: HitType) -> bool:
    return WorkerBlock.objects.filter(requester_id=hit_type.requester_id, worker=worker).exists()


def open_to(*, worker: WorkerAccount, hit_type: HitType, now: datetime) -> QuerySet[Hit]:
    """HITs of the group that this worker could be given as the next one."""
    had = Assignment.objects.filter(
        Q(status__in=LIVE) | Q(closed_at__gt=now - RETURN_PAUSE), hit=OuterRef("pk"), worker=worker
    )
    return Hit.objects.filter(~Exists(had), hit_type=hit_type, open=True, expires_at__gt=now)


def _accept_any(worker: WorkerAccount, hit_type: HitType, now: datetime) -> Assignment | None:
    for _ in range(ATTEMPTS):
        try:
            with transaction.atomic():
                hit = _lock_next(worker, hit_type, now)
                return _accept(hit, hit_type, worker, now) if hit else None
        except IntegrityError:
            continue  # the same worker took the same HIT in another window
    return None


def _lock_next(worker: WorkerAccount, hit_type: HitType, now: datetime) -> Hit | None:
    hits = open_to(worker=worker, hit_type=hit_type, now=now).order_by("pk")
    hits = hits.defer("question", "external_url")
    place = _last_place(worker, hit_type)
    free = hits.select_for_update(skip_locked=True)
    if hit := free.filter(pk__gt=place).first():
        return hit
    if place and (hit := free.filter(pk__lte=place).first()):
        return hit
    return hits.select_for_update().first()


def _last_place(worker: WorkerAccount, hit_type: HitType) -> int:
    latest = Assignment.objects.filter(worker=worker, hit_type=hit_type).order_by("-pk")
    return latest.values_list("hit_id", flat=True).first() or 0


def _accept(hit: Hit, hit_type: HitType, worker: WorkerAccount, now: datetime) -> Assignment:
    available = hit.available - 1
    Hit.objects.filter(pk=hit.pk).update(
        available=available, pending=hit.pending + 1, open=available > 0
    )
    assignment = Assignment.objects.create(
        code=_code_for(hit, worker),
        hit=hit,
        hit_type=hit_type,
        worker=worker,
        reward_cents=hit.reward_cents,
        fee_cents=hit.fee_cents,
        accepted_at=now,
        deadline_at=now + timedelta(seconds=hit_type.duration_seconds),
    )
    notifications.record(Event.ACCEPTED, hit_type=hit_type, hit=hit, assignment=assignment, now=now)
    return assignment


def _code_for(hit: Hit, worker: WorkerAccount) -> str:
    """A new id; under the fault `reuse_assignment_ids`, one that another worker gave back."""
    if not settings.MARKETPLACE_FAULTS:
        return new_code()
    returned = Assignment.objects.filter(
        hit=hit, status__in=(AssignmentStatus.RETURNED, AssignmentStatus.ABANDONED)
    ).exclude(worker=worker)
    old = returned.first()
    if old is None or not parse_faults(settings.MARKETPLACE_FAULTS).reuses_assignment_id():
        return new_code()
    Assignment.objects.filter(pk=old.pk).update(code=new_code())
    return old.code
