"""What the operator owes workers and has paid out, computed from the ledger's entries.

The operator pays elsewhere, for example by bank transfer, and records it here. A recorded payout covers
single entries, each of which a constraint allows to be paid once.
"""

import csv
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TextIO

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet, Sum
from django.utils.translation import gettext

from marketplace.domain.accounts.payment_details import payment_details
from marketplace.domain.errors import RefusalError
from marketplace.domain.money import format_cents
from marketplace.domain.notifications import messages
from marketplace.domain.queries import EARNED, EARNINGS
from marketplace.models import LedgerEntry, PaidEntry, Payout, WorkerAccount
from web.downloads import no_formula

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
    "paid_usd",
    "due_usd",
    "payment_details",
)


def period_of(first: date, last: date) -> tuple[datetime, datetime]:
    """Return the half-open period of the days, both included. The calendar's last day has no end."""
    since, until = (datetime.combine(day, time.min, tzinfo=UTC) for day in (first, last))
    if last == date.max:
        return since, datetime.max.replace(tzinfo=UTC)
    return since, until + timedelta(days=1)


def payouts(*, since: datetime, until: datetime) -> QuerySet[LedgerEntry, Any]:
    """Return the EARNINGS of all workers but simulated ones in `[since, until)`, by worker id."""
    return (
        _earned(since, until)
        .values(
            worker_code=F("worker__code"),
            username=F("worker__username"),
            email=F("worker__email"),
            country=F("worker__country"),
        )
        .annotate(**EARNINGS)
        .order_by("worker_code")
    )


def _earned(since: datetime, until: datetime) -> QuerySet[LedgerEntry, Any]:
    earned: QuerySet[LedgerEntry, Any] = LedgerEntry.objects.filter(
        EARNED, worker__is_simulated=False
    )
    return earned.filter(created_at__gte=since, created_at__lt=until)


def write_statement(rows: Iterable[dict[str, Any]], file: TextIO) -> int:
    """Write the statement as CSV, with the workers' payment details. Return the total in cents."""
    writer = csv.writer(file)
    writer.writerow(HEADER)
    rows = list(rows)
    details = payment_details(row["worker_code"] for row in rows)
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
                format_cents(row["paid_cents"]),
                format_cents(row["due_cents"]),
                no_formula(details.get(row["worker_code"], "")),
            ]
        )
    return total


def due_cents(worker: WorkerAccount) -> int:
    """Return what the worker has earned and was not paid out."""
    entries = LedgerEntry.objects.filter(EARNED, worker=worker, paid=None)
    return -int(entries.aggregate(cents=Sum("amount_cents", default=0))["cents"])


@transaction.atomic
def record_payouts(
    *,
    since: datetime,
    until: datetime,
    worker_codes: Collection[str],
    expected_cents: int,
    reference: str,
    paid_on: date,
    actor: str,
    now: datetime,
) -> list[Payout]:
    """Record that what is due to the workers for `[since, until)` was paid, and message them.

    Raise RefusalError if `expected_cents` is not the total that is due.
    """
    entries: dict[WorkerAccount, list[LedgerEntry]] = defaultdict(list)
    due = _earned(since, until).filter(paid=None, worker__code__in=worker_codes)
    for entry in due.select_related("worker").order_by("worker__code", "pk"):
        assert entry.worker
        entries[entry.worker].append(entry)
    cents = {worker: -sum(entry.amount_cents for entry in rows) for worker, rows in entries.items()}
    if not cents or sum(cents.values()) != expected_cents:
        raise RefusalError("PayoutChanged", CHANGED)
    try:
        with transaction.atomic():
            return [
                _record(
                    Payout(
                        worker=worker,
                        amount_cents=cents[worker],
                        reference=reference,
                        paid_on=paid_on,
                        recorded_by=actor,
                        recorded_at=now,
                    ),
                    rows,
                )
                for worker, rows in entries.items()
            ]
    except IntegrityError:
        raise RefusalError("PayoutChanged", CHANGED) from None


CHANGED = "The amount that is due has changed, perhaps because the payout was recorded meanwhile."


def _record(payout: Payout, entries: list[LedgerEntry]) -> Payout:
    payout.save()
    PaidEntry.objects.bulk_create(PaidEntry(payout=payout, entry=entry) for entry in entries)
    amount = f"${format_cents(payout.amount_cents)}"
    with messages.worker_language(payout.worker_id):
        messages.write(
            worker_id=payout.worker_id,
            requester=None,
            subject=gettext("You were paid %(amount)s") % {"amount": amount},
            text=gettext(
                "%(amount)s was paid on %(paid_on)s with the reference “%(reference)s”. You "
                "find all payouts under Earnings."
            )
            % {"amount": amount, "paid_on": payout.paid_on, "reference": payout.reference},
            now=payout.recorded_at,
        )
    return payout


@transaction.atomic
def withdraw_payout(*, payout_pk: int, now: datetime) -> Payout:
    """Withdraw the record of a payout, whose earnings are due again, and message the worker.

    Raise RefusalError if it was withdrawn already.
    """
    payout = Payout.objects.select_for_update().get(pk=payout_pk)
    if payout.withdrawn_at:
        raise RefusalError("PayoutWithdrawn", "This payout was withdrawn already.")
    payout.withdrawn_at = now
    payout.save(update_fields=["withdrawn_at"])
    PaidEntry.objects.filter(payout=payout).delete()
    amount = f"${format_cents(payout.amount_cents)}"
    with messages.worker_language(payout.worker_id):
        messages.write(
            worker_id=payout.worker_id,
            requester=None,
            subject=gettext("Correction: %(amount)s is still due") % {"amount": amount},
            text=gettext(
                "The payment of %(amount)s with the reference “%(reference)s” was recorded "
                "by mistake. You'll be paid this amount."
            )
            % {"amount": amount, "reference": payout.reference},
            now=now,
        )
    return payout
