"""Changes of many rows in short transactions."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Model, QuerySet

# Rows per transaction, because all other writers of a SQLite database wait for it.
AT_A_TIME = 500
Rows = QuerySet[Any]


def in_batches(rows: Rows, change: Callable[[Rows], object]) -> int:
    """Call `change` with up to AT_A_TIME of the rows at a time, each call in a transaction of its own.

    Return the number of rows. `change` deletes the rows, or makes them no longer match.
    """
    model: type[Model] = rows.model
    total = 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_A_TIME]):
        with transaction.atomic():
            change(model._default_manager.filter(pk__in=keys))
        total += len(keys)
    return total
