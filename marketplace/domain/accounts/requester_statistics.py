"""How requesters have decided on the work of others, as workers see it before they accept a HIT.

Simulated workers are left out, as in `typical_pay`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db.models import Avg, Count, F, Q

from marketplace.enums import AssignmentStatus
from marketplace.models import Assignment, Requester

PERIOD = timedelta(days=90)
CACHED_SECONDS = 300
#: With fewer decisions, a share would be a guess.
FEWEST = 10


@dataclass(frozen=True, slots=True)
class RequesterStatistics:
    """Decisions on assignments that were submitted during the last PERIOD."""

    approved: int
    rejected: int
    mean_seconds: int  # from submission to decision

    @property
    def decided(self) -> int:
        return self.approved + self.rejected

    @property
    def approval_percent(self) -> int:
        """The share of approved work, rounded down, so that 100 means that nothing was rejected."""
        return 100 * self.approved // self.decided


def requester_statistics(
    *, requesters: Iterable[Requester], now: datetime
) -> dict[int, RequesterStatistics]:
    """Return the statistics by requester id, for those with at least FEWEST decisions.

    They are up to CACHED_SECONDS old.
    """
    keys = {requester.pk: f"requester-statistics-{requester.pk}" for requester in requesters}
    cached = cache.get_many(keys.values())
    unknown = [pk for pk, key in keys.items() if key not in cached]
    if unknown:
        counted = _count(unknown, now)
        fresh = {keys[pk]: counted.get(pk) for pk in unknown}
        cache.set_many(fresh, CACHED_SECONDS)
        cached |= fresh
    found = {pk: cached[key] for pk, key in keys.items()}
    return {pk: statistics for pk, statistics in found.items() if statistics}


def _count(requester_ids: list[int], now: datetime) -> dict[int, RequesterStatistics]:
    approved, rejected = (
        Q(status=status) for status in (AssignmentStatus.APPROVED, AssignmentStatus.REJECTED)
    )
    rows = (
        Assignment.objects.filter(
            approved | rejected,
            hit_type__requester__in=requester_ids,
            worker__is_simulated=False,
            submitted_at__gte=now - PERIOD,
        )
        .values("hit_type__requester_id")
        .annotate(
            approved=Count("pk", filter=approved),
            rejected=Count("pk", filter=rejected),
            time=Avg(F("closed_at") - F("submitted_at")),
        )
        .order_by()
    )
    return {
        row["hit_type__requester_id"]: RequesterStatistics(
            row["approved"], row["rejected"], round(row["time"].total_seconds())
        )
        for row in rows
        if row["approved"] + row["rejected"] >= FEWEST
    }
