"""Archive projects, which makes them read-only, and bring them back."""

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Sum

from annotation.domain.publishing.batch_actions import expire_batch
from annotation.domain.publishing.queries import waiting_work
from annotation.enums import BatchState, HeldBonusState
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from benchmarks.models import Phase
from crowd.enums import ENDED_PAYMENTS, AssignmentState, HitState
from crowd.models import Assignment, Hit, Payment
from jobs.domain.queries import jobs_of
from jobs.enums import UNFINISHED
from projects.models import Project
from web.money import dollars


class WorkLeftError(TouchstoneError):
    """The project has work or money that is not settled. The message says what to do."""


def work_left(project: Project) -> list[str]:
    """Return a sentence for everything that must end before the project can be archived or deleted."""
    return list(_work_left(project))


def _work_left(project: Project) -> Iterator[str]:
    hit, hits = project.hit_noun, Hit.objects.filter(budget=project.budget_id)
    if count := hits.filter(state__in=[HitState.PENDING, HitState.LIVE]).count():
        noun = f"{hit} is" if count == 1 else f"{hit}s are"
        yield f"{count:,} {noun} open. End their batches first."
    if count := hits.filter(state=HitState.EXPIRED).exclude(sync_due_at=None).count():
        noun = f"{hit} has" if count == 1 else f"{hit}s have"
        yield f"{count:,} {noun} ended, but accepted work can still arrive. Wait until it is recorded."
    assignments = Assignment.objects.filter(hit__budget=project.budget_id)
    waiting = waiting_work(project=project)
    if count := waiting.count():
        noun = "submission is" if count == 1 else "submissions are"
        yield f"{count:,} {noun} in review until consolidation. Pay the work on Held bonuses."
    undecided = assignments.filter(state=AssignmentState.SUBMITTED)
    if count := undecided.filter(~Exists(waiting.filter(pk=OuterRef("pk")))).count():
        noun = "submission is" if count == 1 else "submissions are"
        yield f"{count:,} {noun} undecided. Accept or reject the work first."
    if count := assignments.filter(state=AssignmentState.REJECTING).count():
        yield f"{count:,} rejections have not reached {project.crowd_name} yet. Wait until they have."
    if count := project.held_bonuses.filter(state=HeldBonusState.WAITING).count():
        noun = "bonus is" if count == 1 else "bonuses are"
        yield f"{count:,} {noun} in review until consolidation. Pay them on Held bonuses."
    if cents := _owed_cents(project):
        yield (
            f"{dollars(cents)} are owed to workers. Wait until the payments are confirmed, and "
            "decide on payments that are held or were refused."
        )
    if count := jobs_of(scope=project.slug).filter(state__in=UNFINISHED).count():
        noun = "job is" if count == 1 else "jobs are"
        yield f"{count} {noun} running. Wait until it ends, or cancel it."


def _owed_cents(project: Project) -> int:
    payments: QuerySet[Payment] = Payment.objects.filter(
        assignment__hit__budget=project.budget_id
    ).exclude(state__in=ENDED_PAYMENTS)
    return payments.aggregate(sum=Sum(F("amount_cents") + F("fee_cents")))["sum"] or 0


@transaction.atomic
def archive_project(*, project: Project, actor: str, now: datetime) -> None:
    """Make the project read-only and end its batches. Raise WorkLeftError."""
    project = Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    if project.archived_at:
        return
    check_settled(project)
    # Teams could still enter, and nobody could withdraw them.
    phases = Phase.objects.filter(benchmark__release__project=project, benchmark__closed_at=None)
    if phases.filter(ends_at__gt=now).exists():
        raise WorkLeftError("A benchmark is open. Close it first, or wait until its phases end.")
    for batch in project.batches.exclude(state=BatchState.CLOSED):
        expire_batch(batch=batch, actor=actor, now=now)
    project.archived_at = now
    project.save(update_fields=["archived_at"])
    log_state_change(instance=project, old="active", new="archived", actor=actor, now=now)


def check_settled(project: Project) -> None:
    """Raise WorkLeftError if the project has open HITs or owes money."""
    if left := work_left(project):
        raise WorkLeftError(" ".join(left))


@transaction.atomic
def unarchive_project(*, project: Project, actor: str, now: datetime) -> None:
    """Make an archived project editable again. Its batches stay ended."""
    project = Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    if project.archived_at is None:
        return
    project.archived_at = None
    project.save(update_fields=["archived_at"])
    log_state_change(instance=project, old="archived", new="active", actor=actor, now=now)
