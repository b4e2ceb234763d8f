"""Queries of the workers' and the operator's pages."""

from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth

from database import statements
from marketplace.enums import AssignmentStatus, EntryKind
from marketplace.models import LedgerEntry, Requester, WorkerAccount

_REWARDS, _BONUSES = Q(kind=EntryKind.REWARD), Q(kind=EntryKind.BONUS)
_PAID = Q(paid__isnull=False)
EARNED = _REWARDS | _BONUSES
#: Sums over a worker's ledger entries, which are negative amounts of the requester.
EARNINGS = {
    "assignments": Count("pk", filter=_REWARDS),
    "reward_cents": -Sum("amount_cents", filter=_REWARDS, default=0),
    "bonuses": Count("pk", filter=_BONUSES),
    "bonus_cents": -Sum("amount_cents", filter=_BONUSES, default=0),
    "total_cents": -Sum("amount_cents"),
    # What the operator has paid out to the worker, and still owes.
    "paid_cents": -Sum("amount_cents", filter=_PAID, default=0),
    "due_cents": -Sum("amount_cents", filter=~_PAID, default=0),
}
_WAITING_CENTS = """
SELECT COALESCE(SUM(reward_cents), 0) FROM marketplace_assignment WHERE worker_id = %s AND status = %s
"""


def earnings_by_month(worker: WorkerAccount) -> QuerySet[LedgerEntry, Any]:
    """Return the worker's EARNINGS in each calendar month (UTC), newest first."""
    rows = LedgerEntry.objects.filter(EARNED, worker=worker)
    months = rows.annotate(month=TruncMonth("created_at")).values("month")
    return months.annotate(**EARNINGS).order_by("-month")


def waiting_cents(worker: WorkerAccount) -> int:
    """Return the total reward of the worker's undecided assignments."""
    rows = statements.fetch_rows(_WAITING_CENTS, worker.pk, AssignmentStatus.SUBMITTED)
    return int(rows[0][0])


def month_cents(worker: WorkerAccount, *, now: datetime) -> int:
    """Return the rewards and bonuses of the calendar month so far (UTC)."""
    start = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    entries = LedgerEntry.objects.filter(EARNED, worker=worker, created_at__gte=start)
    return -int(entries.aggregate(cents=Sum("amount_cents", default=0))["cents"])


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
