"""Figures of labels: shares of correct ones, and chance-corrected agreement.

The measure of a share is `{"correct", "total"}`, and that of a coefficient `{"pairs": [[a, b], ...]}`.
"""

from collections.abc import Sequence

from metrics.intervals import Interval
from schemes.figures import REPETITIONS, Feedback, Figure, Measure, Total

Pairs = list[tuple[str, str]]


def share_figure(
    *,
    key: str,
    label: str,
    explanation: str,
    feedback: Feedback = lambda total: (),
) -> Figure:
    """Return a figure that is the share of correct labels over all items."""
    return Figure(
        key=key,
        label=label,
        explanation=explanation,
        total=_share_total,
        interval_of_groups=_share_interval,
        columns=("correct", "total", "share"),
        main="share",
        headings={"share": label},
        feedback=feedback,
    )


def kappa_and_alpha(key: str, what: str) -> tuple[Figure, Figure]:
    """Return Cohen's kappa and Krippendorff's alpha of the labels."""
    return (
        _coefficient_figure(f"{key}-kappa", "kappa", f"Cohen's kappa of the {what} (Cohen 1960)."),
        _coefficient_figure(
            f"{key}-alpha", "alpha", f"Krippendorff's alpha of the {what} (Krippendorff 2004)."
        ),
    )


def _coefficient_figure(key: str, name: str, explanation: str) -> Figure:
    def total(measures: Sequence[Measure]) -> Total:
        from metrics import coefficients  # noqa: PLC0415 - loads numpy

        compute = {"kappa": coefficients.cohen_kappa, "alpha": coefficients.krippendorff_alpha}[
            name
        ]
        pairs = _pairs(measures)
        return {"pairs": len(pairs), "value": compute(pairs)}

    def interval(groups: Sequence[Sequence[Measure]], seed: int) -> Interval:
        from metrics import coefficients  # noqa: PLC0415 - loads numpy

        bootstrap = {"kappa": coefficients.bootstrap_kappa, "alpha": coefficients.bootstrap_alpha}
        pairs = [_pairs(group) for group in groups]
        return bootstrap[name](pairs, repetitions=REPETITIONS, seed=abs(seed))

    label = f"{key.partition('-')[0].capitalize()} {name}"
    return Figure(
        key=key,
        label=label,
        explanation=explanation,
        total=total,
        interval_of_groups=interval,
        columns=("pairs", "value"),
        main="value",
        headings={"value": label},
        unit="",
    )


def _pairs(measures: Sequence[Measure]) -> Pairs:
    return [(first, second) for measure in measures for first, second in measure["pairs"]]


def _share_total(measures: Sequence[Measure]) -> Total:
    correct, total = (sum(measure[name] for measure in measures) for name in ("correct", "total"))
    return {"correct": correct, "total": total, "share": correct / total if total else None}


def _share_interval(groups: Sequence[Sequence[Measure]], seed: int) -> Interval:
    from metrics.bootstrap import percentile_interval, quotient, resampled_sums  # noqa: PLC0415 - loads numpy

    if not groups:
        return Interval(None, None, 0.95, 1.0)
    rows = [[sum(m[name] for m in group) for name in ("correct", "total")] for group in groups]
    correct, total = resampled_sums(rows, repetitions=REPETITIONS, seed=abs(seed)).T
    return percentile_interval(quotient(correct, total))
