"""Reads of the trainer's desk: a round's workers with their newest figures, in a fixed number of
queries."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from annotation.domain.create_project import current_guidelines
from annotation.domain.publish import batch_guidelines
from annotation.enums import Role
from annotation.models import Guidelines, Project
from qualification.domain.figures import below_thresholds, figure_at
from qualification.domain.watch_pool import QUESTIONS_PER_ITEM
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
class DeskRow:
    """A worker in a round. `figures` are the automatic ones, `standing` those that decide: the
    corrected ones where a person corrected any. `changed_side` is True or False where the newest
    evaluation reaches, or no longer reaches, thresholds that the one before did not."""

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
    """Those for generators first, each role's in their order."""
    return project.rounds.select_related("project").order_by("-role", "ordinal")


def evaluations_of(*, project: Project) -> QuerySet[Evaluation]:
    """Every evaluation of the project's rounds, newest first."""
    rows = Evaluation.objects.filter(enrolment__round__project=project)
    return rows.select_related("enrolment__worker").order_by("-pk")


def desk_rows(*, one: Round, state: str = "", sort: str = "", text: str = "") -> list[DeskRow]:
    """The round's workers; `sort` is a name of SORTS, with a minus before it for descending."""
    enrolments = one.enrolments.select_related("worker", "intake").order_by("pk")
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
    return _sorted([_row(each, one) for each in rows], sort)


def _row(enrolment: Enrolment, one: Round) -> DeskRow:
    evaluations: list[Evaluation] = enrolment.newest_first  # type: ignore[attr-defined]
    feedback = [each for row in evaluations for each in row.written]  # type: ignore[attr-defined]
    newest = evaluations[0] if evaluations else None
    standing = _standing(newest)
    return DeskRow(
        enrolment=enrolment,
        evaluation=newest,
        figures=newest.figures if newest else {},
        standing=standing,
        below=below_thresholds(standing, one.thresholds) if newest else [],
        feedback=max(feedback, key=lambda each: each.pk) if feedback else None,
        changed_side=_changed_side(evaluations, one),
        flags=_flags(standing, newest, one),
    )


def _flags(standing: Json, newest: Evaluation | None, one: Round) -> list[str]:
    """What a trainer should look at whatever the thresholds say."""
    asked = figure_at(standing, "questions_per_item")
    if newest is None or asked is None or one.role != Role.GENERATOR:
        return []
    return ["asks too little"] if asked < QUESTIONS_PER_ITEM else []


def _standing(evaluation: Evaluation | None) -> Json:
    if evaluation is None:
        return {}
    found: Json = evaluation.corrected_figures or evaluation.figures
    return found


def _changed_side(evaluations: Sequence[Evaluation], one: Round) -> bool | None:
    if len(evaluations) < 2 or evaluations[0].cause != "reference":
        return None
    now, before = (
        not below_thresholds(_standing(each), one.thresholds) for each in evaluations[:2]
    )
    return now if now != before else None


def _sorted(rows: list[DeskRow], sort: str) -> list[DeskRow]:
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    if name not in SORTS:
        return rows
    known = [row for row in rows if _value(row, name) is not None]
    unknown = [row for row in rows if _value(row, name) is None]
    known.sort(key=lambda row: (_value(row, name), row.enrolment.pk), reverse=descending)
    return known + unknown


def _value(row: DeskRow, name: str) -> float | str | None:
    if name == "worker":
        return row.enrolment.worker.pseudonym
    if name == "state":
        return row.enrolment.state
    return figure_at(row.standing, name)


def guidelines_read(*, enrolment: Enrolment) -> Guidelines | None:
    """The version that the worker was shown, as far as the round says."""
    if enrolment.intake:
        return batch_guidelines(enrolment.intake.batch)
    one = enrolment.round
    return one.guidelines or current_guidelines(project_id=one.project_id, role=one.role)


def learning_curve(*, enrolment: Enrolment) -> list[tuple[Round, Evaluation | None]]:
    """The same worker in each round of the sequence, with their newest evaluation there."""
    newest = Evaluation.objects.filter(enrolment=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    rows = list(
        Enrolment.objects.filter(
            worker=enrolment.worker_id,
            round__project=enrolment.round.project_id,
        )
        .select_related("round")
        .annotate(newest=Subquery(newest))
        .order_by("-round__role", "round__ordinal")
    )
    found = Evaluation.objects.defer("alignment").in_bulk(
        [one.newest for one in rows if one.newest]
    )
    return [(one.round, found.get(one.newest)) for one in rows]
