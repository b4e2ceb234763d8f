"""Flags with which experts report bad or unclear items, and the decisions on them."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet

from annotation.domain.publishing.withdraw_items import withdraw_items
from annotation.models import Item
from audit.domain.change_state import Transitions, change_state, log_state_change
from audit.errors import TouchstoneError
from consolidation.enums import FlagState
from consolidation.models import ItemFlag
from projects.models import Project

TRANSITIONS: Transitions = {FlagState.OPEN: [FlagState.DISMISSED, FlagState.FOLLOWED]}


class FlagError(TouchstoneError):
    """The item can't be flagged. The message explains why."""


def flags_of(*, project: Project) -> QuerySet[ItemFlag]:
    return ItemFlag.objects.filter(item__project=project).select_related(
        "item__sentence__image", "raised_by"
    )


def count_open_flags(*, project: Project) -> int:
    """Count the items with flags to be decided."""
    flags = flags_of(project=project).filter(state=FlagState.OPEN)
    return flags.values("item").distinct().count()


@transaction.atomic
def flag_item(*, item: Item, expert: AbstractBaseUser, reason: str, now: datetime) -> ItemFlag:
    """Report the item. An expert's open flag gets the new reason. Raise FlagError without one."""
    if not reason.strip():
        raise FlagError("Explain what is wrong with the item.")
    Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    flag, created = ItemFlag.objects.update_or_create(
        item=item,
        raised_by_id=expert.pk,
        state=FlagState.OPEN,
        defaults={"reason": reason.strip()},
        create_defaults={"reason": reason.strip(), "raised_at": now},
    )
    if created:
        log_state_change(
            instance=flag, old="", new=flag.state, actor=str(expert), now=now, reason=flag.reason
        )
    return flag


@transaction.atomic
def dismiss_flag(*, flag: ItemFlag, actor: str, now: datetime) -> None:
    """Keep the item, which returns to the expert queues. Raise TransitionNotAllowedError."""
    _decide(flag, FlagState.DISMISSED, actor, now)


@transaction.atomic
def withdraw_flagged(*, flag: ItemFlag, actor: str, now: datetime) -> None:
    """Withdraw the item, which decides all its flags.

    Raise TransitionNotAllowedError, and WithdrawalError for items of training rounds.
    """
    _decide(flag, FlagState.FOLLOWED, actor, now)
    others = ItemFlag.objects.filter(item=flag.item_id, state=FlagState.OPEN)
    for other in others:
        _decide(other, FlagState.FOLLOWED, actor, now)
    reason = f"flagged by {flag.raised_by}: {flag.reason}"
    withdraw_items(items=Item.objects.filter(pk=flag.item_id), reason=reason, actor=actor, now=now)


def _decide(flag: ItemFlag, state: FlagState, actor: str, now: datetime) -> None:
    change_state(
        instance=flag,
        new=state,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        decided_by=actor,
        decided_at=now,
    )
