"""Money set aside, given back and spent: entries that are written once, and their sums.

Each function runs inside the caller's transaction, and does nothing the second time it is called
with the same key, so that a repeat after a crash leaves the books as they were.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum

from crowd.enums import LedgerKind
from crowd.models import Budget, Hit, LedgerEntry, Payment


class BudgetExceeded(Exception):
    """The budget's cap leaves less than this needs; nothing was reserved."""

    def __init__(self, budget: Budget, needed_cents: int) -> None:
        left = budget.left_cents or 0
        super().__init__(
            f"The budget {budget.key} has {left / 100:.2f} dollars left; "
            f"this needs {needed_cents / 100:.2f}. Raise its cap or publish less."
        )
        self.budget = budget
        self.needed_cents = needed_cents


class CapTooLow(ValueError):
    """More than the new cap is reserved or spent already; the old one stands."""


def set_cap(*, budget: Budget, cap_cents: int | None) -> None:
    """Give the budget a cap, or none. Raises CapTooLow."""
    fits = Q(reserved_cents__lte=(cap_cents or 0) - F("spent_cents"))
    budgets = Budget.objects.filter(pk=budget.pk)
    if not (budgets if cap_cents is None else budgets.filter(fits)).update(cap_cents=cap_cents):
        row = budgets.get()
        raise CapTooLow(
            f"{(row.reserved_cents + row.spent_cents) / 100:.2f} dollars of {row.key} are reserved "
            "or spent already; the cap can't be lower."
        )
    budget.refresh_from_db()


@transaction.atomic
def join_sub_budget(*, hits: QuerySet[Hit], budget: Budget, sub_budget: Budget) -> None:
    """Put the HITs, all under `budget` and under no other, under `sub_budget` too, with their money."""
    # Every movement of the HITs' money steps the budget's row: locked, nothing moves meanwhile.
    Budget.objects.select_for_update().get(pk=budget.pk)
    joining = list(hits.filter(sub_budget=None).values_list("pk", flat=True))
    total = Sum(F("amount_cents") + F("fee_cents"), default=0)
    sums = dict.fromkeys(LedgerKind.values, 0) | dict(
        LedgerEntry.objects.filter(hit__in=joining)
        .order_by()
        .values_list("kind")
        .annotate(cents=total)
    )
    hits.filter(pk__in=joining).update(sub_budget=sub_budget)
    Budget.objects.filter(pk=sub_budget.pk).update(
        reserved_cents=F("reserved_cents") + sums[LedgerKind.RESERVE] - sums[LedgerKind.RELEASE],
        spent_cents=F("spent_cents") + sums[LedgerKind.SETTLE],
    )


def raise_reserved(*, budget_id: int, cents: int) -> None:
    """Add to what the budget has reserved, never past its cap. Raises BudgetExceeded."""
    room = Q(cap_cents=None) | Q(cap_cents__gte=F("reserved_cents") + F("spent_cents") + cents)
    # One conditional statement: two publishers can't both pass a check made beforehand.
    if not Budget.objects.filter(room, pk=budget_id).update(
        reserved_cents=F("reserved_cents") + cents
    ):
        raise BudgetExceeded(Budget.objects.get(pk=budget_id), cents)


@dataclass(frozen=True, slots=True)
class Movement:
    """Money behind the places of one HIT, set aside or given back under its key."""

    hit: Hit
    key: str
    amount_cents: int
    fee_cents: int


@transaction.atomic
def reserve_all(*, movements: Sequence[Movement], now: datetime) -> None:
    """Set the money of many HITs aside, in a few statements; the HITs' rows must be locked. All or
    nothing. Raises BudgetExceeded."""
    for budget_id, cents in _write_new(LedgerKind.RESERVE, movements, now):
        raise_reserved(budget_id=budget_id, cents=cents)


@transaction.atomic
def release_all(*, movements: Sequence[Movement], now: datetime) -> None:
    """Give the money of many HITs back, in a few statements; the HITs' rows must be locked."""
    for budget_id, cents in _write_new(LedgerKind.RELEASE, movements, now):
        Budget.objects.filter(pk=budget_id).update(reserved_cents=F("reserved_cents") - cents)


