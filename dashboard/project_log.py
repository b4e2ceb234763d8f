"""A project's log: every change of state that belongs to it, whichever app wrote it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db import models
from django.db.models import Q, QuerySet

from accounts.models import Invitation
from annotation.domain.qualification_codes import qualifications_of
from annotation.models import Batch, CorpusImport, Project, Submission
from audit.models import StateChange
from consolidation.models import Case, Decision, ExpertQueue, Merge, Review
from crowd.models import Assignment, Hit, Payment, PublishingHold, QualificationGrant
from qualification.models import Enrolment, Feedback
from rehearsal.models import Rehearsal

CHUNK = 2000


@dataclass(frozen=True, slots=True)
class Kind:
    """What rows of one kind are called, and which of them are a project's."""

    model: type[models.Model]
    name: str
    of: Callable[[Project], Q]


KINDS: Mapping[str, Kind] = {
    one.model._meta.label: one
    for one in (
        Kind(Project, "member", lambda project: Q(pk=project.pk)),
        Kind(Invitation, "invitation", lambda project: Q(project=project)),
        Kind(CorpusImport, "import", lambda project: Q(project=project)),
        Kind(Rehearsal, "rehearsal", lambda project: Q(original=project)),
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
        # Of the whole installation: it stops this project too.
        Kind(PublishingHold, "hold on publishing", lambda project: Q()),
    )
}


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which changes to list; days are UTC and both ends are meant. Empty means any."""

    kind: str = ""
    actor: str = ""
    first_day: date | None = None
    last_day: date | None = None


def changes_of(wanted: LogFilter) -> QuerySet[StateChange]:
    """What matches, of every project, newest first; `of_project` says which of it is a project's."""
    kinds = [wanted.kind] if wanted.kind else list(KINDS)
    found = StateChange.objects.filter(aggregate__in=kinds).order_by("-pk")
    if wanted.actor:
        found = found.filter(actor=wanted.actor)
    if wanted.first_day:
        found = found.filter(at__gte=_midnight(wanted.first_day))
    if wanted.last_day:
        found = found.filter(at__lt=_midnight(wanted.last_day + timedelta(days=1)))
    return found


def of_project(changes: Sequence[StateChange], *, project: Project) -> list[StateChange]:
    """Those of the changes that are the project's, in their order. Asked of each kind's table by number:
    in one statement over all of them, PostgreSQL would read whole tables for a page."""
    numbers: dict[str, set[int]] = {}
    for one in changes:
        numbers.setdefault(one.aggregate, set()).add(one.object_id)
    ours = {
        (label, pk)
        for label, pks in numbers.items()
        for pk in KINDS[label]
        .model._default_manager.filter(KINDS[label].of(project), pk__in=pks)
        .values_list("pk", flat=True)
    }
    return [one for one in changes if (one.aggregate, one.object_id) in ours]


def log_of(*, project: Project, wanted: LogFilter) -> Iterator[StateChange]:
    """The whole log, newest first, streamed."""
    found = changes_of(wanted)
    before: int | None = None
    while changes := list((found if before is None else found.filter(pk__lt=before))[:CHUNK]):
        before = changes[-1].pk
        yield from of_project(changes, project=project)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
