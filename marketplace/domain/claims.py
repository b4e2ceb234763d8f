"""Accepting HITs: the next one of a group, or a certain one.

The next HIT is found by index from the place where this worker's last one of the group stood, so
neither the number of open HITs nor that of HITs done counts. A HIT that someone else is taking at
this moment is skipped, not waited for; only when nothing else is left is it waited for. The
statements are written out: building them with the ORM took longer than running them.
"""

from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from database.statements import Columns, Row, Statement
from marketplace.domain import due, notifications
from marketplace.domain.accounts import session_digest
from marketplace.domain.errors import NotFoundError, RefusalError
from marketplace.domain.faults import parse_faults
from marketplace.domain.identifiers import new_code
from marketplace.domain.qualifications import held_by
from marketplace.domain.requirements import unmet
from marketplace.enums import LIVE, AssignmentStatus, Event, Guarded
from marketplace.models import Assignment, Hit, HitType, WorkerAccount

MOST_IN_PROGRESS = 25
#: How long a HIT that a worker returned is not offered to the same worker as "the next one".
RETURN_PAUSE = timedelta(minutes=10)
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Offer:
    """A group as it stands for a worker; no type where there is no such group."""

    worker: WorkerAccount
    hit_type: HitType | None
    hit_type_code: str
    is_blocked: bool
    in_progress: int


def find_offer(*, token: str, hit_type_code: str, now: datetime) -> Offer | None:
    """For the worker who is logged in with this token; None where nobody is."""
    row = _OFFER_OF_SESSION.one([hit_type_code, session_digest(token), now])
    return _offer(row, hit_type_code) if row else None


def accept_next(*, worker: WorkerAccount, hit_type_code: str, now: datetime) -> str | None:
    """As `accept_offered`."""
    return accept_offered(_offer_to(worker, hit_type_code), now=now)


def accept_offered(offer: Offer, *, now: datetime) -> str | None:
    """The id of a new assignment of the group's next HIT; None when nothing is left for the worker.

    Raises NotFoundError for no such group, RefusalError when the worker may not accept from it.
    """
    worker, hit_type = offer.worker, _checked_type(offer)
    if code := _accept_any(worker, hit_type, now):
        return code
    # Time may have freed places that no one has looked at since.
    if due.free_places(hit_type=hit_type, now=now):
        return _accept_any(worker, hit_type, now)
    return None


def accept_hit(*, worker: WorkerAccount, hit_code: str, now: datetime) -> str:
    """The id of an assignment of this very HIT; of the one in progress, if there is one already."""
    try:
        hit = Hit.objects.select_related("hit_type").get(code=hit_code)
    except Hit.DoesNotExist:
        raise NotFoundError("HIT", hit_code) from None
    if mine := _in_progress(worker, hit):
        return mine
    hit_type = _checked_type(_offer_to(worker, hit.hit_type.code))
    due.free_places(hit_type=hit_type, now=now)
    try:
        with transaction.atomic():
            return _take(worker, hit_type, now, _ONE, {"hit": hit.pk}) or _refuse_hit()
    except IntegrityError:
        return _in_progress(worker, hit) or _refuse_hit()


def open_to(*, worker: WorkerAccount, hit_type: HitType, now: datetime) -> QuerySet[Hit]:
    """HITs of the group that this worker could be given as the next one."""
    had = Assignment.objects.filter(
        Q(status__in=LIVE) | Q(closed_at__gt=now - RETURN_PAUSE), hit=OuterRef("pk"), worker=worker
    )
    return Hit.objects.filter(~Exists(had), hit_type=hit_type, open=True, expires_at__gt=now)


_WORKER = Columns(WorkerAccount, "w")
_TYPE = Columns(HitType, "t")
_OFFER = """
SELECT (SELECT count(*) FROM marketplace_assignment a
        WHERE a.worker_id = w.id AND a.status = 'Accepted'),
    EXISTS (SELECT 1 FROM marketplace_workerblock b
            WHERE b.requester_id = t.requester_id AND b.worker_id = w.id),
    {worker}, {type}
FROM {who} LEFT JOIN marketplace_hittype t ON t.code = %s
WHERE {condition}
"""


