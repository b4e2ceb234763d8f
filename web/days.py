"""Filters of rows by day, in UTC."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Days:
    """The first and last day of a filter, inclusive. None means any."""

    first_day: date | None = None
    last_day: date | None = None

    def within(self, rows: QuerySet[M]) -> QuerySet[M]:
        """Return the rows whose time `at` is on one of the days."""
        if self.first_day:
            rows = rows.filter(at__gte=start_of(self.first_day))
        if self.last_day:
            rows = rows.filter(at__lt=end_of(self.last_day))
        return rows


def start_of(day: date) -> datetime:
    """Return the midnight with which the day begins."""
    return datetime.combine(day, time(), tzinfo=UTC)


def end_of(day: date) -> datetime:
    """Return the midnight with which the day ends, or the last moment of the calendar."""
    if day == date.max:
        return datetime.max.replace(tzinfo=UTC)
    return start_of(day + timedelta(days=1))
