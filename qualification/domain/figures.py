"""A worker's figures in a round, computed from what they wrote and the references: no tables written."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.domain.queries import can_be_used
from annotation.enums import Role, SubmissionState
from annotation.models import Item, Submission
from consolidation.models import Decision
from metrics import corrections
from metrics.counts import Counts
from qualification.models import RoundItem
from schemes.base import Comparison, Json
from schemes.registry import get_scheme

NOTHING: Json = {"questions": []}


@dataclass(frozen=True, slots=True)
class Figures:
    """`automatic` and, where a person decided anything, `corrected`:

    {"items", "answered", "UA": {"tp", "fp", "fn", "precision", "recall", "f1"}, "LA": ...,
    "questions_per_item", "seconds_per_item", "by_item": [UA F1 per item]}; ratios from 0 to 1 or
    None. `alignment`: see `qualification.models.Evaluation`.
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
    """Submissions by item id; an item without a usable one counts as one where nothing was found.
    Of `decisions` those count that speak of these references and submissions."""
    automatic: list[Comparison] = []
    corrected: list[Comparison] = []
    alignment: list[Json] = []
    used = usable(submissions)
    for one in items:
        submission = used.get(one.item_id)
        own = [each for each in decisions if _speaks_of(each, one, submission)]
        comparison = compare_item(one, submission)
        automatic.append(comparison)
        corrected.append(compare_item(one, submission, own) if own else comparison)
        alignment.append(alignment_of(one, submission, comparison))
    overridden = any(one is not other for one, other in zip(automatic, corrected, strict=True))
    return Figures(
        rule=automatic[0].rule if automatic else "",
        automatic=_figures(automatic, used, items),
        corrected=_figures(corrected, used, items) if overridden else None,
        alignment=alignment,
    )


def usable(submissions: Mapping[int, Submission]) -> dict[int, Submission]:
    """Those whose content is an annotation that stands: neither refused, rejected nor withdrawn."""
    return {
        item: one
        for item, one in submissions.items()
        if one.state == SubmissionState.ACCEPTED or can_be_used(one)
    }


def compare_item(
    one: RoundItem, submission: Submission | None, decisions: Iterable[Decision] = ()
) -> Comparison:
    """The submission against the item's reference. Raises ValueError for decisions that don't fit."""
    item: Item = one.item
    return get_scheme(item.project.scheme).compare(
        reference=one.reference.content,
        predicted=annotation_of(one, submission),
        tokens=item.sentence.tokens,
        target=item.target,
        decisions=[_verdict(each) for each in decisions],
    )


def annotation_of(one: RoundItem, submission: Submission | None) -> Json:
    """What is held against the reference: of a consolidator's work, the gold that would come of it."""
    if submission is None:
        return NOTHING
    if submission.role != Role.CONSOLIDATOR:
        content: Json = submission.content
        return content
    scheme = get_scheme(submission.item.project.scheme)
    return scheme.gold_of(submission.content, one.given)[0]


def _speaks_of(decision: Decision, one: RoundItem, submission: Submission | None) -> bool:
    return (
        submission is not None
        and decision.submission_id == submission.pk
        and decision.reference_id == one.reference_id
    )


def _verdict(decision: Decision) -> corrections.Decision:
    reference, predicted = decision.reference_span, decision.predicted_span or (0, 0)
    return corrections.Decision(
        (reference[0], reference[1]) if reference else None,
        (predicted[0], predicted[1]),
        corrections.Verdict(decision.kind),
    )


def alignment_of(one: RoundItem, submission: Submission | None, comparison: Comparison) -> Json:
    """An item's entry in `Evaluation.alignment`."""
    item: Item = one.item
    remarks = get_scheme(item.project.scheme).remarks_on(
        comparison, tokens=item.sentence.tokens, target=item.target
    )
    return {
        "item": one.item_id,
        "submission": submission.pk if submission else None,
        "gold": one.reference_id,
        "rows": comparison.rows,
        "remarks": [list(each) for each in remarks],
        "figures": {name: asdict(counts) for name, counts in comparison.counts.items()},
    }


def _figures(
    comparisons: Sequence[Comparison],
    used: Mapping[int, Submission],
    items: Sequence[RoundItem],
) -> Json:
    totals: dict[str, Counts] = {}
    for comparison in comparisons:
        for name, counts in comparison.counts.items():
            totals[name] = totals.get(name, Counts()) + counts
    return {
        "items": len(items),
        "answered": len(used),
        **{name: _ratios(counts) for name, counts in totals.items()},
        "questions_per_item": _mean(_units(one) for one in used.values()),
        "seconds_per_item": _mean(one.active_seconds for one in used.values()),
        "by_item": [one.counts["UA"].f1 if "UA" in one.counts else None for one in comparisons],
    }


def _ratios(counts: Counts) -> Json:
    ratios = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**asdict(counts), **ratios}


def _units(submission: Submission) -> int:
    scheme = get_scheme(submission.item.project.scheme)
    return scheme.count_units(submission.content, role=submission.role)


def _mean(values: Iterable[int]) -> float | None:
    known = list(values)
    return sum(known) / len(known) if known else None


def figure_at(figures: Json | None, path: str) -> float | None:
    """The figure that a threshold's name means: "UA.f1", "questions_per_item"."""
    value: Any = figures
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, int | float) else None


def below_thresholds(figures: Json | None, thresholds: Mapping[str, float]) -> list[str]:
    """The names of the thresholds that the figures don't reach; an undefined figure reaches none."""
    reached = {name: figure_at(figures, name) for name in thresholds}
    return [
        name
        for name, least in thresholds.items()
        if (found := reached[name]) is None or found < least
    ]
