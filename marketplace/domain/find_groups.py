"""Search, filter and sort the groups of HITs that are open to a worker."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.db.models import TextChoices

from marketplace.domain.qualifications import held_by
from marketplace.domain.requirements import Requirement, unmet
from marketplace.domain.typical_pay import TypicalPay, typical_pay
from marketplace.enums import Guarded
from marketplace.models import HitType, WorkerAccount

#: The list shows "1,000+" from here on, so that its cost does not grow with the open HITs.
MOST_COUNTED = 1_000
MOST_GROUPS = 500


class Sort(TextChoices):
    NEWEST = "newest", "Newest"
    REWARD = "reward", "Highest reward"
    HOURLY = "hourly", "Highest hourly pay"
    REMAINING = "remaining", "Most HITs remaining"
    REQUESTER = "requester", "Requester"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFilter:
    """What a worker looks for. Money is in cents; zero means no minimum.

    The words of `text` are found in title, description, keywords and requester. With
    `min_hourly_cents`, groups without an estimate are left out.
    """

    text: str = ""
    min_reward_cents: int = 0
    min_hourly_cents: int = 0
    qualified_only: bool = False
    sort: str = Sort.NEWEST

    def url_query(self) -> str:
        """Return the query string with which the list shows this filter."""
        fields = {
            "text": self.text,
            "reward": f"{self.min_reward_cents / 100:.2f}" if self.min_reward_cents else "",
            "hourly": f"{self.min_hourly_cents / 100:.2f}" if self.min_hourly_cents else "",
            "qualified": "on" if self.qualified_only else "",
            "sort": self.sort if self.sort != Sort.NEWEST else "",
        }
        return urlencode({name: value for name, value in fields.items() if value})


@dataclass(frozen=True, slots=True)
class Group:
    """A HIT type with HITs left for a worker, counted up to MOST_COUNTED.

    `lacking` are the requirements for accepting that the worker does not meet.
    """

    hit_type: HitType
    available: int
    pay: TypicalPay | None
    lacking: list[Requirement]

    @property
    def reward_cents(self) -> int:
        """The typical reward with bonus, or the reward if nothing is known."""
        return self.pay.total_cents if self.pay else self.hit_type.reward_cents

    @property
    def hourly_cents(self) -> int:
        return self.pay.hourly_cents if self.pay else 0


def find_groups(
    *, worker: WorkerAccount, wanted: GroupFilter, now: datetime, newer_than: int = 0
) -> list[Group]:
    """Return up to MOST_GROUPS groups that the worker may discover and that match the filter.

    With `newer_than`, the id of a HIT, groups with a HIT up to that id are left out.
    """
    held = held_by(worker)
    counts = _open_hit_types(worker, wanted, newer_than, now)
    types = HitType.objects.select_related("requester").in_bulk(counts)
    shown = [
        types[pk]
        for pk in counts
        if pk in types and not unmet(types[pk].requirements, held, action=Guarded.DISCOVER)
    ]
    pay = typical_pay(hit_types=shown, now=now)
    groups = [
        Group(
            hit_type,
            counts[hit_type.pk],
            pay.get(hit_type.pk),
            unmet(hit_type.requirements, held, action=Guarded.ACCEPT),
        )
        for hit_type in shown
    ]
    return sorted(filter(_matches(wanted), groups), key=_SORT_KEYS[wanted.sort])


def _matches(wanted: GroupFilter) -> Callable[[Group], bool]:
    def matches(group: Group) -> bool:
        if wanted.qualified_only and group.lacking:
            return False
        return group.hourly_cents >= wanted.min_hourly_cents

    return matches


# The rows come newest first, and sorting keeps the order of equals.
_SORT_KEYS: Mapping[str, Callable[[Group], Any]] = {
    Sort.NEWEST: lambda group: 0,
    Sort.REWARD: lambda group: -group.reward_cents,
    Sort.HOURLY: lambda group: -group.hourly_cents,
    Sort.REMAINING: lambda group: -group.available,
    Sort.REQUESTER: lambda group: group.hit_type.requester.name.casefold(),
}

# The inner LIMIT bounds the cost of the count.
_GROUPS = """
SELECT t.id, (
    SELECT count(*) FROM (
        SELECT 1 FROM marketplace_hit h
        WHERE h.hit_type_id = t.id AND h.open AND h.expires_at > %s
          AND NOT EXISTS (
            SELECT 1 FROM marketplace_assignment a
            WHERE a.hit_id = h.id AND a.worker_id = %s
              AND (a.is_refused
                OR a.status IN ('Accepted', 'Submitted', 'Approved', 'Rejected')))
        LIMIT %s
    ) counted
) AS available
FROM marketplace_hittype t
WHERE EXISTS (SELECT 1 FROM marketplace_hit h WHERE h.hit_type_id = t.id AND h.open)
  AND (%s = 0 OR NOT EXISTS (
    SELECT 1 FROM marketplace_hit h WHERE h.hit_type_id = t.id AND h.id <= %s))
  AND t.reward_cents >= %s
  AND EXISTS (
    SELECT 1 FROM marketplace_requester r
    WHERE r.id = t.requester_id
      AND lower(t.title || ' ' || t.description || ' ' || t.keywords || ' ' || r.name)
        LIKE %s ESCAPE '!')
  AND NOT EXISTS (
    SELECT 1 FROM marketplace_workerblock b
    WHERE b.requester_id = t.requester_id AND b.worker_id = %s)
ORDER BY t.id DESC
LIMIT %s
"""


def _open_hit_types(
    worker: WorkerAccount, wanted: GroupFilter, newer_than: int, now: datetime
) -> dict[int, int]:
    """Return the worker's HITs left by the HIT type's id, newest type first."""
    with connection.cursor() as cursor:
        parameters = [
            connection.ops.adapt_datetimefield_value(now),
            worker.pk,
            MOST_COUNTED,
            newer_than,
            newer_than,
            wanted.min_reward_cents,
            _pattern(wanted.text),
            worker.pk,
            MOST_GROUPS,
        ]
        cursor.execute(_GROUPS, parameters)
        return {pk: available for pk, available in cursor.fetchall() if available}


def _pattern(text: str) -> str:
    """Return a LIKE pattern that finds the words in this order, with anything between them."""
    words = text.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_").split()
    return f"%{'%'.join(words)}%"
