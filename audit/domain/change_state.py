"""The one way in which an aggregate changes its state."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from django.db import models, transaction

from audit.models import StateChange

M = TypeVar("M", bound=models.Model)

# Each state that can be left, and the states that it may be left for.
Moves = Mapping[str, Collection[str]]


class MoveRefused(Exception):
    """The aggregate's present state does not allow this move; nothing was changed."""

    def __init__(self, instance: models.Model, old: str, new: str) -> None:
        super().__init__(
            f"{instance._meta.verbose_name} {instance.pk} is {old}: it can't become {new}."
        )
        self.old = old
        self.new = new


def change_state(
    *,
    instance: M,
    new: str,
    moves: Moves,
    actor: str,
    now: datetime,
    reason: str = "",
    **fields: Any,
) -> M:
    """Lock the row, check the move, save it with `fields`, and log it. Returns the locked row.

    A move to the state that the row already has is read as a repeat: nothing is saved or logged.
    Raises MoveRefused.
    """
    model = type(instance)
    with transaction.atomic():
        row = model._default_manager.select_for_update().get(pk=instance.pk)
        old = row.state  # type: ignore[attr-defined]
        if old == new:
            return row
        if new not in moves.get(old, ()):
            raise MoveRefused(row, old, new)
        for name, value in {"state": new, **fields}.items():
            setattr(row, name, value)
        row.save(update_fields=["state", *fields])
        log_state_change(instance=row, old=old, new=new, actor=actor, now=now, reason=reason)
    return row


def log_state_change(
    *, instance: models.Model, old: str, new: str, actor: str, now: datetime, reason: str = ""
) -> None:
    """A log row for a move that the caller has checked and saved itself."""
    log_state_changes(instances=[instance], old=old, new=new, actor=actor, now=now, reason=reason)


def log_state_changes(
    *,
    instances: Iterable[models.Model],
    old: str,
    new: str,
    actor: str,
    now: datetime,
    reason: str = "",
) -> None:
    """A log row for each, where many have made the same move."""
    StateChange.objects.bulk_create(
        StateChange(
            aggregate=instance._meta.label,
            object_id=instance.pk,
            old=old,
            new=new,
            actor=actor,
            reason=reason,
            at=now,
        )
        for instance in instances
    )
