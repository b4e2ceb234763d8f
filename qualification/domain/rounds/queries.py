"""Queries of the trainer's pages."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import OuterRef, Prefetch, Q, QuerySet, Subquery

from annotation.domain.publishing.publish import batch_guidelines
from projects.domain.create_project import current_guidelines
from projects.domain.label_worker import workers_named
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Guidelines, Project
from qualification.domain.scores.figures import UNITS_PER_ITEM, figure_at, unmet_thresholds
from qualification.enums import AlertKind, EnrolmentState
from qualification.models import Enrolment, Evaluation, Feedback, Round
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class RoundOverviewRow:
    """A worker in a round.

    `standing` has the corrected figures if there are any, else the automatic `figures`. `changed_side`
    is True or False if the newest evaluation reaches, or no longer reaches, the thresholds. Otherwise
    it is None.
    """

    enrolment: Enrolment
    evaluation: Evaluation | None
    figures: Json
    standing: Json
    unmet: list[str]
    feedback: Feedback | None
    changed_side: bool | None
    flags: list[str] = field(default_factory=list)

    @property
    def suggestion(self) -> str:
        if self.evaluation is None or self.evaluation.so_far:
            return ""
        return "decline or repeat" if self.unmet else "pass"


def rounds_of(*, project: Project) -> QuerySet[Round]:
    """Return the project's rounds, those for generators first."""
    return project.rounds.select_related("project").order_by("-role", "ordinal")


def unanswered_invitations(*, round: Round) -> QuerySet[Enrolment]:
    """Return the enrolments of workers who have a cohort's HITs but have not begun."""
    rows = round.enrolments.filter(state=EnrolmentState.INVITED, cohort__isnull=False)
    return rows.select_related("worker", "cohort").order_by("pk")


def evaluations_of(*, project: Project) -> QuerySet[Evaluation]:
    """Return all evaluations of the project's rounds, newest first."""
    rows = Evaluation.objects.filter(enrolment__round__project=project)
    return rows.select_related("enrolment__worker").order_by("-pk")


def overview_rows(*, round: Round, state: str = "", text: str = "") -> list[RoundOverviewRow]:
    """Return the round's workers that match the filters."""
    enrolments = round.enrolments.select_related("worker", "cohort").order_by("pk")
    if state in EnrolmentState.values:
        enrolments = enrolments.filter(state=state)
    if text.strip():
        named = workers_named(project=round.project, text=text)
        enrolments = enrolments.filter(
            Q(worker__pseudonym__icontains=text.strip()) | Q(worker__in=named)
        )
    return rows_of(round=round, enrolments=enrolments)


def rows_of(*, round: Round, enrolments: QuerySet[Enrolment]) -> list[RoundOverviewRow]:
    """Return what the round's page shows of these workers."""
    newest = Evaluation.objects.defer("alignment").order_by("-pk")
    written = Feedback.objects.order_by("-pk")
    rows = enrolments.prefetch_related(
        Prefetch("evaluations", queryset=newest, to_attr="newest_first"),
        Prefetch("newest_first__feedback", queryset=written, to_attr="written"),
    )
    scheme = scheme_of(round.project)
    return [_row(scheme, enrolment, round) for enrolment in rows]


def _row(scheme: Scheme, enrolment: Enrolment, round: Round) -> RoundOverviewRow:
    evaluations: list[Evaluation] = enrolment.newest_first  # type: ignore[attr-defined]
    feedback = [feedback for row in evaluations for feedback in row.written]  # type: ignore[attr-defined]
    newest = evaluations[0] if evaluations else None
    standing = _standing(newest)
    return RoundOverviewRow(
        enrolment=enrolment,
        evaluation=newest,
        figures=newest.figures if newest else {},
        standing=standing,
        unmet=unmet_thresholds(scheme, standing, round.thresholds) if newest else [],
        feedback=max(feedback, key=lambda row: row.pk) if feedback else None,
        changed_side=_changed_side(scheme, evaluations, round),
        flags=_flags(scheme, standing, newest, round),
    )


def _flags(scheme: Scheme, standing: Json, newest: Evaluation | None, round: Round) -> list[str]:
    """Return hints for the trainer that do not depend on thresholds."""
    units = figure_at(scheme, standing, UNITS_PER_ITEM)
    if newest is None or units is None or round.role != Role.GENERATOR:
        return []
    return [str(AlertKind.COVERAGE.label)] if units < scheme.content.min_units else []


def _standing(evaluation: Evaluation | None) -> Json:
    if evaluation is None:
        return {}
    figures: Json = evaluation.corrected_figures or evaluation.figures
    return figures


def _changed_side(scheme: Scheme, evaluations: Sequence[Evaluation], round: Round) -> bool | None:
    if len(evaluations) < 2 or evaluations[0].cause != "reference":
        return None
    now, before = (
        not unmet_thresholds(scheme, _standing(evaluation), round.thresholds)
        for evaluation in evaluations[:2]
    )
    return now if now != before else None


def guidelines_read(*, enrolment: Enrolment) -> Guidelines | None:
    """Return the version of the guidelines that the worker was shown, if known."""
    if enrolment.cohort:
        return batch_guidelines(enrolment.cohort.batch)
    round = enrolment.round
    return round.guidelines or current_guidelines(project_id=round.project_id, role=round.role)


def learning_curve(*, enrolment: Enrolment) -> list[tuple[Round, Evaluation | None]]:
    """Return the worker's rounds, each with their newest evaluation."""
    newest = Evaluation.objects.filter(enrolment=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    enrolments = Enrolment.objects.filter(
        worker=enrolment.worker_id, round__project=enrolment.round.project_id
    ).annotate(newest=Subquery(newest))
    rows = list(enrolments.select_related("round").order_by("-round__role", "round__ordinal"))
    evaluations = Evaluation.objects.defer("alignment").in_bulk(
        [row.newest for row in rows if row.newest]
    )
    return [(row.round, evaluations.get(row.newest)) for row in rows]
