"""What changed between two releases of a project: items, their units, and figures."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from releases.domain.released import Released
from releases.domain.rows import context_of_row, row_of_json
from releases.models import Release
from schemes.contract.comparison import AlignedRow, RowSide
from schemes.contract.items import ItemContext
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.json_differences import LONGEST, shown_value
from web.downloads import no_formula

ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"
COLUMNS = ("change", "item", "part", "old", "new", "reason")
# Rows of comparisons that are the same on both sides.
_SAME = ("found", "approved")
NOT_RELEASED = "Not in the released partitions, or without gold."


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """A part of an item's content, such as a span. `old` is "" for a new part, `new` for a lost one."""

    part: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A changed item. `kind` is ADDED, REMOVED, CHANGED or MOVED to another domain or partition.

    `reason` is that of a withdrawal, for a removed item.
    """

    kind: str
    key: str
    parts: Sequence[ChangedPart] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure that differs, None where it is missing. `unit` is "%", "cents" or "" for a count."""

    label: str
    unit: str
    old: float | None
    new: float | None


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences between two releases. `unchanged` counts the other items."""

    items: Sequence[ItemChange] = ()
    figures: Sequence[FigureChange] = ()
    unchanged: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


def differences_between(old: Release, new: Release) -> Differences:
    """Return the differences. Contents are compared by the scheme of the newer release."""
    before, after = (
        {
            row[0]: row[1:]
            for row in release.items.values_list("key", "digest", "domain", "partition")
        }
        for release in (old, new)
    )
    withdrawn = {row["key"]: row["reason"] for row in new.facts["withdrawn"]}
    changes = [ItemChange(ADDED, key) for key in after.keys() - before.keys()]
    changes += [
        ItemChange(REMOVED, key, reason=withdrawn.get(key, NOT_RELEASED))
        for key in before.keys() - after.keys()
    ]
    both = before.keys() & after.keys()
    changes += _changed(old, new, [key for key in both if before[key][0] != after[key][0]])
    changes += [
        ItemChange(MOVED, key, [ChangedPart("place", *map(_place, (before[key], after[key])))])
        for key in both
        if before[key][1:] != after[key][1:]
    ]
    kinds = (ADDED, REMOVED, CHANGED, MOVED)
    changes.sort(key=lambda change: (kinds.index(change.kind), change.key))
    return Differences(
        items=changes,
        figures=list(_figures(old, new)),
        unchanged=sum(before[key] == after[key] for key in both),
        counts={kind: sum(change.kind == kind for change in changes) for kind in kinds},
    )


def _place(row: Sequence[str]) -> str:
    """Return the domain and partition of an item."""
    return " / ".join(name or "(none)" for name in row[1:])


def _changed(old: Release, new: Release, keys: Sequence[str]) -> Iterator[ItemChange]:
    earlier = dict(old.items.filter(key__in=keys).values_list("key", "row"))
    released = Released(new)
    for key, row in new.items.filter(key__in=keys).values_list("key", "row"):
        yield ItemChange(CHANGED, key, _changed_parts(released, earlier[key], row))


def _changed_parts(released: Released, old: Json, new: Json) -> list[ChangedPart]:
    """Return the changed parts, from the sentence to the units of the content."""
    parts = [
        ChangedPart(name, *(_shortened(shown_value(row[name])) for row in (old, new)))
        for name in ("tokens", "text", "target")
        if old[name] != new[name]
    ]
    if old["content"] != new["content"]:
        context = context_of_row(row_of_json(new), released.resources)
        parts += _changed_units(released.scheme, old["content"], new["content"], context)
    return parts


def _changed_units(scheme: Scheme, old: Json, new: Json, context: ItemContext) -> list[ChangedPart]:
    """Return the units that the scheme's comparison finds changed, or the fields that differ.

    Contents of different definitions can't be compared by units.
    """
    try:
        rows = scheme.comparison.compare(old, new, context).rows
    except (LookupError, ValueError, TypeError):
        rows = ()
    units = [_changed_unit(row) for row in rows if row.state not in _SAME]
    return units or [
        ChangedPart(name, shown_value(old.get(name)), shown_value(new.get(name)))
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]


def _changed_unit(row: AlignedRow) -> ChangedPart:
    if row.reference is None or row.predicted is None:
        part = f"unit {REMOVED if row.predicted is None else ADDED}"
    else:
        part = row.detail or f"unit {CHANGED}"
    return ChangedPart(_shortened(part), _side(row.reference), _side(row.predicted))


def _side(side: RowSide | None) -> str:
    return _shortened(": ".join(filter(None, [", ".join(side.labels), side.value]))) if side else ""


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _figures(old: Release, new: Release) -> Iterator[FigureChange]:
    before, after = (
        {row["label"]: row for row in release.facts["figures"]} for release in (old, new)
    )
    for label in dict.fromkeys([*before, *after]):
        values = [rows.get(label, {}).get("value") for rows in (before, after)]
        if values[0] != values[1]:
            unit = (after.get(label) or before[label])["unit"]
            yield FigureChange(label, unit, *values)


def differences_csv(differences: Differences) -> str:
    """Return the differences as CSV, with a row per changed part, item and figure."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for change in differences.items:
        for part in change.parts or [ChangedPart("", "", "")]:
            cells = (change.kind, change.key, part.part, part.old, part.new, change.reason)
            writer.writerow(map(no_formula, cells))
    for figure in differences.figures:
        writer.writerow(("figure", "", figure.label, _value(figure.old), _value(figure.new), ""))
    return file.getvalue()


def _value(value: float | None) -> Any:
    return "" if value is None else value
