"""Statements of the operator's payments to workers, computed from the ledger alone."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TextIO

from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce

from marketplace.domain.money import format_cents
from marketplace.enums import EntryKind
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


@dataclass(frozen=True, slots=True)
class Payout:
    """A worker's earnings in a period, in cents."""

    worker_code: str
    username: str
    email: str
    country: str
    assignments: int
    reward_cents: int
    bonuses: int
    bonus_cents: int

    @property
    def total_cents(self) -> int:
        return self.reward_cents + self.bonus_cents


def payouts(*, since: datetime, until: datetime) -> Iterator[Payout]:
    """Yield the payouts of all workers with earnings in `[since, until)`, by worker id.

    Adjacent periods pay every entry exactly once.
    """
    rewards, bonuses = Q(kind=EntryKind.REWARD), Q(kind=EntryKind.BONUS)
    rows = (
        LedgerEntry.objects.filter(rewards | bonuses, created_at__gte=since, created_at__lt=until)
        .values_list("worker__code", "worker__username", "worker__email", "worker__country")
        .annotate(
            assignments=Count("pk", filter=rewards),
            rewards=Coalesce(Sum("amount_cents", filter=rewards), 0),
            bonuses=Count("pk", filter=bonuses),
            bonus_cents=Coalesce(Sum("amount_cents", filter=bonuses), 0),
        )
        .order_by("worker__code")
    )
    for code, name, email, country, assignments, reward, count, bonus in rows.iterator():
        yield Payout(code, name, email, country, assignments, -reward, count, -bonus)


def write_statement(rows: Iterable[Payout], file: TextIO) -> int:
    """Write the statement as CSV. Return the total in cents."""
    writer = csv.writer(file)
    writer.writerow(HEADER)
    total = 0
    for row in rows:
        total += row.total_cents
        writer.writerow(
            [
                row.worker_code,
                _harmless(row.username),
                _harmless(row.email),
                row.country,
                row.assignments,
                format_cents(row.reward_cents),
                row.bonuses,
                format_cents(row.bonus_cents),
                format_cents(row.total_cents),
            ]
        )
    return total


def _harmless(text: str) -> str:
    """Escape text that a spreadsheet would run as a formula. Workers choose their names."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
