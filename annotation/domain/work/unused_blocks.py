"""Delete blocks that were assigned to workers who do not work on them.

Anyone who knows a task's address can open it under any worker's id, which assigns that worker a block.
"""

from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.work.unconfirmed_drafts import AGE, CHUNK, max_time
from annotation.models import BlockAssignment, Draft
from crowd.domain.provider.hold_publishing import active_hold
from crowd.models import Assignment


def delete_unused_blocks(*, now: datetime) -> int:
    """Delete blocks of workers who saved no work in time. Return how many.

    Time is AGE plus the time that a worker has for a task of the batch. A restored installation first
    reads the marketplace's assignments.
    """
    if active_hold():
        return 0
    rows = _unused().filter(assigned_at__lt=now - AGE).only("batch_id", "assigned_at")
    times = {batch: max_time(batch) for batch in set(rows.values_list("batch_id", flat=True))}
    due = [row.pk for row in rows if row.assigned_at < now - AGE - times[row.batch_id]]
    for start in range(0, len(due), CHUNK):
        _unused().filter(pk__in=due[start : start + CHUNK]).delete()
    return len(due)


def _unused() -> QuerySet[BlockAssignment]:
    drafts = Draft.objects.filter(task__batch=OuterRef("batch"), worker_ref=OuterRef("worker_ref"))
    confirmed = Assignment.objects.filter(
        hit__task__batch=OuterRef("batch"), worker__external_id=OuterRef("worker_ref")
    )
    return BlockAssignment.objects.filter(~Exists(drafts), ~Exists(confirmed))