@transaction.atomic
def reserve(
    *,
    hit: Hit,
    key: str,
    amount_cents: int,
    fee_cents: int,
    now: datetime,
    payment: Payment | None = None,
) -> None:
    """Set money aside. Raises BudgetExceeded."""
    entry = _entry(LedgerKind.RESERVE, hit, amount_cents, fee_cents, payment)
    if _write_once(entry, key, now):
        for budget_id in budgets_of(hit):
            raise_reserved(budget_id=budget_id, cents=amount_cents + fee_cents)


@transaction.atomic
def release(
    *,
    hit: Hit,
    key: str,
    amount_cents: int,
    fee_cents: int,
    now: datetime,
    payment: Payment | None = None,
) -> None:
    """Give back money that was set aside."""
    entry = _entry(LedgerKind.RELEASE, hit, amount_cents, fee_cents, payment)
    if _write_once(entry, key, now):
        for budget_id in budgets_of(hit):
            Budget.objects.filter(pk=budget_id).update(
                reserved_cents=F("reserved_cents") - (amount_cents + fee_cents)
            )


@transaction.atomic
def settle(*, payment: Payment, hit: Hit, now: datetime) -> None:
    """Book a confirmed payment: what was set aside for it is now spent."""
    amount, fee = payment.amount_cents, payment.fee_cents
    release(
        hit=hit,
        key=f"release:{payment.token}",
        amount_cents=amount,
        fee_cents=fee,
        now=now,
        payment=payment,
    )
    entry = _entry(LedgerKind.SETTLE, hit, amount, fee, payment)
    if _write_once(entry, f"settle:{payment.token}", now):
        for budget_id in budgets_of(hit):
            Budget.objects.filter(pk=budget_id).update(spent_cents=F("spent_cents") + amount + fee)


def budgets_of(hit: Hit) -> list[int]:
    """The budgets that the HIT's money is under, always in the same order, so that no two
    transactions wait for each other."""
    return [pk for pk in (hit.budget_id, hit.sub_budget_id) if pk is not None]


def offer_cents_left(*, hits: Sequence[Hit]) -> dict[int, int]:
    """HIT's id -> what is still set aside for work on it that nobody has handed in or decided."""
    total = F("amount_cents") + F("fee_cents")
    sums = (
        LedgerEntry.objects.filter(hit__in=hits, payment=None)
        .order_by()
        .values_list("hit")
        .annotate(
            reserved=Sum(total, filter=Q(kind=LedgerKind.RESERVE), default=0),
            released=Sum(total, filter=Q(kind=LedgerKind.RELEASE), default=0),
        )
    )
    return {hit: int(reserved) - int(released) for hit, reserved, released in sums}


def _entry(
    kind: LedgerKind, hit: Hit, amount_cents: int, fee_cents: int, payment: Payment | None
) -> dict[str, Any]:
    return {
        "budget_id": hit.budget_id,
        "kind": kind,
        "amount_cents": amount_cents,
        "fee_cents": fee_cents,
        "hit": hit,
        "payment": payment,
    }


def _write_once(entry: dict[str, Any], key: str, now: datetime) -> bool:
    """Write the entry unless its key is there already; says whether it was written."""
    _, written = LedgerEntry.objects.get_or_create(key=key, defaults={**entry, "at": now})
    return written


def _write_new(
    kind: LedgerKind, movements: Sequence[Movement], now: datetime
) -> list[tuple[int, int]]:
    """Write the movements whose keys are not there yet; returns what they come to: (budget's id,
    cents), the budgets before the sub-budgets as in `budgets_of`."""
    keys = [movement.key for movement in movements]
    known = set(LedgerEntry.objects.filter(key__in=keys).values_list("key", flat=True))
    new = [movement for movement in movements if movement.key not in known]
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            **_entry(kind, one.hit, one.amount_cents, one.fee_cents, None), key=one.key, at=now
        )
        for one in new
    )
    budgets, sub_budgets = Counter[int](), Counter[int]()
    for one in new:
        budget_id, *sub_budget_ids = budgets_of(one.hit)
        budgets[budget_id] += one.amount_cents + one.fee_cents
        for sub_budget_id in sub_budget_ids:
            sub_budgets[sub_budget_id] += one.amount_cents + one.fee_cents
    return [*sorted(budgets.items()), *sorted(sub_budgets.items())]
