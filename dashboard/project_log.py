"""The log of a project's state changes, from all apps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.domain.qualification_codes import qualifications_of
from annotation.models import Batch, HeldBonus, Item, Submission
from audit.models import StateChange
from consolidation.models import Case, Experiment, ExpertQueue, Merge, Review
from crowd.models import (
    Assignment,
    Hit,
    Payment,
    PublishingHold,
    QualificationGrant,
    QualificationRequest,
    Settlement,
    Study,
    StudySession,
)
from datasets.models import Decision, ErrorSample, SampledPart
from jobs.models import Job
from projects.models import Invitation, Project
from qualification.models import Alert, Enrolment, Feedback, Round
from web.days import Days

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
        Kind(Project, "project and members", lambda project: Q(pk=project.pk)),
        Kind(Invitation, "invitation", lambda project: Q(project=project)),
        Kind(Job, "job", lambda project: Q(scope=project.slug)),
        Kind(Batch, "batch", lambda project: Q(project=project)),
        Kind(Item, "item", lambda project: Q(project=project)),
        Kind(Submission, "submission", lambda project: Q(item__project=project)),
        Kind(HeldBonus, "held bonus", lambda project: Q(project=project)),
        Kind(Hit, "HIT", lambda project: Q(budget=project.budget_id)),
        Kind(Assignment, "assignment", lambda project: Q(hit__budget=project.budget_id)),
        Kind(Payment, "payment", lambda project: Q(assignment__hit__budget=project.budget_id)),
        Kind(Study, "study", lambda project: Q(budget=project.budget_id)),
        Kind(StudySession, "session", lambda project: Q(study__budget=project.budget_id)),
        Kind(
            Settlement,
            "payment of a session",
            lambda project: Q(session__study__budget=project.budget_id),
        ),
        Kind(
            QualificationGrant,
            "qualification",
            lambda project: Q(qualification_type__in=qualifications_of(project).values("pk")),
        ),
        Kind(
            QualificationRequest,
            "qualification request",
            lambda project: Q(qualification_type__in=qualifications_of(project).values("pk")),
        ),
        Kind(Round, "round", lambda project: Q(project=project)),
        Kind(Alert, "alert", lambda project: Q(project=project)),
        Kind(Experiment, "experiment", lambda project: Q(project=project)),
        Kind(Enrolment, "enrolment", lambda project: Q(round__project=project)),
        Kind(
            Feedback, "feedback", lambda project: Q(evaluation__enrolment__round__project=project)
        ),
        Kind(Case, "case", lambda project: Q(item__project=project)),
        Kind(Review, "review", lambda project: Q(gold__item__project=project)),
        Kind(ExpertQueue, "experts' queue", lambda project: Q(project=project)),
        Kind(Merge, "merge", lambda project: Q(queued__queue__project=project)),
        Kind(Decision, "correction", lambda project: Q(reference__item__project=project)),
        Kind(ErrorSample, "error sample", lambda project: Q(project=project)),
        Kind(SampledPart, "sampled part", lambda project: Q(sample__project=project)),
        # A hold applies to all projects.
        Kind(PublishingHold, "hold on publishing", lambda project: Q()),
    )
}


@dataclass(frozen=True, slots=True)
class LogFilter(Days):
    """A filter of changes. Empty means any. `by` is "people" or "automatic"."""

    by: str = ""
    kind: str = ""
    actor: str = ""


def changes_of(wanted: LogFilter) -> QuerySet[StateChange]:
    """Return the matching changes of all projects, newest first."""
    kinds = [wanted.kind] if wanted.kind else list(KINDS)
    changes = StateChange.objects.filter(aggregate__in=kinds).order_by("-pk")
    if wanted.by:
        people = Exists(get_user_model().objects.filter(username=OuterRef("actor")))
        changes = changes.filter(people if wanted.by == "people" else ~people)
    if wanted.actor:
        changes = changes.filter(actor=wanted.actor)
    return wanted.within(changes)


def of_project(changes: Sequence[StateChange], *, project: Project) -> list[StateChange]:
    """Return the changes that belong to the project, in order.

    Each kind's table is searched by id. A single query over all tables would make PostgreSQL read
    them whole.
    """
    ids_by_kind: dict[str, set[int]] = {}
    for change in changes:
        ids_by_kind.setdefault(change.aggregate, set()).add(change.object_id)
    ours = set()
    for label, pks in ids_by_kind.items():
        rows = KINDS[label].model._default_manager.filter(KINDS[label].of(project), pk__in=pks)
        ours |= {(label, pk) for pk in rows.values_list("pk", flat=True)}
    return [change for change in changes if (change.aggregate, change.object_id) in ours]


def log_of(*, project: Project, wanted: LogFilter) -> Iterator[StateChange]:
    """Yield the project's matching changes, newest first."""
    rest = all_changes = changes_of(wanted)
    while changes := list(rest[:CHUNK]):
        yield from of_project(changes, project=project)
        rest = all_changes.filter(pk__lt=changes[-1].pk)
