"""Search, filter and sort the groups of HITs that are open to a worker.

The database filters and sorts all groups before the list is divided into pages, so no requester can
push the groups of others out of it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from urllib.parse import urlencode

from django.db import connection
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy

from marketplace.domain.hits.open_types import OPEN_TO_WORKER, types_table
from marketplace.domain.hits.typical_pay import TypicalPay, recent_pay, typical_pay
from marketplace.domain.qualifications.qualifications import held_by
from marketplace.domain.qualifications.requirements import Requirement, unmet
from marketplace.enums import Guarded
from marketplace.models import HitType, WorkerAccount

#: The list shows "1,000+" from here on, so that its cost does not grow with the open HITs.
MAX_COUNTED = 1_000
PER_PAGE = 25
#: Groups that the list shows of each requester, while others have groups too. Where few requesters
#: have groups, they divide a page evenly. The list of a single requester has all groups.
MIN_OF_REQUESTER = 5


class Sort(TextChoices):
    NEWEST = "newest", gettext_lazy("Newest")
    REWARD = "reward", gettext_lazy("Highest reward")
    HOURLY = "hourly", gettext_lazy("Highest hourly pay")
    REMAINING = "remaining", gettext_lazy("Most tasks remaining")
    REQUESTER = "requester", gettext_lazy("Requester")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFilter:
    """What a worker looks for. Money is in cents; zero means no minimum.

    The words of `text` are found in title, description, keywords and requester. With
    `min_hourly_cents`, groups without an estimate are left out. `requester` is the code of a
    requester.
    """

    text: str = ""
    min_reward_cents: int = 0
    min_hourly_cents: int = 0
    qualified_only: bool = False
    sort: str = Sort.NEWEST
    requester: str = ""

    def url_query(self) -> str:
        """Return the query string with which the list shows this filter."""
        fields = {
            "text": self.text,
            "reward": f"{self.min_reward_cents / 100:.2f}" if self.min_reward_cents else "",
            "hourly": f"{self.min_hourly_cents / 100:.2f}" if self.min_hourly_cents else "",
            "qualified": "on" if self.qualified_only else "",
            "sort": self.sort if self.sort != Sort.NEWEST else "",
            "requester": self.requester,
        }
        return urlencode({name: value for name, value in fields.items() if value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """HIT types with HITs left for a worker that differ only in the workers they exclude.

    `hit_type` is the newest that the worker may accept, if there is one. `lacking` are the
    requirements for accepting that the worker does not meet. `available` counts up to MAX_COUNTED.
    `left_out` counts the requester's further groups, at the last group that the list shows.
    """

    hit_type: HitType
    available: int
    pay: TypicalPay | None
    lacking: list[Requirement]
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The place in a sorted list before or after a group: its sort key and the id of its HIT type."""

    key: int | str
    hit_type: int
    is_backwards: bool

    @classmethod
    def parse(cls, text: str, *, sort: str, is_backwards: bool) -> Self | None:
        """Return the position that `str()` has written, or None for any other text."""
        key, _, pk = text.rpartition("_")
        if not re.fullmatch(r"[0-9]{1,15}", pk):
            return None
        if sort == Sort.REQUESTER:
            return cls(key=key, hit_type=int(pk), is_backwards=is_backwards)
        if not re.fullmatch(r"-?[0-9]{1,15}", key):
            return None
        return cls(key=int(key), hit_type=int(pk), is_backwards=is_backwards)

    def __str__(self) -> str:
        return f"{self.key}_{self.hit_type}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPage:
    """A page of groups, the number of groups on all pages, and the positions of its neighbours."""

    groups: list[Group]
    total: int
    previous: Position | None
    following: Position | None


def find_groups(
    *,
    worker: WorkerAccount,
    wanted: GroupFilter,
    now: datetime,
    newer_than: int = 0,
    position: Position | None = None,
    size: int = PER_PAGE,
) -> GroupPage:
    """Return a page of the groups that the worker may discover and that match the filter.

    With `newer_than`, the id of a HIT, groups with a HIT up to that id are left out.
    """
    search = _Search(
        worker=worker,
        wanted=wanted,
        now=now,
        newer_than=newer_than,
        position=position,
        size=size,
    )
    statement, parameters = _statement(search)
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows = cursor.fetchall()
    is_backwards = search.is_backwards
    if position and (not rows or (is_backwards and len(rows) <= size)):
        # Groups have closed since, so that the position has become the first page.
        return find_groups(worker=worker, wanted=wanted, now=now, newer_than=newer_than, size=size)
    goes_on = len(rows) > size
    rows = rows[:size][::-1] if is_backwards else rows[:size]
    return GroupPage(
        groups=_groups(worker, rows, now),
        total=rows[0][2] if rows else 0,
        previous=_position(rows[0], is_backwards=True) if rows and position else None,
        following=_position(rows[-1], is_backwards=False) if goes_on or is_backwards else None,
    )