def _offer_statement(who: str, condition: str) -> Statement:
    named = {"worker": _WORKER.sql, "type": _TYPE.sql, "who": who, "condition": condition}
    # An index scan notes which entries are dead; a bitmap's would visit again, until the next VACUUM,
    # every assignment that the worker had in progress before.
    return Statement(_OFFER.format(**named), planned=("enable_bitmapscan = off",))


_OFFER_OF_SESSION = _offer_statement(
    "marketplace_workersession s JOIN marketplace_workeraccount w ON w.id = s.worker_id",
    "s.digest = %s AND s.expires_at > %s AND w.active",
)
_OFFER_OF_WORKER = _offer_statement("marketplace_workeraccount w", "w.id = %s")

# Whether the worker had the HIT is asked in a way that no planner turns into a walk over all of the
# worker's assignments (hence COALESCE and "+ 0"): one look at the HIT's own few, for each HIT.
_TAKE = """
UPDATE marketplace_hit
SET available = available - 1, pending = pending + 1, open = (available > 1)
WHERE id = (
    SELECT h.id FROM marketplace_hit h
    WHERE h.hit_type_id = %(type)s AND h.open AND h.expires_at > %(now)s {which}
      AND COALESCE((
        SELECT 1 FROM marketplace_assignment d
        WHERE d.hit_id = h.id AND d.worker_id + 0 = %(worker)s
          AND (d.status IN ('Accepted', 'Submitted', 'Approved', 'Rejected')
               OR d.closed_at > %(returned)s)
        LIMIT 1), 0) = 0
    ORDER BY h.id LIMIT 1 {lock})
RETURNING id, code, reward_cents, fee_cents
"""
_PLACE = """COALESCE((
    SELECT a.hit_id FROM marketplace_assignment a
    WHERE a.worker_id = %(worker)s AND a.hit_type_id = %(type)s ORDER BY a.id DESC LIMIT 1), 0)"""
_INSERT = """
INSERT INTO marketplace_assignment (code, hit_id, hit_type_id, worker_id, status, reward_cents,
    fee_cents, accepted_at, deadline_at, answer, feedback)
"""
_VALUES = """
VALUES (%(code)s, %(hit)s, %(type)s, %(worker)s, 'Accepted', %(reward)s, %(fee)s, %(now)s, %(deadline)s,
    '', '')
"""
# Both at once, where a statement may stand within another: each that is saved is a way to the server
# and back.
_TAKE_AND_INSERT = """
WITH taken AS ({take}), accepted AS (
    {insert}
    SELECT %(code)s, id, %(type)s, %(worker)s, 'Accepted', reward_cents, fee_cents, %(now)s,
        %(deadline)s::timestamptz, '', '' FROM taken)
SELECT id, code FROM taken
"""
# PostgreSQL knows nothing yet of a group published a minute ago, takes it for small, and would sort
# all of it for one row. The index gives the order: nothing is sorted.
_IN_INDEX_ORDER = ("enable_sort = off", "enable_bitmapscan = off")


class _Taking:
    """How a place is taken: which HITs come into question, and whether one that is locked is passed
    over."""

    def __init__(self, which: str, *, skip: bool) -> None:
        lock = "FOR UPDATE SKIP LOCKED" if skip else "FOR UPDATE"
        both = _TAKE_AND_INSERT.format(take=_TAKE.format(which=which, lock=lock), insert=_INSERT)
        self._both = Statement(both, planned=_IN_INDEX_ORDER)
        # SQLite: the transaction holds the only write lock.
        self._take = Statement(_TAKE.format(which=which, lock=""))

    def run(self, values: dict[str, Any]) -> Row | None:
        """Id and code of the HIT whose place was taken; None if there is none."""
        if connection.vendor == "postgresql":
            return self._both.one(values)
        taken = self._take.one(values)
        if taken is None:
            return None
        hit_id, hit_code, reward, fee = taken
        _INSERT_TAKEN.run({**values, "hit": hit_id, "reward": reward, "fee": fee})
        return hit_id, hit_code


_INSERT_TAKEN = Statement(_INSERT + _VALUES)
_AFTER = _Taking(f"AND h.id > {_PLACE}", skip=True)
_BEFORE = _Taking(f"AND h.id <= {_PLACE}", skip=True)
_ANY = _Taking("", skip=False)
_ONE = _Taking("AND h.id = %(hit)s", skip=False)


def _offer_to(worker: WorkerAccount, code: str) -> Offer:
    row = _OFFER_OF_WORKER.one([code, worker.pk])
    assert row  # accounts are closed, not deleted
    return _offer(row, code)


