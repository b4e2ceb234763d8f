"""Change HITs of a project: a few at once, many in a job of short transactions.

The job stores the last HIT of each transaction with it. A job that was killed can thus be repeated,
and no HIT gets assignments twice.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotation.domain.publishing.publish import AT_A_TIME
from audit.errors import TouchstoneError
from crowd.domain.hits.manage_hits import (
    CHANGEABLE_STATES,
    add_to_each,
    check_may_grow,
    expire_hits,
    extend_hits,
    pause_hits,
    resume_hits,
)
from crowd.enums import HitState
from crowd.models import Hit, HitQuerySet
from database.write_turns import write_turn
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import queue_job
from jobs.enums import UNFINISHED
from jobs.models import Job
from projects.models import Project

HIT_CHANGES = "hit-changes"
# The HITs that each change affects.
AFFECTED: dict[str, Q] = {
    "pause": Q(state__in=CHANGEABLE_STATES, paused_at=None),
    "resume": Q(paused_at__isnull=False),
    "expire": Q(state__in=CHANGEABLE_STATES),
    "extend": Q(state__in=[HitState.LIVE, HitState.EXPIRED]) | Q(increase_to__isnull=False),
    "add": ~Q(state__in=[HitState.FAILED, HitState.WITHDRAWN]),
}


@dataclass(frozen=True, slots=True)
class HitChange:
    """A change of AFFECTED. `ends_at` is the new end, or the end of HITs that are over and grow.

    `number` is that of the assignments to add.
    """

    name: str
    actor: str
    ends_at: datetime | None = None
    number: int = 0


def change_hits(*, project: Project, hits: HitQuerySet, change: HitChange, now: datetime) -> int:
    """Change the HITs at once, or queue a job if they are more than AT_A_TIME. Return how many.

    A job that exceeds the budget stops there. Raise BudgetExceededError, HitChangeError.
    """
    affected = hits.filter(AFFECTED[change.name]).order_by("pk")
    # An earlier order that is not carried out yet decides what this one will affect.
    waits = jobs_of(scope=project.slug, kind=HIT_CHANGES).filter(state__in=UNFINISHED).exists()
    ids = list((hits.order_by("pk") if waits else affected).values_list("pk", flat=True))
    if not ids or (len(ids) <= AT_A_TIME and not waits):
        return _apply(ids, change, now)
    if change.name == "add":
        unsuitable = affected.filter(Q(external_id=None) | Q(increase_to__isnull=False))
        for hit in [*unsuitable[:1], *affected[:1]]:
            check_may_grow(hit, change.number)
    parameters = {
        "change": change.name,
        "number": change.number,
        "ends_at": change.ends_at.isoformat() if change.ends_at else None,
        "hits": ids,
    }
    queue_job(
        kind=HIT_CHANGES,
        scope=project.slug,
        parameters=parameters,
        actor=change.actor,
        now=now,
        total=len(ids),
    )
    return len(ids)


@transaction.atomic
def _apply(ids: list[int], change: HitChange, now: datetime) -> int:
    hits = Hit.objects.filter(pk__in=ids)
    match change.name:
        case "pause":
            return pause_hits(hits=hits, now=now)
        case "resume":
            return resume_hits(hits=hits, now=now)
        case "expire":
            return expire_hits(hits=hits, actor=change.actor, now=now)
    assert change.ends_at
    if change.name == "extend":
        return extend_hits(hits=hits, ends_at=change.ends_at, now=now)
    over = [hit.pk for hit in hits if hit.state != HitState.LIVE or (hit.expires_at or now) <= now]
    count = add_to_each(hits=hits, number=change.number, now=now)
    extend_hits(hits=Hit.objects.filter(pk__in=over), ends_at=change.ends_at, now=now)
    return count


def _run(run: JobRun) -> dict[str, Any]:
    job = run.job
    ids, ends_at = job.parameters["hits"], job.parameters["ends_at"]
    change = HitChange(
        name=job.parameters["change"],
        actor=job.requested_by,
        ends_at=parse_datetime(ends_at) if ends_at else None,
        number=job.parameters["number"],
    )
    done: int | None = 0
    while done is not None:
        run.report(total=len(ids), HITs=done)
        with write_turn():
            done = _change_some(job.pk, ids, change)
    return {"changed": len(ids)}


@transaction.atomic
def _change_some(job: int, ids: list[int], change: HitChange) -> int | None:
    """Change the next HITs, and store how many are done. Return this number, or None at the end.

    Raise JobFailedError if the change is not possible.
    """
    row = Job.objects.select_for_update().defer("parameters").get(pk=job)
    done = int(row.result.get("changed", 0))
    chosen = ids[done : done + AT_A_TIME]
    if not chosen:
        return None
    affected = Hit.objects.filter(AFFECTED[change.name], pk__in=chosen)
    try:
        _apply(list(affected.values_list("pk", flat=True)), change, timezone.now())
    except TouchstoneError as error:
        problem = f"{done:,} of {len(ids):,} were changed. {error}"
        raise JobFailedError(problem, result=row.result) from error
    done += len(chosen)
    Job.objects.filter(pk=job).update(result={"changed": done})
    return done


KIND = JobKind(run=_run, runs_alone=True)
