"""Compute a worker's figures in a round, without writing to the database."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.queries import can_be_used
from annotation.enums import SubmissionState
from annotation.models import Submission
from datasets.domain.quality.decide_match import fitting, row_decisions
from datasets.models import Decision
from metrics.counts import mean
from projects.domain.schemes import scheme_of
from projects.enums import Role
from qualification.models import RoundItem
from schemes.contract.comparison import Compared
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.figures import Figure

UNITS_PER_ITEM, SECONDS_PER_ITEM = "units_per_item", "seconds_per_item"


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a worker's submissions, and `corrected` ones if a person made decisions.

        {"items", "answered", <figure>: its total, ..., "units_per_item", "seconds_per_item",
        "by_item": [value of the scheme's first figure per item]}

    `alignment` is described in `qualification.models.Evaluation`.
    """

    rule: str
    automatic: Json
    corrected: Json | None
    alignment: list[Json]


def figures_of(
    *,
    scheme: Scheme,
    items: Sequence[RoundItem],
    submissions: Mapping[int, Submission],
    decisions: Collection[Decision] = (),
) -> Figures:
    """Compute figures. An item without a usable submission counts as an empty annotation."""
    automatic: list[Compared] = []
    corrected: list[Compared] = []
    alignment: list[Json] = []
    used = usable(submissions)
    for round_item in items:
        submission = used.get(round_item.item_id)
        own = [
            decision
            for decision in decisions
            if submission
            and decision.submission_id == submission.pk
            and decision.reference_id == round_item.reference_id
        ]
        compared = compare_item(round_item, submission)
        automatic.append(compared)
        corrected.append(compare_item(round_item, submission, own) if own else compared)
        alignment.append(alignment_of(round_item, submission, compared))
    overridden = any(old is not new for old, new in zip(automatic, corrected, strict=True))
    return Figures(
        rule=scheme.comparison.rule,
        automatic=_figures(scheme, automatic, used),
        corrected=_figures(scheme, corrected, used) if overridden else None,
        alignment=alignment,
    )


def usable(submissions: Mapping[int, Submission]) -> dict[int, Submission]:
    """Return the submissions that are accepted or can be used."""
    return {
        item: submission
        for item, submission in submissions.items()
        if submission.state == SubmissionState.ACCEPTED or can_be_used(submission)
    }


def compare_item(
    round_item: RoundItem, submission: Submission | None, decisions: Iterable[Decision] = ()
) -> Compared:
    """Compare the submission with the reference. Raise ValueError for unsuitable decisions.

    Decisions that no longer fit a submission in the form of a newer definition are left out.
    """
    compare = partial(
        scheme_of(round_item.item.project).comparison.compare,
        round_item.gold.content,
        annotation_of(round_item, submission),
        context_of(round_item.item),
    )
    rows = row_decisions(decisions)
    is_mapped = submission is not None and submission.original is not None
    return compare(fitting(compare, rows) if is_mapped else rows)


def annotation_of(round_item: RoundItem, submission: Submission | None) -> Json:
    """Return the annotation to compare, which for a consolidator is the resulting gold."""
    scheme = scheme_of(round_item.item.project)
    if submission is None:
        return scheme.content.empty
    if submission.role != Role.CONSOLIDATOR:
        content: Json = submission.content
        return content
    return scheme.get_merging().gold_of(submission.content, round_item.given)[0]


def alignment_of(round_item: RoundItem, submission: Submission | None, compared: Compared) -> Json:
    """Return an item's entry in `Evaluation.alignment`."""
    item = round_item.item
    remarks = scheme_of(item.project).comparison.hints(compared, context_of(item))
    return {
        "item": round_item.item_id,
        "submission": submission.pk if submission else None,
        "gold": round_item.reference_id,
        "rows": [asdict(row) for row in compared.rows],
        "remarks": [list(remark) for remark in remarks],
        "figures": dict(compared.measures),
    }


def _figures(scheme: Scheme, compared: Sequence[Compared], used: Mapping[int, Submission]) -> Json:
    main = scheme.comparison.figures[0]
    return {
        "items": len(compared),
        "answered": len(used),
        **{
            figure.key: figure.total([row.measures[figure.key] for row in compared])
            for figure in scheme.comparison.figures
        },
        UNITS_PER_ITEM: mean(
            scheme.content.count_units(submission.content, submission.role)
            for submission in used.values()
        ),
        SECONDS_PER_ITEM: mean(submission.active_seconds for submission in used.values()),
        "by_item": [main.value([row.measures[main.key]]) for row in compared],
    }


def heading_of(figure: Figure) -> str:
    """Return the figure's label with its unit, for the heading of a column."""
    return f"{figure.label} ({figure.unit})" if figure.unit else figure.label


def figure_at(scheme: Scheme, figures: Json | None, key: str) -> float | None:
    """Return a figure of the scheme, or units or seconds per item. Return None if undefined."""
    value = (figures or {}).get(key)
    for figure in scheme.comparison.figures:
        if figure.key == key:
            return figure.value_of(value)
    return value if isinstance(value, int | float) else None


def threshold_label(key: str, scheme: Scheme) -> str:
    """Return the label of a threshold's figure."""
    names = {figure.key: figure.label for figure in scheme.comparison.figures}
    names[UNITS_PER_ITEM] = f"{scheme.vocabulary.unit.plural} per item"
    names[SECONDS_PER_ITEM] = "seconds per item"
    return names.get(key, key)


def threshold_limits(scheme: Scheme) -> dict[str, float | None]:
    """Return the figures that can have thresholds. Shares are at most 1, and others have no limit."""
    limits = {figure.key: 1 if figure.unit == "%" else None for figure in scheme.comparison.figures}
    return {**limits, UNITS_PER_ITEM: None}


def unmet_thresholds(
    scheme: Scheme, figures: Json | None, thresholds: Mapping[str, float]
) -> list[str]:
    """Return the keys of thresholds that are not met. Undefined figures meet none."""
    falling = {figure.key for figure in scheme.comparison.figures if not figure.higher_is_better}
    unmet = []
    for key, threshold in thresholds.items():
        value = figure_at(scheme, figures, key)
        if value is None or (value > threshold if key in falling else value < threshold):
            unmet.append(key)
    return unmet
