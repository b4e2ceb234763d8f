from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model, QuerySet

from marketplace.domain.errors import NotFoundError

Row = TypeVar("Row", bound=Model)


def find(rows: QuerySet[Row], thing: str, code: str) -> Row:
    """Return the row with this public id. Raise NotFoundError, which names the `thing`."""
    try:
        return rows.get(code=code)
    except ObjectDoesNotExist:
        raise NotFoundError(thing, code) from None
