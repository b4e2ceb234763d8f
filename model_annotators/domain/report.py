"""What a model's annotations of a training round are worth, beside those of people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from django.db.models import Count

from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.parse_generation import parse_generation
from annotation.enums import SubmissionState
from annotation.models import Submission
from consolidation.models import SystemAnnotation
from model_annotators.models import ModelAnnotator, ModelAnswer
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.rounds.queries import overview_rows
from qualification.domain.scores.figures import (
    SECONDS_PER_ITEM,
    UNITS_PER_ITEM,
    figure_at,
    figures_of,
    unmet_thresholds,
)
from qualification.domain.training.evaluate import round_items_of
from qualification.models import Round, RoundItem
from schemes.contract.errors import ContentError
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.figures import Figure


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A figure of the model, and the median, lowest and highest of the round's finished workers.

    `figure` is None for a number without a definition in the scheme, such as seconds.
    """

    key: str
    label: str
    figure: Figure | None
    model: float | None
    people: Sequence[float]

    @property
    def median(self) -> float | None:
        return median(self.people) if self.people else None

    @property
    def lowest(self) -> float | None:
        return min(self.people, default=None)

    @property
    def highest(self) -> float | None:
        return max(self.people, default=None)


@dataclass(frozen=True, slots=True)
class TypeRow:
    """The scheme's main figure of the model on the round's items of a type, such as passive verbs."""

    label: str
    items: int
    model: float | None


@dataclass(frozen=True, slots=True)
class RoundReport:
    """A model in a round, by its name.

    `answered` of the `items` have an answer that the scheme accepted. The others count as empty
    annotations, as those of a worker who left items out. `refused` counts the answers that it did not
    accept. `types` is empty if all items are of one type. `unmet` are the keys of the thresholds that
    the model does not reach.
    """

    model: str
    round: Round
    items: int
    answered: int
    refused: int
    people: int
    rows: Sequence[FigureRow]
    types: Sequence[TypeRow]
    unmet: Sequence[str]
    cost_cents: Decimal

    @property
    def passes(self) -> bool | None:
        """Return whether the model meets the thresholds, or None without thresholds or references."""
        return not self.unmet if self.items and self.round.thresholds else None

    @property
    def cents_per_item(self) -> Decimal:
        return self.cost_cents / self.items if self.items else Decimal(0)


@dataclass(frozen=True, slots=True)
class Answers:
    """A model's annotations by item, with the seconds they took, what they cost, and refused answers."""

    contents: Mapping[int, Json]
    seconds: Mapping[int, float]
    cost_cents: Decimal = Decimal(0)
    refused: int = 0


def rounds_with_answers(annotator: ModelAnnotator) -> list[RoundReport]:
    """Return a report per round that the model has answered items of, in the order of the rounds."""
    rounds = _rounds(annotator.project, items__model_answers__annotator=annotator)
    return [
        report_of(round=round, answers=_answers_of(annotator, round), model=annotator.name)
        for round in rounds
    ]


def reports_in(round: Round) -> list[tuple[ModelAnnotator, RoundReport]]:
    """Return the models that answered items of the round, with their reports."""
    answered = round.project.model_annotators.filter(answers__item__rounds=round)
    return [
        (
            annotator,
            report_of(round=round, answers=_answers_of(annotator, round), model=annotator.name),
        )
        for annotator in answered.distinct().order_by("name")
    ]


def rounds_with_predictions(*, project: Project, system: str) -> list[RoundReport]:
    """Return a report per round that the system's imported files annotate items of."""
    reports = []
    for round in _rounds(project, items__system_annotations__system=system):
        rows = SystemAnnotation.objects.filter(system=system, item__rounds=round)
        answers = Answers(dict(rows.values_list("item_id", "content")), {})
        reports.append(report_of(round=round, answers=answers, model=system))
    return reports


def systems_of(project: Project) -> list[tuple[str, int]]:
    """Return the systems whose predictions were imported, with their numbers of items."""
    registered = project.model_annotators.values("name")
    imported = SystemAnnotation.objects.filter(item__project=project)
    rows = imported.exclude(system__in=registered).values_list("system")
    return list(rows.annotate(items=Count("pk")).order_by("system"))


def _rounds(project: Project, **answered: object) -> list[Round]:
    rounds = Round.objects.filter(role=Role.GENERATOR, project=project, **answered)
    return list(rounds.select_related("project").distinct().order_by("ordinal"))


