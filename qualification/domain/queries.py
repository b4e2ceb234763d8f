"""Queries of the trainer's pages."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from annotation.domain.publish import batch_guidelines
from projects.domain.create_project import current_guidelines
from projects.enums import Role
from projects.models import Guidelines, Project
from qualification.domain.figures import below_thresholds, figure_at
from qualification.domain.monitor_pool import QUESTIONS_PER_ITEM
from qualification.enums import EnrolmentState
from qualification.models import Enrolment, Evaluation, Feedback, Round
from schemes.base import Json

SORTS = {
    "worker": "Worker",
    "UA.f1": "UA F1",
    "LA.f1": "LA F1",
    "questions_per_item": "Questions per item",
    "seconds_per_item": "Time per item",
    "state": "State",
}


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
    below: list[str]
    feedback: Feedback | None
    changed_side: bool | None
    flags: list[str] = field(default_factory=list)

    @property
    def suggestion(self) -> str:
        if self.evaluation is None or self.evaluation.so_far:
            return ""
        return "decline or repeat" if self.below else "pass"


def rounds_of(*, project: Project) -> QuerySet[Round]:
    """Return the project's rounds, those for generators first."""
    return project.rounds.select_related("project").order_by("-role", "ordinal")


def evaluations_of(*, project: Project) -> QuerySet[Evaluation]:
    """Return all evaluations of the project's rounds, newest first."""
    rows = Evaluation.objects.filter(enrolment__round__project=project)
    return rows.select_related("enrolment__worker").order_by("-pk")


def overview_rows(
    *, round: Round, state: str = "", sort: str = "", text: str = ""
) -> list[RoundOverviewRow]:
    """Return the round's workers, sorted by a name of SORTS, descending after a minus."""
    enrolments = round.enrolments.select_related("worker", "cohort").order_by("pk")
    if state in EnrolmentState.values:
        enrolments = enrolments.filter(state=state)
    if text.strip():
        enrolments = enrolments.filter(worker__pseudonym__icontains=text.strip())
    newest = Evaluation.objects.defer("alignment").order_by("-pk")
    written = Feedback.objects.order_by("-pk")
    rows = enrolments.prefetch_related(
        Prefetch("evaluations", queryset=newest, to_attr="newest_first"),
        Prefetch("newest_first__feedback", queryset=written, to_attr="written"),
    )
    return _sorted([_row(enrolment, round) for enrolment in rows], sort)


def _row(enrolment: Enrolment, round: Round) -> RoundOverviewRow:
    evaluations: list[Evaluation] = enrolment.newest_first  # type: ignore[attr-defined]
    feedback = [feedback for row in evaluations for feedback in row.written]  # type: ignore[attr-defined]
    newest = evaluations[0] if evaluations else None
    standing = _standing(newest)
    return RoundOverviewRow(
        enrolment=enrolment,
        evaluation=newest,
        figures=newest.figures if newest else {},
        standing=standing,
        below=below_thresholds(standing, round.thresholds) if newest else [],
        feedback=max(feedback, key=lambda row: row.pk) if feedback else None,
        changed_side=_changed_side(evaluations, round),
        flags=_flags(standing, newest, round),
    )


def _flags(standing: Json, newest: Evaluation | None, round: Round) -> list[str]:
    """Return hints for the trainer that do not depend on thresholds."""
    questions = figure_at(standing, "questions_per_item")
    if newest is None or questions is None or round.role != Role.GENERATOR:
        return []
    return ["asks too little"] if questions < QUESTIONS_PER_ITEM else []


def _standing(evaluation: Evaluation | None) -> Json:
    if evaluation is None:
        return {}
    figures: Json = evaluation.corrected_figures or evaluation.figures
    return figures


def _changed_side(evaluations: Sequence[Evaluation], round: Round) -> bool | None:
    if len(evaluations) < 2 or evaluations[0].cause != "reference":
        return None
    now, before = (
        not below_thresholds(_standing(evaluation), round.thresholds)
        for evaluation in evaluations[:2]
    )
    return now if now != before else None


def _sorted(rows: list[RoundOverviewRow], sort: str) -> list[RoundOverviewRow]:
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    if name not in SORTS:
        return rows
    known = [row for row in rows if _value(row, name) is not None]
    known.sort(key=lambda row: (_value(row, name), row.enrolment.pk), reverse=descending)
    return known + [row for row in rows if _value(row, name) is None]


def _value(row: RoundOverviewRow, name: str) -> float | str | None:
    if name == "worker":
        return row.enrolment.worker.pseudonym
    if name == "state":
        return row.enrolment.state
    return figure_at(row.standing, name)


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
