"""Reserve, release and settle money with append-only ledger entries and their sums.

The functions join the caller's transaction. They do nothing if the key already has an entry, so that
they can be repeated after a crash.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
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
            f"this needs {needed_cents / 100:.2f}. Raise the budget limit or publish less."
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
            "or spent already. Enter a limit of at least that amount."
        )
    budget.refresh_from_db()


@transaction.atomic
def join_sub_budget(*, hits: QuerySet[Hit], budget: Budget, sub_budget: Budget) -> None:
    """Add HITs of `budget` that have no sub-budget to `sub_budget`, including their ledger sums."""
    # Every ledger entry updates the budget's row, so this lock prevents concurrent entries.
    Budget.objects.select_for_update().get(pk=budget.pk)
    joining = list(hits.filter(sub_budget=None).values_list("pk", flat=True))
    total = Sum(F("amount_cents") + F("fee_cents"), default=0)
    entries = LedgerEntry.objects.filter(hit__in=joining).order_by()
    sums = Counter[str](dict(entries.values_list("kind").annotate(cents=total)))
    hits.filter(pk__in=joining).update(sub_budget=sub_budget)
    spent = sums[LedgerKind.SETTLE]
    reserved = sums[LedgerKind.RESERVE] - sums[LedgerKind.RELEASE] - spent
    _book([sub_budget.pk], reserved=reserved, spent=spent)


def raise_reserved(*, budget_id: int, cents: int) -> None:
    """Add to the budget's reserved amount. Raises BudgetExceededError if that exceeds the cap."""
    fits = Q(cap_cents=None) | Q(cap_cents__gte=F("reserved_cents") + F("spent_cents") + cents)
    # A single conditional update, so that concurrent publishers cannot both pass the check.
    if not Budget.objects.filter(fits, pk=budget_id).update(
        reserved_cents=F("reserved_cents") + cents
    ):
        raise BudgetExceededError(Budget.objects.get(pk=budget_id), cents)


def check_left(*, budget: Budget, cents: int) -> None:
    """Raise BudgetExceededError if the budget has less than this left. Nothing is reserved."""
    left = Budget.objects.get(pk=budget.pk).left_cents
    if left is not None and cents > left:
        raise BudgetExceededError(budget, cents)


def _book(budget_ids: Iterable[int], *, reserved: int, spent: int = 0) -> None:
    for pk in budget_ids:
        Budget.objects.filter(pk=pk).update(
            reserved_cents=F("reserved_cents") + reserved, spent_cents=F("spent_cents") + spent
        )


@dataclass(frozen=True, slots=True)
class Movement:
    """An amount to reserve, release or settle for a HIT's assignments or for a payment."""

    hit: Hit
    key: str
    amount_cents: int
    fee_cents: int
    payment: Payment | None = None

    @property
    def cents(self) -> int:
        return self.amount_cents + self.fee_cents

    def as_entry(self, kind: LedgerKind, now: datetime) -> dict[str, Any]:
        """Return the fields of the ledger entry."""
        names = ("hit", "key", "amount_cents", "fee_cents", "payment")
        fields = {name: getattr(self, name) for name in names}
        return {**fields, "budget_id": self.hit.budget_id, "kind": kind, "at": now}


@transaction.atomic
def reserve_all(*, movements: Sequence[Movement], now: datetime) -> None:
    """Reserve all amounts or none, with the HITs' rows locked. Raises BudgetExceededError."""
    for budget_id, cents in _write_new(LedgerKind.RESERVE, movements, now):
        raise_reserved(budget_id=budget_id, cents=cents)


@transaction.atomic
def release_all(*, movements: Sequence[Movement], now: datetime) -> None:
    """Release the amounts of all movements. The caller must have locked the HITs' rows."""
    for budget_id, cents in _write_new(LedgerKind.RELEASE, movements, now):
        _book([budget_id], reserved=-cents)


@transaction.atomic
def reserve(*, movement: Movement, now: datetime) -> None:
    """Reserve an amount. Raises BudgetExceededError."""
    if _write_once(LedgerKind.RESERVE, movement, now):
        for budget_id in budgets_of(movement.hit):
            raise_reserved(budget_id=budget_id, cents=movement.cents)