def _answers_of(annotator: ModelAnnotator, round: Round) -> Answers:
    """Return the newest answers to the round's items.

    An answer that does not fit the current definition or lexicon of the scheme is left out.
    """
    rows = annotator.answers.filter(item__rounds=round).select_related("item__sentence__image")
    newest = {answer.item_id: answer for answer in rows.order_by("pk")}
    contents = {}
    for pk, answer in newest.items():
        answer.item.project = annotator.project
        if answer.content is not None and _is_current(answer):
            contents[pk] = answer.content
    return Answers(
        contents,
        {item: newest[item].seconds for item in contents},
        sum((answer.cost_cents for answer in rows), Decimal(0)),
        sum(1 for answer in rows if answer.content is None),
    )


def _is_current(answer: ModelAnswer) -> bool:
    try:
        parse_generation(answer.item, answer.content)
    except ContentError:
        return False
    return True


def report_of(*, round: Round, answers: Answers, model: str) -> RoundReport:
    """Compare a model's annotations with the round's references."""
    scheme = scheme_of(round.project)
    items = [row for row in round_items_of(round) if row.reference_id]
    # Unsaved, so that the figures are computed as a worker's are
    submissions = {
        row.item_id: Submission(
            item=row.item,
            role=Role.GENERATOR,
            content=answers.contents[row.item_id],
            schema_version=scheme.content.schema_version,
            state=SubmissionState.ACCEPTED,
            active_seconds=int(answers.seconds.get(row.item_id, 0) + 0.5),
        )
        for row in items
        if row.item_id in answers.contents
    }
    figures = figures_of(scheme=scheme, items=items, submissions=submissions).automatic
    people = [
        row.standing
        for row in overview_rows(round=round)
        if row.evaluation and not row.evaluation.so_far
    ]
    return RoundReport(
        model=model,
        round=round,
        items=len(items),
        answered=len(submissions),
        refused=answers.refused,
        people=len(people),
        rows=_rows(scheme, figures, people, with_seconds=bool(answers.seconds)),
        types=_types(scheme, items, submissions),
        unmet=unmet_thresholds(scheme, figures, round.thresholds),
        cost_cents=answers.cost_cents,
    )


def _types(
    scheme: Scheme, items: Sequence[RoundItem], submissions: Mapping[int, Submission]
) -> list[TypeRow]:
    by_type: dict[str, list[RoundItem]] = {}
    for row in items:
        label = scheme.corpus.item_type(context_of(row.item))
        by_type.setdefault(label, []).append(row)
    if len(by_type) < 2:
        return []
    main = scheme.comparison.figures[0].key
    types = []
    for label, rows in sorted(by_type.items()):
        own = {row.item_id: submissions[row.item_id] for row in rows if row.item_id in submissions}
        figures = figures_of(scheme=scheme, items=rows, submissions=own).automatic
        types.append(TypeRow(label or "other", len(rows), figure_at(scheme, figures, main)))
    return types


def _rows(
    scheme: Scheme, figures: Json, people: Sequence[Json], *, with_seconds: bool
) -> list[FigureRow]:
    named: list[tuple[str, str, Figure | None]] = [
        *((figure.key, figure.label, figure) for figure in scheme.comparison.figures),
        (UNITS_PER_ITEM, f"{scheme.vocabulary.unit.plural.capitalize()} per item", None),
    ]
    if with_seconds:
        named.append((SECONDS_PER_ITEM, "Seconds per item", None))
    rows = []
    for key, label, figure in named:
        values = [figure_at(scheme, own, key) for own in people]
        known = [value for value in values if value is not None]
        rows.append(FigureRow(key, label, figure, figure_at(scheme, figures, key), known))
    return rows


def as_json(report: RoundReport) -> Json:
    """Return a report with the figures of the model and of the workers by key."""
    return {
        "model": report.model,
        "round": report.round.title,
        "items": report.items,
        "answered": report.answered,
        "refused": report.refused,
        "workers": report.people,
        "passes": report.passes,
        "unmet": list(report.unmet),
        "cents_per_item": float(report.cents_per_item),
        "figures": {
            row.key: {
                "model": row.model,
                "median": row.median,
                "lowest": row.lowest,
                "highest": row.highest,
            }
            for row in report.rows
        },
        "types": {row.label: {"items": row.items, "model": row.model} for row in report.types},
    }
