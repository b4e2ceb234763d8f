"""Keyset pagination for pages, as fast on the last page as on the first."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Q, QuerySet

Row = TypeVar("Row")

SIZE = 50
MOST_READ = 5000


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """A page of rows, with the cursors of the neighbouring pages or empty strings."""

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
    """Return the page of `rows` (models or named values) at `cursor`, or the first page.

    `by` names integer fields that are unique together. All of them ascend, or all descend if the first
    has a minus. `keep` filters a list of rows where a query could not do so quickly. More rows are
    read until the page is full.
    """
    descending = by[0].startswith("-")
    fields = tuple(name.lstrip("-") for name in by)
    backwards, values = _read(cursor, len(fields))
    upwards = descending if backwards else not descending
    ordered = rows.order_by(*(name if upwards else f"-{name}" for name in fields))
    order = _Order(fields, "gt" if upwards else "lt")
    if values:
        ordered = ordered.filter(order.beyond(values))
    read = order.read(ordered, keep, size + 1) if keep else list(ordered[: size + 1])
    more, shown = len(read) > size, read[:size]
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
        values = tuple(int(text) for text in raw)
    except ValueError:
        return False, ()
    if any(abs(value) >= 2**63 for value in values):
        return False, ()
    return direction == "before", values


@dataclass(frozen=True, slots=True)
class _Order:
    """The fields that order the rows, and the lookup for later rows (`gt` or `lt`)."""

    fields: tuple[str, ...]
    than: str

    def beyond(self, values: tuple[int, ...]) -> Q:
        """Return a condition for rows that come after `values`."""
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
        """Return the first `count` rows that `keep` returns, reading increasingly long lists."""
        matches: list[Row] = []
        step, rest = 2 * count, ordered
        while len(matches) < count:
            rows = list(rest[:step])
            matches += keep(rows)
            if len(rows) < step:
                break
            last = tuple(getattr(rows[-1], name) for name in self.fields)
            rest, step = ordered.filter(self.beyond(last)), min(2 * step, MOST_READ)
        return matches[:count]
