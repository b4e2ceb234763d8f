"""Reads that pages and the API share."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce, TruncMonth

from database.statements import Select
from marketplace.domain.accounts import session_digest
from marketplace.enums import AssignmentStatus, EntryKind
from marketplace.models import Assignment, BookEntry, HitType, Message, Requester, WorkerAccount

#: The list counts so far and then says "1,000+": no page counts a hundred thousand HITs.
MOST_COUNTED = 1_000
MOST_GROUPS = 500


@dataclass(frozen=True, slots=True)
class Group:
    """The HITs of one type that a worker could still do; `available` stops at MOST_COUNTED."""

    hit_type: HitType
    available: int


# A correlated count with a limit inside: one query, whose cost does not grow with the open HITs.
_GROUPS = """
SELECT t.id, (
    SELECT count(*) FROM (
        SELECT 1 FROM marketplace_hit h
        WHERE h.hit_type_id = t.id AND h.open AND h.expires_at > %s
          AND NOT EXISTS (
            SELECT 1 FROM marketplace_assignment a
            WHERE a.hit_id = h.id AND a.worker_id = %s
              AND a.status IN ('Accepted', 'Submitted', 'Approved', 'Rejected'))
        LIMIT %s
    ) counted
) AS available
FROM marketplace_hittype t
WHERE EXISTS (SELECT 1 FROM marketplace_hit h WHERE h.hit_type_id = t.id AND h.open)
  AND NOT EXISTS (
    SELECT 1 FROM marketplace_workerblock b
    WHERE b.requester_id = t.requester_id AND b.worker_id = %s)
ORDER BY t.id DESC
LIMIT %s
"""


def open_groups(*, worker: WorkerAccount, now: datetime) -> Sequence[Group]:
    """Groups with something left for this worker, newest first, whatever they ask for."""
    with connection.cursor() as cursor:
        stamp = connection.ops.adapt_datetimefield_value(now)
        cursor.execute(_GROUPS, [stamp, worker.pk, MOST_COUNTED, worker.pk, MOST_GROUPS])
        counts = {pk: available for pk, available in cursor.fetchall() if available}
    types = HitType.objects.select_related("requester").in_bulk(counts)
    return [Group(types[pk], available) for pk, available in counts.items() if pk in types]


@dataclass(frozen=True, slots=True)
class WorkPage:
    """What the page around a task shows."""

    code: str
    status: str
    reward_cents: int
    deadline_at: datetime
    hit_code: str
    external_url: str
    frame_height: int
    title: str
    worker_code: str
    accepts_next: bool

    # A template's own filter for dates takes as long as a query.
    @property
    def deadline_iso(self) -> str:
        return self.deadline_at.isoformat(timespec="seconds")

    @property
    def deadline_clock(self) -> str:
        """Hours and minutes, UTC."""
        return f"{self.deadline_at.astimezone(UTC):%H:%M}"


# "+ 0": by its code, whatever was stored when this was planned, and not among all of the worker's.
_WORK_PAGE = Select(
    Assignment,
    """
SELECT a.id, a.code, a.status, a.reward_cents, a.deadline_at, h.code AS hit_code, h.external_url,
    h.frame_height, t.title, w.code AS worker_code, w.accepts_next
FROM marketplace_workersession s
JOIN marketplace_workeraccount w ON w.id = s.worker_id
JOIN marketplace_assignment a ON a.worker_id + 0 = w.id
JOIN marketplace_hit h ON h.id = a.hit_id
JOIN marketplace_hittype t ON t.id = a.hit_type_id
WHERE s.digest = %s AND s.expires_at > %s AND w.active AND a.code = %s
""",
)


def work_page(*, token: str, assignment_code: str, now: datetime) -> WorkPage | None:
    """The assignment with its task, for the worker who is logged in with this token; None where nobody
    is, and for another's."""
    row: Any = _WORK_PAGE.first([session_digest(token), now, assignment_code])
    if row is None:
        return None
    return WorkPage(**{field.name: getattr(row, field.name) for field in fields(WorkPage)})


def unread_messages(worker: WorkerAccount) -> int:
    return Message.objects.filter(worker=worker, read_at__isnull=True).count()


@dataclass(frozen=True, slots=True)
class MonthOfWork:
    """A worker's earnings in a calendar month (UTC), in cents."""

    month: datetime
    assignments: int
    reward_cents: int
    bonus_cents: int

    @property
    def total_cents(self) -> int:
        return self.reward_cents + self.bonus_cents


def earnings_by_month(worker: WorkerAccount) -> Sequence[MonthOfWork]:
    """From the books, newest month first."""
    rewards, bonuses = Q(kind=EntryKind.REWARD), Q(kind=EntryKind.BONUS)
    rows = (
        BookEntry.objects.filter(rewards | bonuses, worker=worker)
        .annotate(month=TruncMonth("created_at"))
        .values_list("month")
        .annotate(
            count=Count("pk", filter=rewards),
            rewards=Coalesce(Sum("amount_cents", filter=rewards), 0),
            bonuses=Coalesce(Sum("amount_cents", filter=bonuses), 0),
        )
        .order_by("-month")
    )
    return [MonthOfWork(month, count, -reward, -bonus) for month, count, reward, bonus in rows]


def waiting_cents(worker: WorkerAccount) -> int:
    """What the worker would earn if everything submitted were approved."""
    waiting = Assignment.objects.filter(worker=worker, status=AssignmentStatus.SUBMITTED)
    return int(waiting.aggregate(cents=Coalesce(Sum("reward_cents"), 0))["cents"])


@dataclass(frozen=True, slots=True)
class RequesterBooks:
    """A requester's totals, in cents; `spent` counts rewards, bonuses and their fees."""

    deposited_cents: int
    rewards_cents: int
    bonuses_cents: int
    fees_cents: int


def books_of(requester: Requester) -> RequesterBooks:
    """Summed from the entries, not read from the balance."""
    kinds = dict(
        BookEntry.objects.filter(requester=requester)
        .values_list("kind")
        .annotate(cents=Sum("amount_cents"))
    )
    return RequesterBooks(
        deposited_cents=kinds.get(EntryKind.DEPOSIT, 0),
        rewards_cents=-kinds.get(EntryKind.REWARD, 0),
        bonuses_cents=-kinds.get(EntryKind.BONUS, 0),
        fees_cents=-kinds.get(EntryKind.REWARD_FEE, 0) - kinds.get(EntryKind.BONUS_FEE, 0),
    )
