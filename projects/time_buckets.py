"""Periods of equal length, so that a chart over time has a readable number of points."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Max, Min, QuerySet
from django.db.models.functions import Trunc

T = TypeVar("T")

# The longest span that is divided into periods of this unit.
SPANS = {
    "minute": timedelta(hours=1),
    "hour": timedelta(days=3),
    "day": timedelta(days=120),
    "week": timedelta(weeks=150),
}


@dataclass(frozen=True, slots=True)
class Bucket:
    """A period with the aggregates of its rows. `start` is in UTC."""

    start: datetime
    values: tuple[Any, ...]


def unit_for(span: timedelta) -> str:
    """Return the shortest unit that divides the span into at most about 150 periods."""
    return next((unit for unit, longest in SPANS.items() if span <= longest), "month")


def aggregate_over_time(rows: QuerySet[Any], field: str, **aggregates: Any) -> list[Bucket]:
    """Return the aggregates of the rows by period of `field`, without periods that have no rows."""
    ends = rows.order_by().aggregate(first=Min(field), last=Max(field))
    if ends["first"] is None:
        return []
    kind = unit_for(ends["last"] - ends["first"])
    bucketed = rows.order_by().annotate(bucket=Trunc(field, kind, tzinfo=UTC))
    grouped = bucketed.values_list("bucket").annotate(**aggregates).order_by("bucket")
    return [Bucket(start, tuple(values)) for start, *values in grouped]


def group_over_time(rows: Iterable[tuple[datetime, T]]) -> list[tuple[datetime, list[T]]]:
    """Return rows that are already in memory by period, earliest first."""
    known = sorted(rows, key=lambda row: row[0])
    if not known:
        return []
    kind = unit_for(known[-1][0] - known[0][0])
    grouped: dict[datetime, list[T]] = {}
    for at, row in known:
        grouped.setdefault(_start_of(at, kind), []).append(row)
    return list(grouped.items())


def _start_of(at: datetime, kind: str) -> datetime:
    at = at.astimezone(UTC)
    match kind:
        case "minute":
            return at.replace(second=0, microsecond=0)
        case "hour":
            return at.replace(minute=0, second=0, microsecond=0)
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    match kind:
        case "day":
            return midnight
        case "week":
            return midnight - timedelta(days=midnight.weekday())
        case _:
            return midnight.replace(day=1)
