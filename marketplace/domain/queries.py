"""Queries of the workers' and the operator's pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce, TruncMonth

from marketplace.enums import AssignmentStatus, EntryKind
from marketplace.models import Assignment, HitType, LedgerEntry, Message, Requester, WorkerAccount

#: The list shows "1,000+" from here on, so that its cost does not grow with the open HITs.
MOST_COUNTED = 1_000
MOST_GROUPS = 500


@dataclass(frozen=True, slots=True)
class Group:
    """The HITs of a type that a worker can still do. `available` is at most MOST_COUNTED."""

    hit_type: HitType
    available: int


# The inner LIMIT bounds the cost of the count.
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
    """Return the groups with HITs left for the worker, newest first.

    Groups whose requirements the worker does not meet are included.
    """
    with connection.cursor() as cursor:
        stamp = connection.ops.adapt_datetimefield_value(now)
        cursor.execute(_GROUPS, [stamp, worker.pk, MOST_COUNTED, worker.pk, MOST_GROUPS])
        counts = {pk: available for pk, available in cursor.fetchall() if available}
    types = HitType.objects.select_related("requester").in_bulk(counts)
    return [Group(types[pk], available) for pk, available in counts.items() if pk in types]


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
    """Return the worker's earnings from the ledger, newest month first."""
    rewards, bonuses = Q(kind=EntryKind.REWARD), Q(kind=EntryKind.BONUS)
    rows = (
        LedgerEntry.objects.filter(rewards | bonuses, worker=worker)
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
    """Return the total reward of the worker's undecided assignments."""
    waiting = Assignment.objects.filter(worker=worker, status=AssignmentStatus.SUBMITTED)
    return int(waiting.aggregate(cents=Coalesce(Sum("reward_cents"), 0))["cents"])


@dataclass(frozen=True, slots=True)
class RequesterBooks:
    """A requester's deposits and spending, in cents."""

    deposited_cents: int
    rewards_cents: int
    bonuses_cents: int
    fees_cents: int


def books_of(requester: Requester) -> RequesterBooks:
    """Return the requester's totals, summed from the ledger entries."""
    kinds = dict(
        LedgerEntry.objects.filter(requester=requester)
        .values_list("kind")
        .annotate(cents=Sum("amount_cents"))
    )
    return RequesterBooks(
        deposited_cents=kinds.get(EntryKind.DEPOSIT, 0),
        rewards_cents=-kinds.get(EntryKind.REWARD, 0),
        bonuses_cents=-kinds.get(EntryKind.BONUS, 0),
        fees_cents=-kinds.get(EntryKind.REWARD_FEE, 0) - kinds.get(EntryKind.BONUS_FEE, 0),
    )
