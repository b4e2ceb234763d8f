"""The HIT types that have HITs left for a worker, as SQL for the list and for accepting.

The database compares requirements and counts HITs, because a worker's list reads every open type.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from marketplace.domain.qualifications.requirement_rows import UNMET, held_table
from marketplace.domain.qualifications.requirements import SYSTEM, Requirement
from marketplace.models import HitType, WorkerAccount

#: HITs `hit` that are open to the worker. Its parameters are the time and the worker.
OPEN_TO_WORKER = """
hit.open AND hit.expires_at > %s AND NOT EXISTS (
    SELECT 1 FROM marketplace_assignment AS assignment
    WHERE assignment.hit_id = hit.id AND assignment.worker_id = %s AND (
        assignment.is_refused
        OR assignment.status IN ('Accepted', 'Submitted', 'Approved', 'Rejected')
    )
)
"""
# Types that the worker may discover. `lacks` is 1 if the worker may not accept the HITs.
_TYPES = """
types AS (
    SELECT hit_type.id, hit_type.code, hit_type.requester_id, hit_type.list_digest, hit_type.title,
        hit_type.reward_cents, MAX(CASE WHEN {unmet} THEN 1 ELSE 0 END) AS lacks
    FROM marketplace_hittype AS hit_type
    LEFT JOIN marketplace_hittyperequirement AS needed ON needed.hit_type_id = hit_type.id
    LEFT JOIN held ON held.code = needed.qualification_code
    WHERE EXISTS (
        SELECT 1 FROM marketplace_hit AS hit
        WHERE hit.hit_type_id = hit_type.id AND {open_to_worker}
    )
    AND NOT EXISTS (
        SELECT 1 FROM marketplace_workerblock AS block
        WHERE block.requester_id = hit_type.requester_id AND block.worker_id = %s
    )
    {conditions}
    GROUP BY hit_type.id
    HAVING MAX(CASE WHEN {unmet} AND needed.action = 'DiscoverPreviewAndAccept' THEN 1 ELSE 0 END) = 0
)
"""
_OTHER_TYPES = """
WITH {types}
SELECT code FROM types WHERE lacks = 0 ORDER BY id
"""
#: Comparators that exclude single workers, by the value that each holds.
_EXCLUDING_VALUES = ("NotIn", "NotEqualTo")


def types_table(
    *, worker: WorkerAccount, now: datetime, conditions: str, values: Sequence[Any]
) -> tuple[str, list[Any]]:
    """Return common table expressions that end with `types`, and their parameters.

    `conditions` on `hit_type`, each with a leading AND, have the parameters `values`.
    """
    held, parameters = held_table(worker)
    types = _TYPES.format(unmet=UNMET, open_to_worker=OPEN_TO_WORKER, conditions=conditions)
    at = connection.ops.adapt_datetimefield_value(now)
    return f"{held}, {types}", [*parameters, at, worker.pk, worker.pk, *values]


def other_types(*, worker: WorkerAccount, hit_type: HitType, now: datetime) -> list[str]:
    """Return the codes of the group's other types whose HITs the worker may accept, oldest first."""
    types, parameters = types_table(
        worker=worker,
        now=now,
        conditions="AND hit_type.list_digest = %s AND hit_type.id <> %s",
        values=[hit_type.list_digest, hit_type.pk],
    )
    with connection.cursor() as cursor:
        cursor.execute(_OTHER_TYPES.format(types=types), parameters)
        return [code for (code,) in cursor.fetchall()]


def list_digest(hit_type: HitType) -> str:
    """Return the digest of a group: the requester's types that differ only in excluded workers."""
    values = [
        hit_type.requester_id,
        hit_type.title,
        hit_type.description,
        hit_type.keywords,
        hit_type.reward_cents,
        hit_type.duration_seconds,
        hit_type.auto_approval_seconds,
        list(_without_exclusions(hit_type.requirements)),
    ]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _without_exclusions(requirements: Sequence[Requirement]) -> Iterator[Requirement]:
    """Return the requirements on qualifications that a worker holds, whatever their excluded values.

    A location, or a qualification of the system, describes many workers and excludes none.
    """
    for requirement in requirements:
        comparator = requirement["Comparator"]
        if requirement["QualificationTypeId"] in SYSTEM:
            yield requirement
        elif comparator in _EXCLUDING_VALUES:
            kept = {name: value for name, value in requirement.items() if name != "IntegerValues"}
            yield kept | {"Comparator": "Exists"}
        elif comparator != "DoesNotExist":
            yield requirement