@transaction.atomic
def release(*, movement: Movement, now: datetime) -> None:
    """Release a reserved amount."""
    if _write_once(LedgerKind.RELEASE, movement, now):
        _book(budgets_of(movement.hit), reserved=-movement.cents)


@transaction.atomic
def settle(*, payment: Payment, hit: Hit, now: datetime) -> None:
    """Move the amount of a confirmed payment from reserved to spent."""
    key = f"settle:{payment.token}"
    movement = Movement(hit, key, payment.amount_cents, payment.fee_cents, payment)
    if _write_once(LedgerKind.SETTLE, movement, now):
        _book(budgets_of(hit), reserved=-movement.cents, spent=movement.cents)


@transaction.atomic
def book_model_cost(*, budget: Budget, model: str, cents: int, now: datetime) -> None:
    """Book what the model has cost beyond what was booked before. `cents` is the total so far.

    `model` identifies it in keys. The amount is not part of the budget's sums, which are about the work
    of people.
    """
    Budget.objects.select_for_update().get(pk=budget.pk)
    entries = LedgerEntry.objects.filter(budget=budget, kind=LedgerKind.MODEL)
    own = entries.filter(key__startswith=f"{LedgerKind.MODEL}:{model}:")
    booked = own.aggregate(cents=Sum("amount_cents", default=0))["cents"]
    if cents > booked:
        LedgerEntry.objects.create(
            budget=budget,
            kind=LedgerKind.MODEL,
            amount_cents=cents - booked,
            fee_cents=0,
            key=f"{LedgerKind.MODEL}:{model}:{booked}",
            at=now,
        )


def budgets_of(hit: Hit) -> list[int]:
    """Return the ids of the HIT's budgets, always in the same order to prevent deadlocks."""
    return [pk for pk in (hit.budget_id, hit.sub_budget_id) if pk is not None]


def reserved_cents_left(*, hits: Sequence[Hit]) -> dict[int, int]:
    """Return the cents still reserved for undecided assignments, by HIT id."""
    total = F("amount_cents") + F("fee_cents")
    left = Counter[int]()
    entries = LedgerEntry.objects.filter(hit__in=hits).order_by()
    for hit, reserved, released in entries.values_list("hit").annotate(
        reserved=Sum(total, filter=Q(kind=LedgerKind.RESERVE), default=0),
        released=Sum(total, filter=Q(kind=LedgerKind.RELEASE, payment=None), default=0),
    ):
        left[hit] += reserved - released
    unfunded = [PaymentState.HELD, PaymentState.DECLINED]
    funded = Payment.objects.filter(assignment__hit__in=hits).exclude(state__in=unfunded)
    for hit, cents in funded.order_by().values_list("assignment__hit").annotate(sum=Sum(total)):
        left[hit] -= cents
    return dict(left)


def _write_once(kind: LedgerKind, movement: Movement, now: datetime) -> bool:
    """Create the entry and return True, or return False if the key exists."""
    fields = movement.as_entry(kind, now)
    _, written = LedgerEntry.objects.get_or_create(key=movement.key, defaults=fields)
    return written


def _write_new(
    kind: LedgerKind, movements: Sequence[Movement], now: datetime
) -> list[tuple[int, int]]:
    """Create entries for new keys. Return (budget id, cents) pairs, those of sub-budgets last."""
    keys = [movement.key for movement in movements]
    known = set(LedgerEntry.objects.filter(key__in=keys).values_list("key", flat=True))
    new = [movement for movement in movements if movement.key not in known]
    LedgerEntry.objects.bulk_create(LedgerEntry(**movement.as_entry(kind, now)) for movement in new)
    budgets, sub_budgets = Counter[int](), Counter[int]()
    for movement in new:
        budgets[movement.hit.budget_id] += movement.cents
        if movement.hit.sub_budget_id is not None:
            sub_budgets[movement.hit.sub_budget_id] += movement.cents
    return [*sorted(budgets.items()), *sorted(sub_budgets.items())]
