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
            rows = rows.filter(at__gte=_midnight(self.first_day))
        if self.last_day:
            rows = rows.filter(at__lt=_midnight(self.last_day + timedelta(days=1)))
        return rows


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
