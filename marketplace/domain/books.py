"""A requester's money: every change is a line in the books and a step of the balance, together.

Callers hold a transaction; the balance is stepped with a condition, so two of them at once cannot
spend the same cent.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import F

from marketplace.domain.errors import InsufficientFundsError
from marketplace.enums import EntryKind
from marketplace.models import Assignment, Bonus, BookEntry, Hit, Requester


def deposit(*, requester: Requester, amount_cents: int, note: str, now: datetime) -> None:
    """Adds money; a negative amount takes it back, as far as it is not set aside."""
    _post(
        requester.pk,
        [
            BookEntry(
                requester_id=requester.pk,
                kind=EntryKind.DEPOSIT,
                amount_cents=amount_cents,
                note=note,
                created_at=now,
            )
        ],
    )


def hold(*, hit: Hit, amount_cents: int, now: datetime) -> None:
    """Sets money aside for a HIT, so that work that is offered can be paid."""
    _move_held(hit, EntryKind.HOLD, amount_cents, now)


def release(*, hit: Hit, amount_cents: int, now: datetime) -> None:
    """Frees what was set aside for a HIT and is not needed any more."""
    _move_held(hit, EntryKind.RELEASE, -amount_cents, now)


def pay_reward(
    *, hit: Hit, assignment: Assignment, from_held: bool, note: str, now: datetime
) -> None:
    """Pays an assignment and its fee, from what was set aside for it or from the free balance."""
    _post(
        hit.requester_id,
        [
            BookEntry(
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
        ],
    )
    if from_held:
        hit.held_cents -= assignment.cost_cents


def pay_bonus(*, bonus: Bonus, hit: Hit, now: datetime) -> None:
    """Pays a bonus and its fee from the free balance."""
    _post(
        bonus.requester_id,
        [
            BookEntry(
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
        ],
    )


def _move_held(hit: Hit, kind: EntryKind, held_cents: int, now: datetime) -> None:
    if not held_cents:
        return
    _post(
        hit.requester_id,
        [
            BookEntry(
                requester_id=hit.requester_id,
                kind=kind,
                held_cents=held_cents,
                hit_id=hit.pk,
                created_at=now,
            )
        ],
    )
    hit.held_cents += held_cents


def _post(requester_id: int, entries: Sequence[BookEntry]) -> None:
    amount = sum(entry.amount_cents for entry in entries)
    held = sum(entry.held_cents for entry in entries)
    stepped = Requester.objects.filter(
        pk=requester_id, balance_cents__gte=F("held_cents") + held - amount
    ).update(balance_cents=F("balance_cents") + amount, held_cents=F("held_cents") + held)
    if not stepped:
        raise InsufficientFundsError(max(0, held - amount))
    BookEntry.objects.bulk_create(entries)
