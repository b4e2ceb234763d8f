"""Check, save and log changes of state."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from django.db import models, transaction

from audit.errors import TouchstoneError
from audit.models import StateChange

M = TypeVar("M", bound=models.Model)

# State -> allowed next states.
Transitions = Mapping[str, Collection[str]]


class TransitionNotAllowedError(TouchstoneError):
    """The present state does not allow this change. Nothing was changed."""

    def __init__(self, instance: models.Model, old: str, new: str) -> None:
        super().__init__(
            f"{instance._meta.verbose_name} {instance.pk} is {old} and can't become {new}."
        )
        self.old = old
        self.new = new


@transaction.atomic
def change_state(
    *,
    instance: M,
    new: str,
    transitions: Transitions,
    actor: str,
    now: datetime,
    reason: str = "",
    **fields: Any,
) -> M:
    """Lock the row, check, save and log the new state unless the row has it. Return the row."""
    model = type(instance)
    row = model._default_manager.select_for_update().get(pk=instance.pk)
    old = row.state  # type: ignore[attr-defined]
    if old == new:
        return row
    if new not in transitions.get(old, ()):
        raise TransitionNotAllowedError(row, old, new)
    for name, value in {"state": new, **fields}.items():
        setattr(row, name, value)
    row.save(update_fields=["state", *fields])
    log_state_change(instance=row, old=old, new=new, actor=actor, now=now, reason=reason)
    return row


def log_state_change(
    *, instance: models.Model, old: str, new: str, actor: str, now: datetime, reason: str = ""
) -> None:
    """Log a change of state that the caller has checked and saved."""
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
    """Log the same change of state for each of the instances."""
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
