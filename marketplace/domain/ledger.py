"""A requester's money. Every change adds ledger entries and updates the balance.

Callers must be in a transaction. The update of the balance is conditional, so concurrent requests
cannot spend the same cent.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import F

from marketplace.domain.errors import InsufficientFundsError
from marketplace.enums import EntryKind
from marketplace.models import Assignment, Bonus, Hit, LedgerEntry, Requester


def deposit(*, requester: Requester, amount_cents: int, note: str, now: datetime) -> None:
    """Add money to the balance. A negative amount withdraws money that is not reserved."""
    entry = LedgerEntry(
        requester=requester,
        kind=EntryKind.DEPOSIT,
        amount_cents=amount_cents,
        note=note,
        created_at=now,
    )
    _post([entry])


def hold(*, hit: Hit, amount_cents: int, now: datetime) -> None:
    """Reserve money for a HIT. Raise InsufficientFundsError if too little is available."""
    _move_held(hit, EntryKind.HOLD, amount_cents, now)


def release(*, hit: Hit, amount_cents: int, now: datetime) -> None:
    """Release money that was reserved for a HIT."""
    _move_held(hit, EntryKind.RELEASE, -amount_cents, now)


def pay_reward(
    *, hit: Hit, assignment: Assignment, from_held: bool, note: str, now: datetime
) -> None:
    """Pay an assignment and its fee, from the reserved or the available money."""
    entries = [
        LedgerEntry(
            requester_id=hit.requester_id,
            kind=kind,
            amount_cents=-cents,
            held_cents=-cents if from_held else 0,
            worker_id=assignment.worker_id,
            hit_id=hit.pk,
            assignment=assignment,
            note=note,
            created_at=now,
        )
        for kind, cents in (
            (EntryKind.REWARD, assignment.reward_cents),
            (EntryKind.REWARD_FEE, assignment.fee_cents),
        )
    ]
    _post(entries)
    if from_held:
        hit.held_cents -= assignment.cost_cents


def pay_bonus(*, bonus: Bonus, hit: Hit, now: datetime) -> None:
    """Pay a bonus and its fee from the available money."""
    entries = [
        LedgerEntry(
            requester_id=bonus.requester_id,
            kind=kind,
            amount_cents=-cents,
            worker_id=bonus.worker_id,
            hit_id=hit.pk,
            assignment_id=bonus.assignment_id,
            bonus=bonus,
            created_at=now,
        )
        for kind, cents in (
            (EntryKind.BONUS, bonus.amount_cents),
            (EntryKind.BONUS_FEE, bonus.fee_cents),
        )
    ]
    _post(entries)


def _move_held(hit: Hit, kind: EntryKind, held_cents: int, now: datetime) -> None:
    if not held_cents:
        return
    entry = LedgerEntry(
        requester_id=hit.requester_id,
        kind=kind,
        held_cents=held_cents,
        hit_id=hit.pk,
        created_at=now,
    )
    _post([entry])
    hit.held_cents += held_cents


def _post(entries: Sequence[LedgerEntry]) -> None:
    """Add entries of one requester and update the balance."""
    amount = sum(entry.amount_cents for entry in entries)
    held = sum(entry.held_cents for entry in entries)
    updated = Requester.objects.filter(
        pk=entries[0].requester_id, balance_cents__gte=F("held_cents") + held - amount
    ).update(balance_cents=F("balance_cents") + amount, held_cents=F("held_cents") + held)
    if not updated:
        raise InsufficientFundsError(max(0, held - amount))
    LedgerEntry.objects.bulk_create(entries)
