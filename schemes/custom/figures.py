"""The figures of fields.

The measure of a share is `{"correct", "total"}`, that of an F1 `{"tp", "fp", "fn"}`, that of a
coefficient `{"pairs": [[a, b], ...]}`, and that of a mean `{"sum", "total"}`.
"""

from collections.abc import Sequence
from typing import Any, Literal

from metrics.intervals import Interval
from schemes.contract.texts import Translatable
from schemes.contract.values import Json
from schemes.custom.definition import Field
from schemes.figures import REPETITIONS, Figure, Measure, Total, f1_figure
from schemes.label_figures import share_figure

Coefficient = Literal["kappa", "alpha", "ordinal", "interval", "masi"]
NO_SHARE: Json = {"correct": 0, "total": 0}
NO_COUNTS: Json = {"tp": 0, "fp": 0, "fn": 0}
NO_PAIRS: Json = {"pairs": []}
# Precise enough for an interval, and few enough values for equal items to be drawn together
_INTERVAL_STEPS = 1000
_EXPLANATIONS: dict[Coefficient, str] = {
    "kappa": "Cohen's kappa (Cohen 1960).",
    "alpha": "Krippendorff's alpha for labels (Krippendorff 2004).",
    "ordinal": "Krippendorff's alpha for ranks (Krippendorff 2004).",
    "interval": "Krippendorff's alpha for numbers (Krippendorff 2004).",
    "masi": "Krippendorff's alpha for sets, with the MASI distance (Passonneau 2006).",
}


def share_of(field: Field, suffix: str, name: str, explanation: str) -> Figure:
    """Return a figure that is a share of correct answers."""
    return share_figure(
        key=f"{field.key}_{suffix}", label=f"{field.label}: {name}", explanation=explanation
    )


def f1_of(field: Field, suffix: str, name: str, explanation: str) -> Figure:
    """Return a figure that is an F1."""
    return f1_figure(
        key=f"{field.key}_{suffix}",
        label=f"{field.label}: {name}",
        explanation=explanation,
        heading=field.label if suffix == "f1" else f"{field.label} {suffix}",
    )


def coefficient_of(field: Field, kind: Coefficient) -> Figure:
    """Return a chance-corrected coefficient of agreement."""
    name = "kappa" if kind == "kappa" else "alpha"
    label = f"{field.label}: {name}"
    return Figure(
        key=f"{field.key}_{name}",
        label=label,
        explanation=_EXPLANATIONS[kind],
        total=_CoefficientTotal(kind),
        interval_of_groups=_CoefficientInterval(kind),
        columns=("pairs", "value"),
        main="value",
        headings={"value": label},
        unit="",
    )


class _CoefficientTotal:
    def __init__(self, kind: Coefficient) -> None:
        self._kind = kind

    def __call__(self, measures: Sequence[Measure]) -> Total:
        from metrics import coefficients, distance_alpha  # noqa: PLC0415 - loads numpy

        pairs = _pairs(measures, self._kind)
        if self._kind == "kappa":
            value = coefficients.cohen_kappa(pairs)
        elif self._kind == "alpha":
            value = coefficients.krippendorff_alpha(pairs)
        else:
            value = distance_alpha.krippendorff_alpha(pairs, scale=self._kind)
        return {"pairs": len(pairs), "value": value}


class _CoefficientInterval:
    def __init__(self, kind: Coefficient) -> None:
        self._kind = kind

    def __call__(self, groups: Sequence[Sequence[Measure]], seed: int) -> Interval:
        from metrics import coefficients, distance_alpha  # noqa: PLC0415 - loads numpy

        pairs = [_pairs(group, self._kind) for group in groups]
        options: dict[str, Any] = {"repetitions": REPETITIONS, "seed": abs(seed)}
        if self._kind == "kappa":
            return coefficients.bootstrap_kappa(pairs, **options)
        if self._kind == "alpha":
            return coefficients.bootstrap_alpha(pairs, **options)
        return distance_alpha.bootstrap_alpha(pairs, scale=self._kind, **options)


def _pairs(measures: Sequence[Measure], kind: Coefficient) -> list[tuple[Any, Any]]:
    pairs = [(first, second) for measure in measures for first, second in measure["pairs"]]
    if kind == "masi":
        return [(frozenset(first), frozenset(second)) for first, second in pairs]
    return pairs


def _mean_total(measures: Sequence[Measure]) -> Total:
    total = sum(measure["total"] for measure in measures)
    summed = sum(measure["sum"] for measure in measures)
    # Rounding of a sum must not lift the mean above 1.
    return {"items": total, "score": min(1.0, summed / total) if total else None}


def _mean_interval(groups: Sequence[Sequence[Measure]], seed: int) -> Interval:
    from metrics.bootstrap import percentile_interval, quotient, resampled_sums  # noqa: PLC0415 - loads numpy

    if not groups:
        return Interval(None, None, 0.95, 1.0)
    rows = [
        [
            round(_INTERVAL_STEPS * sum(measure["sum"] for measure in group)),
            sum(measure["total"] for measure in group),
        ]
        for group in groups
    ]
    summed, total = resampled_sums(rows, repetitions=REPETITIONS, seed=abs(seed)).T
    return percentile_interval(quotient(summed, _INTERVAL_STEPS * total))


def _feedback(total: Total) -> list[str]:
    if total["score"] is None:
        return []
    share = f"{100 * total['score']:.0f} %"
    return [
        Translatable(
            "Your answers agree with the expert's by %(share)s, averaged over the items.",
            share=share,
        )
    ]


SCORE = Figure(
    key="score",
    label="Score",
    explanation="The mean agreement of an item's fields with the reference, averaged over the items.",
    total=_mean_total,
    interval_of_groups=_mean_interval,
    columns=("items", "score"),
    main="score",
    headings={"score": "Score"},
    feedback=_feedback,
)


def score_measure(scores: Sequence[float | None]) -> Json:
    """Return the measure of an item's score from the scores of its fields."""
    known = [score for score in scores if score is not None]
    return {"sum": sum(known) / len(known) if known else 0.0, "total": int(bool(known))}
