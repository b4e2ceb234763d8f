"""The log of a project's state changes, from all apps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db import models
from django.db.models import Q, QuerySet

from annotation.domain.qualification_codes import qualifications_of
from annotation.models import Batch, Submission
from audit.models import StateChange
from consolidation.models import (
    Case,
    ExpertQueue,
    Merge,
    Review,
)
from crowd.models import Assignment, Hit, Payment, PublishingHold, QualificationGrant
from datasets.models import Decision
from jobs.models import Job
from projects.models import Invitation, Project
from qualification.models import Enrolment, Feedback

CHUNK = 2000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of log rows, with a filter for those of a project."""

    model: type[models.Model]
    name: str
    of: Callable[[Project], Q]


KINDS: Mapping[str, Kind] = {
    kind.model._meta.label: kind
    for kind in (
        Kind(Project, "member", lambda project: Q(pk=project.pk)),
        Kind(Invitation, "invitation", lambda project: Q(project=project)),
        Kind(Job, "job", lambda project: Q(scope=project.slug)),
        Kind(Batch, "batch", lambda project: Q(project=project)),
        Kind(Submission, "submission", lambda project: Q(item__project=project)),
        Kind(Hit, "HIT", lambda project: Q(budget=project.budget_id)),
        Kind(Assignment, "assignment", lambda project: Q(hit__budget=project.budget_id)),
        Kind(Payment, "payment", lambda project: Q(assignment__hit__budget=project.budget_id)),
        Kind(
            QualificationGrant,
            "qualification",
            lambda project: Q(qualification_type__in=qualifications_of(project).values("pk")),
        ),
        Kind(Enrolment, "enrolment", lambda project: Q(round__project=project)),
        Kind(
            Feedback, "feedback", lambda project: Q(evaluation__enrolment__round__project=project)
        ),
        Kind(Case, "case", lambda project: Q(item__project=project)),
        Kind(Review, "review", lambda project: Q(gold__item__project=project)),
        Kind(ExpertQueue, "experts' queue", lambda project: Q(project=project)),
        Kind(Merge, "merge", lambda project: Q(queued__queue__project=project)),
        Kind(Decision, "correction", lambda project: Q(reference__item__project=project)),
        # A hold applies to all projects.
        Kind(PublishingHold, "hold on publishing", lambda project: Q()),
    )
}


@dataclass(frozen=True, slots=True)
class LogFilter:
    """A filter of changes. Days are in UTC, both ends are included, and empty means any."""

    kind: str = ""
    actor: str = ""
    first_day: date | None = None
    last_day: date | None = None


def changes_of(wanted: LogFilter) -> QuerySet[StateChange]:
    """Return the matching changes of all projects, newest first."""
    kinds = [wanted.kind] if wanted.kind else list(KINDS)
    changes = StateChange.objects.filter(aggregate__in=kinds).order_by("-pk")
    if wanted.actor:
        changes = changes.filter(actor=wanted.actor)
    if wanted.first_day:
        changes = changes.filter(at__gte=_midnight(wanted.first_day))
    if wanted.last_day:
        changes = changes.filter(at__lt=_midnight(wanted.last_day + timedelta(days=1)))
    return changes


def of_project(changes: Sequence[StateChange], *, project: Project) -> list[StateChange]:
    """Return the changes that belong to the project, in order.

    Each kind's table is searched by id. A single query over all tables would make PostgreSQL read
    them whole.
    """
    ids_by_kind: dict[str, set[int]] = {}
    for change in changes:
        ids_by_kind.setdefault(change.aggregate, set()).add(change.object_id)
    ours = {
        (label, pk)
        for label, pks in ids_by_kind.items()
        for pk in KINDS[label]
        .model._default_manager.filter(KINDS[label].of(project), pk__in=pks)
        .values_list("pk", flat=True)
    }
    return [change for change in changes if (change.aggregate, change.object_id) in ours]


def log_of(*, project: Project, wanted: LogFilter) -> Iterator[StateChange]:
    """Yield the project's matching changes, newest first."""
    all_changes = changes_of(wanted)
    before: int | None = None
    while changes := list(
        (all_changes if before is None else all_changes.filter(pk__lt=before))[:CHUNK]
    ):
        before = changes[-1].pk
        yield from of_project(changes, project=project)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
