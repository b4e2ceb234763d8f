"""What a HIT of a group pays in total and per hour, estimated from recent approved work.

Simulated workers are left out, because they work faster than people.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.core.cache import cache
from django.db.models import Max, Sum
from django.db.models.functions import Coalesce

from marketplace.enums import AssignmentStatus
from marketplace.models import Assignment, HitType

#: The newest assignments of the marketplace, which bounds the cost of the query.
MAX_READ = 2_000
CACHED_SECONDS = 300
CACHE_KEY = "typical-pay"
#: With less work, the estimate would be a guess.
FEWEST = 3
#: Bonuses come after the approval. Work approved later than this may still lack its bonus.
BONUS_DELAY = timedelta(minutes=10)

#: Like work has the same requester and title.
Kind = tuple[int, str]


@dataclass(frozen=True, slots=True)
class TypicalPay:
    """Medians of recent work: reward with bonus, and pay per hour from acceptance to submission."""

    total_cents: int
    hourly_cents: int
    has_bonus: bool


def typical_pay(*, hit_types: Iterable[HitType], now: datetime) -> dict[int, TypicalPay]:
    """Return the typical pay by HIT type, where enough of the requester's like work is known."""
    known = recent_pay(now=now)
    kinds = {hit_type.pk: (hit_type.requester_id, hit_type.title) for hit_type in hit_types}
    return {pk: known[kind] for pk, kind in kinds.items() if kind in known}


def recent_pay(*, now: datetime) -> dict[Kind, TypicalPay]:
    """Return the typical pay of recent work by requester and title, up to CACHED_SECONDS old.

    HIT types of like work share requester and title, and differ in their requirements.
    """
    cached: dict[Kind, TypicalPay] | None = cache.get(CACHE_KEY)
    if cached is not None:
        return cached
    estimates = {kind: _medians(rows) for kind, rows in _recent(now).items()}
    known = {kind: pay for kind, pay in estimates.items() if pay}
    cache.set(CACHE_KEY, known, CACHED_SECONDS)
    return known


def _recent(now: datetime) -> dict[Kind, list[tuple[int, int, float]]]:
    """Return reward, bonus and seconds of each approved assignment."""
    newest = Assignment.objects.aggregate(pk=Max("pk"))["pk"] or 0
    rows = (
        Assignment.objects.filter(
            pk__gt=newest - MAX_READ,
            status=AssignmentStatus.APPROVED,
            worker__is_simulated=False,
            closed_at__lt=now - BONUS_DELAY,
        )
        .annotate(bonus=Coalesce(Sum("bonuses__amount_cents"), 0))
        .values_list(
            "hit_type__requester_id",
            "hit_type__title",
            "reward_cents",
            "bonus",
            "accepted_at",
            "submitted_at",
        )
    )
    work = defaultdict(list)
    for requester, title, reward, bonus, accepted_at, submitted_at in rows:
        if submitted_at:
            seconds = max((submitted_at - accepted_at).total_seconds(), 1)
            work[requester, title].append((reward, bonus, seconds))
    return work


def _medians(rows: list[tuple[int, int, float]]) -> TypicalPay | None:
    if len(rows) < FEWEST:
        return None
    return TypicalPay(
        total_cents=round(median(reward + bonus for reward, bonus, _ in rows)),
        hourly_cents=round(median((reward + bonus) * 3600 / time for reward, bonus, time in rows)),
        has_bonus=any(bonus for _, bonus, _ in rows),
    )