def _offer(row: Row, code: str) -> Offer:
    in_progress, is_blocked = row[:2]
    worker, hit_type = _WORKER.read(row, 2), _TYPE.read(row, 2 + _WORKER.width)
    assert worker
    return Offer(worker, hit_type, code, bool(is_blocked), in_progress)


def _checked_type(offer: Offer) -> HitType:
    """The type, once it is sure that the worker may accept HITs of it."""
    if offer.hit_type is None:
        raise NotFoundError("HITType", offer.hit_type_code)
    if offer.in_progress >= MOST_IN_PROGRESS:
        raise RefusalError(
            "ExceedsMaxAssignmentsPerWorker",
            f"You have {MOST_IN_PROGRESS} HITs in progress; finish or return one first.",
        )
    if offer.is_blocked:
        raise RefusalError("PermissionDeniedException", "You can't work for this requester.")
    _check_qualified(offer.worker, offer.hit_type)
    return offer.hit_type


def _check_qualified(worker: WorkerAccount, hit_type: HitType) -> None:
    if not hit_type.requirements:
        return
    held = held_by(worker, hit_type.requirements)
    if lacking := unmet(hit_type.requirements, held, action=Guarded.ACCEPT):
        codes = ", ".join(requirement["QualificationTypeId"] for requirement in lacking)
        raise RefusalError(
            "DoesNotMeetRequirements", f"You lack a qualification for this HIT: {codes}."
        )


def _accept_any(worker: WorkerAccount, hit_type: HitType, now: datetime) -> str | None:
    for _ in range(ATTEMPTS):
        try:
            with nullcontext() if _is_one_statement(hit_type) else transaction.atomic():
                for taking in (_AFTER, _BEFORE, _ANY):
                    if code := _take(worker, hit_type, now, taking, {}):
                        return code
                return None
        except IntegrityError:
            continue  # the same worker took the same HIT in another window
    return None


def _is_one_statement(hit_type: HitType) -> bool:
    """Whether a HIT is accepted by a single statement, which is a transaction by itself."""
    is_all = not hit_type.notification_active and not settings.MARKETPLACE_FAULTS
    return is_all and connection.vendor == "postgresql" and not connection.in_atomic_block


def _take(
    worker: WorkerAccount, hit_type: HitType, now: datetime, taking: _Taking, more: dict[str, int]
) -> str | None:
    code = new_code()
    taken = taking.run(
        {
            "type": hit_type.pk,
            "worker": worker.pk,
            "now": now,
            "returned": now if taking is _ONE else now - RETURN_PAUSE,
            "deadline": now + timedelta(seconds=hit_type.duration_seconds),
            "code": code,
            **more,
        }
    )
    if taken is None:
        return None
    hit_id, hit_code = taken
    if settings.MARKETPLACE_FAULTS:
        code = _reused_code(code, hit_id, worker)
    notifications.record(
        Event.ACCEPTED, hit_type=hit_type, hit_code=hit_code, assignment_code=code, now=now
    )
    return code


def _in_progress(worker: WorkerAccount, hit: Hit) -> str | None:
    """The id of the worker's unfinished assignment; refuses a HIT that the worker has done."""
    mine = Assignment.objects.filter(hit=hit, worker=worker, status__in=LIVE).first()
    if mine is None:
        return None
    if mine.status != AssignmentStatus.ACCEPTED:
        raise RefusalError("AssignmentAlreadyExists", "You have done this HIT already.")
    return mine.code


def _refuse_hit() -> str:
    raise RefusalError("HITNotAvailable", "This HIT is not available any more.")


def _reused_code(code: str, hit_id: int, worker: WorkerAccount) -> str:
    """The new assignment's id; under the fault `reuse_assignment_ids`, one that another worker gave
    back, which it then has."""
    returned = Assignment.objects.filter(
        hit=hit_id, status__in=(AssignmentStatus.RETURNED, AssignmentStatus.ABANDONED)
    )
    old = returned.exclude(worker=worker).first()
    if old is None or not parse_faults(settings.MARKETPLACE_FAULTS).reuses_assignment_id():
        return code
    Assignment.objects.filter(pk=old.pk).update(code=new_code())
    Assignment.objects.filter(code=code).update(code=old.code)
    return old.code
