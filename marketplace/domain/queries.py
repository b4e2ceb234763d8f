"""Reads that pages and the API share."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from marketplace.models import HitType, Message, WorkerAccount

#: The list counts so far and then says "1,000+": no page counts a hundred thousand HITs.
MOST_COUNTED = 1_000
MOST_GROUPS = 500


@dataclass(frozen=True, slots=True)
class Group:
    """The HITs of one type that a worker could still do; `available` stops at MOST_COUNTED."""

    hit_type: HitType
    available: int


# A correlated count with a limit inside: one query, whose cost does not grow with the open HITs.
_GROUPS = """
SELECT t.id, (
    SELECT count(*) FROM (
        SELECT 1 FROM marketplace_hit h
        WHERE h.hit_type_id = t.id AND h.open AND h.expires_at > %s
          AND NOT EXISTS (
            SELECT 1 FROM marketplace_assignment a
            WHERE a.hit_id = h.id AND a.worker_id = %s
              AND a.status IN ('Accepted', 'Submitted', 'Approved', 'Rejected'))
        LIMIT %s
    ) counted
) AS available
FROM marketplace_hittype t
WHERE EXISTS (SELECT 1 FROM marketplace_hit h WHERE h.hit_type_id = t.id AND h.open)
  AND NOT EXISTS (
    SELECT 1 FROM marketplace_workerblock b
    WHERE b.requester_id = t.requester_id AND b.worker_id = %s)
ORDER BY t.id DESC
LIMIT %s
"""


def open_groups(*, worker: WorkerAccount, now: datetime) -> Sequence[Group]:
    """Groups with something left for this worker, newest first, whatever they ask for."""
    with connection.cursor() as cursor:
        stamp = connection.ops.adapt_datetimefield_value(now)
        cursor.execute(_GROUPS, [stamp, worker.pk, MOST_COUNTED, worker.pk, MOST_GROUPS])
        counts = {pk: available for pk, available in cursor.fetchall() if available}
    types = HitType.objects.select_related("requester").in_bulk(counts)
    return [Group(types[pk], available) for pk, available in counts.items() if pk in types]


def unread_messages(worker: WorkerAccount) -> int:
    return Message.objects.filter(worker=worker, read_at__isnull=True).count()
