"""Queries of the workers' and the operator's pages."""

from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth

from marketplace.enums import AssignmentStatus, EntryKind
from marketplace.models import Assignment, HitType, LedgerEntry, Requester, WorkerAccount

#: The list shows "1,000+" from here on, so that its cost does not grow with the open HITs.
MOST_COUNTED = 1_000
MOST_GROUPS = 500


# The inner LIMIT bounds the cost of the count.
_GROUPS = """
SELECT t.id, (
    SELECT count(*) FROM (
        SELECT 1 FROM marketplace_hit h
        WHERE h.hit_type_id = t.id AND h.open AND h.expires_at > %s
          AND NOT EXISTS (
            SELECT 1 FROM marketplace_assignment a
            WHERE a.hit_id = h.id AND a.worker_id = %s
              AND (a.is_refused
                OR a.status IN ('Accepted', 'Submitted', 'Approved', 'Rejected')))
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


def open_groups(*, worker: WorkerAccount, now: datetime) -> list[tuple[HitType, int]]:
    """Return HIT types and the worker's HITs left (at most MOST_COUNTED), newest first."""
    with connection.cursor() as cursor:
        stamp = connection.ops.adapt_datetimefield_value(now)
        cursor.execute(_GROUPS, [stamp, worker.pk, MOST_COUNTED, worker.pk, MOST_GROUPS])
        counts = {pk: available for pk, available in cursor.fetchall() if available}
    types = HitType.objects.select_related("requester").in_bulk(counts)
    return [(types[pk], available) for pk, available in counts.items() if pk in types]


_REWARDS, _BONUSES = Q(kind=EntryKind.REWARD), Q(kind=EntryKind.BONUS)
EARNED = _REWARDS | _BONUSES
#: Sums over a worker's ledger entries, which are negative amounts of the requester.
EARNINGS = {
    "assignments": Count("pk", filter=_REWARDS),
    "reward_cents": -Sum("amount_cents", filter=_REWARDS, default=0),
    "bonuses": Count("pk", filter=_BONUSES),
    "bonus_cents": -Sum("amount_cents", filter=_BONUSES, default=0),
    "total_cents": -Sum("amount_cents"),
}


def earnings_by_month(worker: WorkerAccount) -> QuerySet[LedgerEntry, Any]:
    """Return the worker's EARNINGS in each calendar month (UTC), newest first."""
    rows = LedgerEntry.objects.filter(EARNED, worker=worker)
    months = rows.annotate(month=TruncMonth("created_at")).values("month")
    return months.annotate(**EARNINGS).order_by("-month")


def waiting_cents(worker: WorkerAccount) -> int:
    """Return the total reward of the worker's undecided assignments."""
    waiting = Assignment.objects.filter(worker=worker, status=AssignmentStatus.SUBMITTED)
    return int(waiting.aggregate(cents=Sum("reward_cents", default=0))["cents"])


def books_of(requester: Requester) -> dict[str, int]:
    """Return the requester's deposits and spending in cents, summed from the ledger entries."""
    entries = LedgerEntry.objects.filter(requester=requester).order_by()
    cents = dict(entries.values_list("kind").annotate(cents=Sum("amount_cents")))
    return {
        "deposited_cents": cents.get(EntryKind.DEPOSIT, 0),
        "rewards_cents": -cents.get(EntryKind.REWARD, 0),
        "bonuses_cents": -cents.get(EntryKind.BONUS, 0),
        "fees_cents": -cents.get(EntryKind.REWARD_FEE, 0) - cents.get(EntryKind.BONUS_FEE, 0),
    }
