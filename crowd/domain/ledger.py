"""Reserve, release and settle money with append-only ledger entries and their sums.

The functions join the caller's transaction. They do nothing if the key already has an entry, so that
they can be repeated after a crash.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum

from audit.errors import TouchstoneError
from crowd.enums import LedgerKind, PaymentState
from crowd.models import Budget, Hit, LedgerEntry, Payment


class BudgetExceededError(TouchstoneError):
    """The amount exceeds what the budget's cap leaves. Nothing was reserved."""

    def __init__(self, budget: Budget, needed_cents: int) -> None:
        left = budget.left_cents or 0
        super().__init__(
            f"The budget {budget.key} has {left / 100:.2f} dollars left; "
            f"this needs {needed_cents / 100:.2f}. Raise its cap or publish less."
        )
        self.budget = budget
        self.needed_cents = needed_cents


class CapTooLowError(TouchstoneError, ValueError):
    """More than the new cap is reserved or spent already. The cap is unchanged."""


def set_cap(*, budget: Budget, cap_cents: int | None) -> None:
    """Set or remove the budget's cap. Raises CapTooLowError."""
    fits = Q(reserved_cents__lte=(cap_cents or 0) - F("spent_cents"))
    budgets = Budget.objects.filter(pk=budget.pk)
    if not (budgets if cap_cents is None else budgets.filter(fits)).update(cap_cents=cap_cents):
        row = budgets.get()
        raise CapTooLowError(
            f"{(row.reserved_cents + row.spent_cents) / 100:.2f} dollars of {row.key} are reserved "
            "or spent already. Choose a cap of at least that amount."
        )
    budget.refresh_from_db()


@transaction.atomic
def join_sub_budget(*, hits: QuerySet[Hit], budget: Budget, sub_budget: Budget) -> None:
    """Add HITs of `budget` that have no sub-budget to `sub_budget`, including their ledger sums."""
    # Every ledger entry updates the budget's row, so this lock prevents concurrent entries.
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
        reserved_cents=F("reserved_cents")
        + sums[LedgerKind.RESERVE]
        - sums[LedgerKind.RELEASE]
        - sums[LedgerKind.SETTLE],
        spent_cents=F("spent_cents") + sums[LedgerKind.SETTLE],
    )


def raise_reserved(*, budget_id: int, cents: int) -> None:
    """Add to the budget's reserved amount. Raises BudgetExceededError if that exceeds the cap."""
    fits = Q(cap_cents=None) | Q(cap_cents__gte=F("reserved_cents") + F("spent_cents") + cents)
    # A single conditional update, so that concurrent publishers cannot both pass the check.
    if not Budget.objects.filter(fits, pk=budget_id).update(
        reserved_cents=F("reserved_cents") + cents
    ):
        raise BudgetExceededError(Budget.objects.get(pk=budget_id), cents)


@dataclass(frozen=True, slots=True)
class Movement:
    """An amount to reserve or release for the assignments of a HIT."""

    hit: Hit
    key: str
    amount_cents: int
    fee_cents: int


@transaction.atomic
def reserve_all(*, movements: Sequence[Movement], now: datetime) -> None:
    """Reserve all amounts or none, with the HITs' rows locked. Raises BudgetExceededError."""
    for budget_id, cents in _write_new(LedgerKind.RESERVE, movements, now):
        raise_reserved(budget_id=budget_id, cents=cents)


@transaction.atomic
def release_all(*, movements: Sequence[Movement], now: datetime) -> None:
    """Release the amounts of all movements. The caller must have locked the HITs' rows."""
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
    """Reserve an amount. Raises BudgetExceededError."""
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
    """Release a reserved amount."""
    entry = _entry(LedgerKind.RELEASE, hit, amount_cents, fee_cents, payment)
    if _write_once(entry, key, now):
        for budget_id in budgets_of(hit):
            Budget.objects.filter(pk=budget_id).update(
                reserved_cents=F("reserved_cents") - (amount_cents + fee_cents)
            )


@transaction.atomic
def settle(*, payment: Payment, hit: Hit, now: datetime) -> None:
    """Move the amount of a confirmed payment from reserved to spent."""
    entry = _entry(LedgerKind.SETTLE, hit, payment.amount_cents, payment.fee_cents, payment)
    if _write_once(entry, f"settle:{payment.token}", now):
        cents = payment.amount_cents + payment.fee_cents
        for budget_id in budgets_of(hit):
            Budget.objects.filter(pk=budget_id).update(
                reserved_cents=F("reserved_cents") - cents, spent_cents=F("spent_cents") + cents
            )


def budgets_of(hit: Hit) -> list[int]:
    """Return the ids of the HIT's budgets, always in the same order to prevent deadlocks."""
    return [pk for pk in (hit.budget_id, hit.sub_budget_id) if pk is not None]


def offer_cents_left(*, hits: Sequence[Hit]) -> dict[int, int]:
    """Return the cents still reserved for undecided assignments, by HIT id."""
    total = F("amount_cents") + F("fee_cents")
    left = Counter[int]()
    entries = LedgerEntry.objects.filter(hit__in=hits).order_by()
    for hit, reserved, released in entries.values_list("hit").annotate(
        reserved=Sum(total, filter=Q(kind=LedgerKind.RESERVE), default=0),
        released=Sum(total, filter=Q(kind=LedgerKind.RELEASE, payment=None), default=0),
    ):
        left[hit] += reserved - released
    funded = Payment.objects.filter(assignment__hit__in=hits).exclude(state=PaymentState.HELD)
    for hit, cents in funded.order_by().values_list("assignment__hit").annotate(sum=Sum(total)):
        left[hit] -= cents
    return dict(left)


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
    """Create the entry and return True, or return False if the key exists."""
    _, written = LedgerEntry.objects.get_or_create(key=key, defaults={**entry, "at": now})
    return written


def _write_new(
    kind: LedgerKind, movements: Sequence[Movement], now: datetime
) -> list[tuple[int, int]]:
    """Create entries for new keys. Return (budget id, cents) pairs, those of sub-budgets last."""
    keys = [movement.key for movement in movements]
    known = set(LedgerEntry.objects.filter(key__in=keys).values_list("key", flat=True))
    new = [movement for movement in movements if movement.key not in known]
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            **_entry(kind, movement.hit, movement.amount_cents, movement.fee_cents, None),
            key=movement.key,
            at=now,
        )
        for movement in new
    )
    budgets, sub_budgets = Counter[int](), Counter[int]()
    for movement in new:
        cents = movement.amount_cents + movement.fee_cents
        budget_id, *sub_budget_ids = budgets_of(movement.hit)
        budgets[budget_id] += cents
        for sub_budget_id in sub_budget_ids:
            sub_budgets[sub_budget_id] += cents
    return [*sorted(budgets.items()), *sorted(sub_budgets.items())]
