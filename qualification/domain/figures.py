"""Compute a worker's figures in a round, without writing to the database."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.domain.queries import can_be_used
from annotation.enums import SubmissionState
from annotation.models import Item, Submission
from datasets.models import Decision
from metrics import corrections
from metrics.counts import Counts, mean
from projects.enums import Role
from qualification.models import RoundItem
from schemes.base import Comparison, Json
from schemes.registry import get_scheme

NOTHING: Json = {"questions": []}


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a worker's submissions, and `corrected` ones if a person made decisions.

        {"items", "answered", "UA": {"tp", "fp", "fn", "precision", "recall", "f1"}, "LA": ...,
        "questions_per_item", "seconds_per_item", "by_item": [UA F1 per item]}

    Ratios are from 0 to 1 or None. `alignment` is described in `qualification.models.Evaluation`.
    """

    rule: str
    automatic: Json
    corrected: Json | None
    alignment: list[Json]


def figures_of(
    *,
    items: Sequence[RoundItem],
    submissions: Mapping[int, Submission],
    decisions: Collection[Decision] = (),
) -> Figures:
    """Compute figures. An item without a usable submission counts as one without questions."""
    automatic: list[Comparison] = []
    corrected: list[Comparison] = []
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
        comparison = compare_item(round_item, submission)
        automatic.append(comparison)
        corrected.append(compare_item(round_item, submission, own) if own else comparison)
        alignment.append(alignment_of(round_item, submission, comparison))
    overridden = any(old is not new for old, new in zip(automatic, corrected, strict=True))
    return Figures(
        rule=automatic[0].rule if automatic else "",
        automatic=_figures(automatic, used, items),
        corrected=_figures(corrected, used, items) if overridden else None,
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
) -> Comparison:
    """Compare the submission with the reference. Raise ValueError for unsuitable decisions."""
    item: Item = round_item.item
    return get_scheme(item.project.scheme).compare(
        reference=round_item.reference.content,
        predicted=annotation_of(round_item, submission),
        tokens=item.sentence.tokens,
        target=item.target,
        decisions=[_verdict(decision) for decision in decisions],
    )


def annotation_of(round_item: RoundItem, submission: Submission | None) -> Json:
    """Return the annotation to compare, which for a consolidator is the resulting gold."""
    if submission is None:
        return NOTHING
    if submission.role != Role.CONSOLIDATOR:
        content: Json = submission.content
        return content
    scheme = get_scheme(submission.item.project.scheme)
    return scheme.gold_of(submission.content, round_item.given)[0]


def _verdict(decision: Decision) -> corrections.Decision:
    reference, predicted = decision.reference_span, decision.predicted_span or (0, 0)
    return corrections.Decision(
        (reference[0], reference[1]) if reference else None,
        (predicted[0], predicted[1]),
        corrections.Verdict(decision.kind),
    )


def alignment_of(
    round_item: RoundItem, submission: Submission | None, comparison: Comparison
) -> Json:
    """Return an item's entry in `Evaluation.alignment`."""
    item: Item = round_item.item
    remarks = get_scheme(item.project.scheme).remarks_on(
        comparison, tokens=item.sentence.tokens, target=item.target
    )
    return {
        "item": round_item.item_id,
        "submission": submission.pk if submission else None,
        "gold": round_item.reference_id,
        "rows": comparison.rows,
        "remarks": [list(remark) for remark in remarks],
        "figures": {name: asdict(counts) for name, counts in comparison.counts.items()},
    }


def _figures(
    comparisons: Sequence[Comparison],
    used: Mapping[int, Submission],
    items: Sequence[RoundItem],
) -> Json:
    totals: defaultdict[str, Counts] = defaultdict(Counts)
    for comparison in comparisons:
        for name, counts in comparison.counts.items():
            totals[name] += counts
    return {
        "items": len(items),
        "answered": len(used),
        **{name: counts.as_json() for name, counts in totals.items()},
        "questions_per_item": mean(_units(submission) for submission in used.values()),
        "seconds_per_item": mean(submission.active_seconds for submission in used.values()),
        "by_item": [row.counts["UA"].f1 if "UA" in row.counts else None for row in comparisons],
    }


def _units(submission: Submission) -> int:
    scheme = get_scheme(submission.item.project.scheme)
    return scheme.count_units(submission.content, role=submission.role)


def figure_at(figures: Json | None, path: str) -> float | None:
    """Return the figure with a name such as "UA.f1", or None if it is undefined."""
    value: Any = figures
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, int | float) else None


def below_thresholds(figures: Json | None, thresholds: Mapping[str, float]) -> list[str]:
    """Return the names of thresholds that are not reached. Undefined figures reach none."""
    return [
        name
        for name, least in thresholds.items()
        if (value := figure_at(figures, name)) is None or value < least
    ]
