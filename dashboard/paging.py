"""Long lists, a page at a time, by key: as quick on the last page as on the first."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import models
from django.db.models import Q, QuerySet

M = TypeVar("M", bound=models.Model)

SIZE = 50


@dataclass(frozen=True, slots=True)
class Page(Generic[M]):
    """Rows in their order, and the `page` parameters of the neighbours ("" where there is none)."""

    rows: list[M]
    previous: str = ""
    following: str = ""


def page_of(rows: QuerySet[M], *, cursor: str, by: tuple[str, ...], size: int = SIZE) -> Page[M]:
    """The page of `rows` that `cursor` points to; the first one for a cursor that is none.

    `by` names whole-number fields that together are unique; all of them ascend, or with a minus
    before the first all of them descend.
    """
    descending = by[0].startswith("-")
    fields = tuple(name.lstrip("-") for name in by)
    backwards, values = _read(cursor, len(fields))
    upwards = descending if backwards else not descending
    ordered = rows.order_by(*(name if upwards else f"-{name}" for name in fields))
    if values:
        ordered = ordered.filter(_beyond(fields, values, "gt" if upwards else "lt"))
    found = list(ordered[: size + 1])
    more, shown = len(found) > size, found[:size]
    if backwards:
        shown.reverse()
    if not shown:
        return Page([])
    before, after = _cursor("before", shown[0], fields), _cursor("after", shown[-1], fields)
    if backwards:
        return Page(shown, before if more else "", after)
    return Page(shown, before if values else "", after if more else "")


def _cursor(direction: str, row: models.Model, fields: tuple[str, ...]) -> str:
    return "~".join([direction, *(str(getattr(row, name)) for name in fields)])


def _read(cursor: str, length: int) -> tuple[bool, tuple[int, ...]]:
    direction, *raw = cursor.split("~")
    if direction not in ("before", "after") or len(raw) != length:
        return False, ()
    try:
        values = tuple(int(one) for one in raw)
    except ValueError:
        return False, ()
    if any(abs(one) >= 2**63 for one in values):
        return False, ()
    return direction == "before", values


def _beyond(fields: tuple[str, ...], values: tuple[int, ...], than: str) -> Q:
    """Lexicographically past `values`."""
    beyond = Q()
    equal: dict[str, Any] = {}
    for name, value in zip(fields, values, strict=True):
        step: dict[str, Any] = {f"{name}__{than}": value, **equal}
        beyond |= Q(**step)
        equal[name] = value
    return beyond
