"""Withdraw items from a project, and restore them.

Withdrawn items are not published or exported, and become neither cases nor gold. Their HITs end, and work
on accepted assignments can still be submitted and is paid.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.publishing.change_hits import HitChange, change_hits
from annotation.models import Item, Task, TaskItem
from audit.domain.change_state import log_state_changes
from audit.errors import TouchstoneError
from crowd.models import Hit
from projects.models import Project


class WithdrawalError(TouchstoneError):
    """The items can't be withdrawn or restored."""


@transaction.atomic
def withdraw_items(*, items: QuerySet[Item], reason: str, actor: str, now: datetime) -> int:
    """Withdraw the items. Return how many were not withdrawn before.

    A HIT of several items ends when all of them are withdrawn. Raise WithdrawalError without a reason,
    and for items of training rounds.
    """
    if not reason.strip():
        raise WithdrawalError("Enter a reason. It is stored in the log.")
    rows = list(items.select_for_update(of=("self",)).filter(withdrawn_at=None).order_by("pk"))
    reserved = [item.key for item in rows if not item.in_production]
    if reserved:
        raise WithdrawalError(
            f"{reserved[0]} belongs to a training round. Replace it in the round instead."
        )
    ids = [item.pk for item in rows]
    Item.objects.filter(pk__in=ids).update(in_production=False, withdrawn_at=now)
    if rows:
        _end_hits(rows[0].project, ids, actor, now)
    log_state_changes(
        instances=rows, old="", new="withdrawn", actor=actor, now=now, reason=reason.strip()
    )
    return len(rows)


def _end_hits(project: Project, items: Sequence[int], actor: str, now: datetime) -> None:
    """End the HITs that offer only withdrawn items."""
    others = TaskItem.objects.filter(task=OuterRef("pk"), item__withdrawn_at=None)
    tasks = Task.objects.filter(~Exists(others), task_items__item__in=items).distinct()
    ids = list(tasks.values_list("pk", flat=True))
    Task.objects.filter(pk__in=ids, ended_at=None).update(ended_at=now)
    hits, change = Hit.objects.filter(task__in=ids), HitChange("expire", actor)
    change_hits(project=project, hits=hits, change=change, now=now)


@transaction.atomic
def restore_items(*, items: QuerySet[Item], actor: str, now: datetime) -> int:
    """Restore withdrawn items. Return how many were restored.

    Gold that they had counts again. HITs that ended stay so, and what is missing can be republished.
    """
    rows = list(items.select_for_update(of=("self",)).exclude(withdrawn_at=None).order_by("pk"))
    ids = [item.pk for item in rows]
    Item.objects.filter(pk__in=ids).update(in_production=True, withdrawn_at=None)
    log_state_changes(instances=rows, old="withdrawn", new="restored", actor=actor, now=now)
    return len(rows)


def items_by_key(
    *, project: Project, keys: Sequence[str], sentences: bool = False
) -> QuerySet[Item]:
    """Return the items with these keys, or with `sentences` those of sentences with these ids.

    Raise WithdrawalError for an unknown key or id.
    """
    field = "sentence__external_id" if sentences else "key"
    items = project.items.filter(**{f"{field}__in": list(keys)})
    missing = sorted(set(keys) - set(items.values_list(field, flat=True)))
    if missing:
        name = "sentence" if sentences else "item"
        raise WithdrawalError(f"{project.slug} has no {name} {missing[0]!r}.")
    return items
