"""Long lists, a page at a time, by key: as quick on the last page as on the first."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Q, QuerySet

Row = TypeVar("Row")

SIZE = 50
MOST_READ = 5000


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Rows in their order, and the `page` parameters of the neighbours ("" where there is none)."""

    rows: list[Row]
    previous: str = ""
    following: str = ""


def page_of(
    rows: QuerySet[Any, Row],
    *,
    cursor: str,
    by: tuple[str, ...],
    size: int = SIZE,
    keep: Callable[[list[Row]], list[Row]] | None = None,
) -> Page[Row]:
    """The page of `rows` (models, or named values) that `cursor` points to; the first one for a cursor
    that is none.

    `by` names whole-number fields that together are unique; all of them ascend, or with a minus
    before the first all of them descend. `keep` leaves out rows of a list of them that a statement
    can't leave out quickly; more are read until the page is full.
    """
    descending = by[0].startswith("-")
    fields = tuple(name.lstrip("-") for name in by)
    backwards, values = _read(cursor, len(fields))
    upwards = descending if backwards else not descending
    ordered = rows.order_by(*(name if upwards else f"-{name}" for name in fields))
    way = _Way(fields, "gt" if upwards else "lt")
    if values:
        ordered = ordered.filter(way.beyond(values))
    found = way.read(ordered, keep, size + 1) if keep else list(ordered[: size + 1])
    more, shown = len(found) > size, found[:size]
    if backwards:
        shown.reverse()
    if not shown:
        return Page([])
    before, after = _cursor("before", shown[0], fields), _cursor("after", shown[-1], fields)
    if backwards:
        return Page(shown, before if more else "", after)
    return Page(shown, before if values else "", after if more else "")


def _cursor(direction: str, row: object, fields: tuple[str, ...]) -> str:
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


@dataclass(frozen=True, slots=True)
class _Way:
    """The order in which rows are read: by which fields, and what comes later."""

    fields: tuple[str, ...]
    than: str

    def beyond(self, values: tuple[int, ...]) -> Q:
        """Lexicographically past `values`."""
        beyond = Q()
        equal: dict[str, Any] = {}
        for name, value in zip(self.fields, values, strict=True):
            step: dict[str, Any] = {f"{name}__{self.than}": value, **equal}
            beyond |= Q(**step)
            equal[name] = value
        return beyond

    def read(
        self, ordered: QuerySet[Any, Row], keep: Callable[[list[Row]], list[Row]], count: int
    ) -> list[Row]:
        """The first `count` rows that are kept; read in growing lists, since few may be."""
        found: list[Row] = []
        step, rest = 2 * count, ordered
        while len(found) < count:
            rows = list(rest[:step])
            found += keep(rows)
            if len(rows) < step:
                break
            last = tuple(getattr(rows[-1], name) for name in self.fields)
            rest, step = ordered.filter(self.beyond(last)), min(2 * step, MOST_READ)
        return found[:count]