# The id of the type to show, its sort key, all groups, the requester's left out, and open HITs.
_Row = tuple[int, int | str, int, int, int]


def _position(row: _Row, *, is_backwards: bool) -> Position:
    return Position(key=row[1], hit_type=row[0], is_backwards=is_backwards)


def _groups(worker: WorkerAccount, rows: Iterable[_Row], now: datetime) -> list[Group]:
    types = HitType.objects.select_related("requester").in_bulk([row[0] for row in rows])
    pay = typical_pay(hit_types=types.values(), now=now)
    held = held_by(worker)
    return [
        Group(
            hit_type=types[pk],
            available=available,
            pay=pay.get(pk),
            lacking=unmet(types[pk].requirements, held, action=Guarded.ACCEPT),
            left_out=left_out,
        )
        for pk, _, _, left_out, available in rows
    ]


# In `members`, a group has its types, and the first is the one to show. The order is ascending, so
# the keys of most sorts are negative. The inner LIMIT bounds the cost of a count.
_GROUPS = """
WITH {types},
pay (requester_id, title, total_cents, hourly_cents) AS ({pay}),
members AS (
    SELECT types.*, ROW_NUMBER() OVER (
        PARTITION BY types.list_digest ORDER BY types.lacks, types.id DESC
    ) AS member, {available} AS available
    FROM types
),
matches AS (
    SELECT members.id, members.requester_id, members.list_digest, members.lacks, {key} AS sort_key
    FROM members
    JOIN marketplace_requester AS requester ON requester.id = members.requester_id
    LEFT JOIN pay ON pay.requester_id = members.requester_id AND pay.title = members.title
    WHERE members.member = 1 {conditions}
),
ranked AS (
    SELECT matches.*, COUNT(*) OVER () AS total,
        COUNT(*) OVER (PARTITION BY requester_id) AS of_requester,
        ROW_NUMBER() OVER (PARTITION BY requester_id ORDER BY sort_key, id DESC) AS place
    FROM matches
),
listed AS (
    SELECT ranked.*, MAX(place) OVER (PARTITION BY requester_id) AS last_place
    FROM ranked
    WHERE of_requester = total OR total <= %s OR place <= %s
        OR place * (SELECT COUNT(DISTINCT requester_id) FROM matches) <= %s
)
SELECT page.id, page.sort_key, page.total,
    CASE WHEN page.place = page.last_place THEN page.of_requester - page.place ELSE 0 END,
    (
        SELECT COUNT(*) FROM (
            SELECT 1 FROM types
            JOIN marketplace_hit AS hit ON hit.hit_type_id = types.id
            WHERE types.list_digest = page.list_digest AND types.lacks = page.lacks
                AND {open_to_worker}
            LIMIT %s
        ) AS counted
    )
FROM (
    SELECT * FROM listed {position} ORDER BY {order} LIMIT %s
) AS page
ORDER BY {order}
"""
_NO_PAY = "SELECT CAST(NULL AS bigint), CAST(NULL AS text), 0, 0 WHERE 1 = 0"
_KEYS: Mapping[str, str] = {
    Sort.NEWEST: "0",
    Sort.REWARD: "-COALESCE(pay.total_cents, members.reward_cents)",
    Sort.HOURLY: "-COALESCE(pay.hourly_cents, 0)",
    Sort.REMAINING: "-members.available",
    Sort.REQUESTER: "lower(requester.name)",
}
_AVAILABLE = """
CAST(SUM((
    SELECT COUNT(*) FROM (
        SELECT 1 FROM marketplace_hit AS hit
        WHERE hit.hit_type_id = types.id AND {open_to_worker}
        LIMIT %s
    ) AS counted
)) OVER (PARTITION BY types.list_digest, types.lacks) AS bigint)
"""
_HAS_TEXT = """
AND EXISTS (
    SELECT 1 FROM marketplace_requester AS requester
    WHERE requester.id = hit_type.requester_id AND lower(
        hit_type.title || ' ' || hit_type.description || ' ' || hit_type.keywords || ' '
        || requester.name
    ) LIKE %s ESCAPE '!'
)
"""
_IS_OF_REQUESTER = """
AND hit_type.requester_id IN (SELECT id FROM marketplace_requester WHERE code = %s)
"""
_IS_NEW = """
AND NOT EXISTS (
    SELECT 1 FROM marketplace_hittype AS hit_type
    JOIN marketplace_hit AS hit ON hit.hit_type_id = hit_type.id
    WHERE hit_type.list_digest = members.list_digest AND hit.id <= %s
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """What `find_groups` has been asked for."""

    worker: WorkerAccount
    wanted: GroupFilter
    now: datetime
    newer_than: int
    position: Position | None
    size: int

    @property
    def is_backwards(self) -> bool:
        return self.position is not None and self.position.is_backwards


def _statement(search: _Search) -> tuple[str, list[Any]]:
    """Return the statement and its parameters, in the order in which it has them."""
    wanted, position = search.wanted, search.position
    of_types, type_values = _conditions_on_types(wanted)
    types, parameters = types_table(
        worker=search.worker, now=search.now, conditions=of_types, values=type_values
    )
    pay, pay_values = _pay_table(wanted, search.now)
    conditions, values = _conditions_on_groups(wanted, search.newer_than)
    counts = wanted.sort == Sort.REMAINING
    statement = _GROUPS.format(
        types=types,
        pay=pay,
        available=_AVAILABLE.format(open_to_worker=OPEN_TO_WORKER) if counts else "0",
        key=_KEYS[wanted.sort],
        conditions=conditions,
        open_to_worker=OPEN_TO_WORKER,
        position=_position_condition(is_backwards=search.is_backwards) if position else "",
        order="sort_key DESC, id" if search.is_backwards else "sort_key, id DESC",
    )
    at = connection.ops.adapt_datetimefield_value(search.now)
    counted = [at, search.worker.pk, MAX_COUNTED]
    parameters += [*pay_values, *(counted if counts else []), *values]
    parameters += [search.size, MIN_OF_REQUESTER, search.size, *counted]
    if position:
        parameters += [position.key, position.key, position.hit_type]
    return statement, [*parameters, search.size + 1]


def _position_condition(*, is_backwards: bool) -> str:
    before, after = (">", "<") if is_backwards else ("<", ">")
    return f"WHERE sort_key {after} %s OR (sort_key = %s AND id {before} %s)"


def _conditions_on_types(wanted: GroupFilter) -> tuple[str, list[Any]]:
    conditions = ["AND hit_type.reward_cents >= %s"]
    values: list[Any] = [wanted.min_reward_cents]
    if wanted.text:
        conditions.append(_HAS_TEXT)
        values.append(_pattern(wanted.text))
    if wanted.requester:
        conditions.append(_IS_OF_REQUESTER)
        values.append(wanted.requester)
    return " ".join(conditions), values


def _conditions_on_groups(wanted: GroupFilter, newer_than: int) -> tuple[str, list[Any]]:
    conditions: list[str] = []
    values: list[Any] = []
    if wanted.qualified_only:
        conditions.append("AND members.lacks = 0")
    if wanted.min_hourly_cents:
        conditions.append("AND pay.hourly_cents >= %s")
        values.append(wanted.min_hourly_cents)
    if newer_than:
        conditions.append(_IS_NEW)
        values.append(newer_than)
    return " ".join(conditions), values


def _pay_table(wanted: GroupFilter, now: datetime) -> tuple[str, list[Any]]:
    """Return the typical pay by requester and title as rows, if the filter or the sort needs it."""
    if wanted.sort not in (Sort.REWARD, Sort.HOURLY) and not wanted.min_hourly_cents:
        return _NO_PAY, []
    estimates = recent_pay(now=now)
    if not estimates:
        return _NO_PAY, []
    values: list[Any] = []
    for (requester, title), pay in estimates.items():
        values += [requester, title, pay.total_cents, pay.hourly_cents]
    return f"VALUES {', '.join(['(%s, %s, %s, %s)'] * len(estimates))}", values


def _pattern(text: str) -> str:
    """Return a LIKE pattern that finds the words in this order, with anything between them."""
    words = text.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_").split()
    return f"%{'%'.join(words)}%"
