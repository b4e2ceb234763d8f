"""Statements of the operator's payments to workers, computed from the ledger alone."""

import csv
from collections.abc import Iterable
from datetime import datetime
from typing import Any, TextIO

from django.db.models import F, QuerySet

from marketplace.domain.money import format_cents
from marketplace.domain.queries import EARNED, EARNINGS
from marketplace.domain.spreadsheets import no_formula
from marketplace.models import LedgerEntry

HEADER = (
    "worker_id",
    "username",
    "email",
    "country",
    "assignments",
    "rewards_usd",
    "bonuses",
    "bonuses_usd",
    "total_usd",
)


def payouts(*, since: datetime, until: datetime) -> QuerySet[LedgerEntry, Any]:
    """Return the EARNINGS of all workers but simulated ones in `[since, until)`, by worker id."""
    earned = LedgerEntry.objects.filter(EARNED, worker__is_simulated=False)
    return (
        earned.filter(created_at__gte=since, created_at__lt=until)
        .values(
            worker_code=F("worker__code"),
            username=F("worker__username"),
            email=F("worker__email"),
            country=F("worker__country"),
        )
        .annotate(**EARNINGS)
        .order_by("worker_code")
    )


def write_statement(rows: Iterable[dict[str, Any]], file: TextIO) -> int:
    """Write the statement as CSV. Return the total in cents."""
    writer = csv.writer(file)
    writer.writerow(HEADER)
    total = 0
    for row in rows:
        total += row["total_cents"]
        writer.writerow(
            [
                row["worker_code"],
                no_formula(row["username"]),
                no_formula(row["email"]),
                row["country"],
                row["assignments"],
                format_cents(row["reward_cents"]),
                row["bonuses"],
                format_cents(row["bonus_cents"]),
                format_cents(row["total_cents"]),
            ]
        )
    return total
