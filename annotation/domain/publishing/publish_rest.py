"""Publish what is left of a large batch in a job, in transactions of AT_A_TIME items.

A transaction locks the batch and counts what it has published. A job that was killed can thus be
repeated, and no item is published or paid for twice.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.domain.publishing.publish import (
    AT_A_TIME,
    publish_generations,
    published_text,
    queue_publication,
    unpublished_items,
)
from annotation.enums import BatchState
from annotation.models import Batch, TaskItem
from audit.domain.change_state import TransitionNotAllowedError, change_state, log_state_change
from crowd.domain.money.ledger import BudgetExceededError
from database.write_turns import write_turn
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.models import Job


def published_count(batch: Batch) -> int:
    """Return the number of the batch's items that are published."""
    return TaskItem.objects.filter(task__batch=batch, attempt=0).count()


def rest_of(batch: Batch) -> int:
    """Return the number of items that the publication of the batch has left."""
    return 0 if batch.to_publish is None else max(0, batch.to_publish - published_count(batch))


def has_stopped(batch: Batch) -> bool:
    """Return True if the publication ended early and can go on."""
    if batch.to_publish is None or batch.state not in (BatchState.OPEN, BatchState.PUBLISHING):
        return False
    return batch.publication is None or not batch.publication.is_unfinished


@transaction.atomic
def continue_publication(*, batch: Batch, actor: str, now: datetime) -> None:
    """Queue a job for a publication that has stopped. Raise TransitionNotAllowedError."""
    row = _locked(batch.pk)
    if row.to_publish is None or not has_stopped(row):
        raise TransitionNotAllowedError(row, row.state, BatchState.PUBLISHING)
    old = row.state
    queue_publication(batch=row, total=row.to_publish, actor=actor, now=now)
    log_state_change(instance=row, old=old, new=row.state, actor=actor, now=now)


@transaction.atomic
def publish_more(*, batch_id: int, actor: str, now: datetime) -> int:
    """Publish the batch's next items, and open it after the last. Return the number of items.

    Return 0 if the batch is not being published. Raise BudgetExceededError.
    """
    batch = _locked(batch_id)
    if batch.state != BatchState.PUBLISHING or batch.to_publish is None:
        return 0
    left = rest_of(batch)
    items = unpublished_items(batch.project, min(AT_A_TIME, left))
    publish_generations(batch=batch, items=items, now=now)
    if len(items) < AT_A_TIME or len(items) == left:
        # Others may have published or withdrawn some of the items meanwhile.
        _open(batch, actor, now, reason=published_text(batch), to_publish=None)
    return len(items)


def finish_publication(
    *,
    batch: Batch,
    actor: str,
    clock: Callable[[], datetime],
    progress: Callable[[int], object] = lambda published: None,
) -> int:
    """Publish the batch until it is complete or stopped. Return the number of published items.

    `progress` receives this number after each transaction. Raise BudgetExceededError.
    """
    published = published_count(batch)
    progress(published)
    while True:
        with write_turn():
            count = publish_more(batch_id=batch.pk, actor=actor, now=clock())
        if not count:
            return published
        published += count
        progress(published)


def _locked(batch_id: int) -> Batch:
    batches = Batch.objects.select_related("project__budget", "budget", "publication")
    return batches.select_for_update(of=("self",)).get(pk=batch_id)


def _open(batch: Batch, actor: str, now: datetime, *, reason: str, **fields: Any) -> None:
    change_state(
        instance=batch,
        new=BatchState.OPEN,
        transitions={BatchState.PUBLISHING: [BatchState.OPEN]},
        actor=actor,
        now=now,
        reason=reason,
        **fields,
    )


def _run(run: JobRun) -> dict[str, Any]:
    batch, actor = Batch.objects.get(pk=run.job.parameters["batch"]), run.job.requested_by

    def report(published: int) -> None:
        run.report(total=run.job.total, items=published)

    try:
        published = finish_publication(
            batch=batch, actor=actor, clock=timezone.now, progress=report
        )
    except BudgetExceededError as exceeded:
        count = f"{published_count(batch):,} of {run.job.total:,} items"
        raise JobFailedError(f"{count} were published. {exceeded}") from exceeded
    return {"published": published}


@transaction.atomic
def _stop(job: Job) -> None:
    """Open the batch of a job that has ended early. What it has published stays published."""
    batch = Batch.objects.select_for_update().filter(publication=job.pk).first()
    if batch is None or batch.state != BatchState.PUBLISHING:
        return
    reason = f"{published_count(batch):,} of {batch.to_publish:,} items were published."
    _open(batch, job.kind, timezone.now(), reason=reason)


KIND = JobKind(run=_run, clean_up=_stop, runs_alone=True)
