"""The log of a project's state changes, from all apps."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import Q

from annotation.domain.publishing.qualification_codes import qualifications_of
from annotation.models import Batch, HeldBonus, Item, Submission
from audit.models import StateChange
from benchmarks.models import Benchmark, Entry, Team
from consolidation.models import Case, Experiment, ExpertQueue, ItemFlag, Merge, Review
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
from releases.models import Publication, Release, ServiceToken
from web.days import Days

CHUNK = 2000
# Part of the actor of a change by API, see `projects.api.roles.actor_of`
API_ACTOR = " by token ts_"


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
        Kind(Release, "release", lambda project: Q(project=project)),
        Kind(Benchmark, "benchmark", lambda project: Q(release__project=project)),
        Kind(Team, "team", lambda project: Q(benchmark__release__project=project)),
        Kind(Entry, "entry", lambda project: Q(team__benchmark__release__project=project)),
        Kind(Publication, "publication", lambda project: Q(release__project=project)),
        Kind(ServiceToken, "token", lambda project: Q(project=project)),
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
        Kind(ItemFlag, "flag", lambda project: Q(item__project=project)),
        Kind(Merge, "merge", lambda project: Q(queued__queue__project=project)),
        Kind(Decision, "correction", lambda project: Q(reference__item__project=project)),
        Kind(ErrorSample, "error sample", lambda project: Q(project=project)),
        Kind(SampledPart, "sampled part", lambda project: Q(sample__project=project)),
        # A hold applies to all projects.
        Kind(PublishingHold, "hold on publishing", lambda project: Q()),
    )
}


# Only a project whose provider posts studies has these.
OF_STUDIES = {model._meta.label for model in (Study, StudySession, Settlement)}


def kind_names(project: Project) -> dict[str, str]:
    """Return the names of the kinds of rows, in the words of the project's provider."""
    return {label: kind.name for label, kind in KINDS.items()} | {Hit._meta.label: project.hit_noun}


@dataclass(frozen=True, slots=True)
class LogFilter(Days):
    """A filter of changes. Empty means any. `by` is "people" or "automatic".

    `before` and `after` are ids, for pages of a long log.
    """

    by: str = ""
    kind: str = ""
    actor: str = ""
    before: int | None = None
    after: int | None = None


def log_ids(
    *, project: Project, wanted: LogFilter, oldest_first: bool = False, limit: int | None = None
) -> list[int]:
    """Return the ids of the project's matching changes, newest first, at most `limit` of them.

    Each kind has a query of its own. In a single query over all tables, PostgreSQL would read them
    whole.
    """
    kinds = [KINDS[wanted.kind]] if wanted.kind else KINDS.values()
    matching = _condition(wanted)
    order = "pk" if oldest_first else "-pk"
    ids: list[int] = []
    for kind in kinds:
        objects = kind.model._default_manager.filter(kind.of(project)).order_by().values("pk")
        changes = StateChange.objects.filter(
            aggregate=kind.model._meta.label, object_id__in=objects
        )
        changes = wanted.within(changes.filter(matching))
        ids += changes.order_by(order).values_list("pk", flat=True)[:limit]
    ids.sort(reverse=not oldest_first)
    return ids[:limit]


def _condition(wanted: LogFilter) -> Q:
    """Return the condition for the author of a change."""
    condition = Q(actor=wanted.actor) if wanted.actor else Q()
    if wanted.before is not None:
        condition &= Q(pk__lt=wanted.before)
    if wanted.after is not None:
        condition &= Q(pk__gt=wanted.after)
    if wanted.by:
        # A list of names, because a join with the users takes much longer.
        names = get_user_model().objects.order_by().values_list("username", flat=True)
        people = Q(actor__in=list(names)) | Q(actor__contains=API_ACTOR)
        condition &= people if wanted.by == "people" else ~people
    return condition


def log_of(
    *, project: Project, wanted: LogFilter, oldest_first: bool = False
) -> Iterator[StateChange]:
    """Yield the project's matching changes, newest first."""
    ids = log_ids(project=project, wanted=wanted, oldest_first=oldest_first)
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        changes = StateChange.objects.in_bulk(chunk)
        yield from (changes[pk] for pk in chunk if pk in changes)
