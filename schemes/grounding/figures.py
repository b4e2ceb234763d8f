"""The figures of grounded phrases.

The measure of an accuracy is `{"correct", "total"}`, that of the mean c-IoU `{"sum", "total"}`, that of
components `{"tp", "fp", "fn"}`, and that of kappa `{"pairs": [[a, b], ...]}`.
"""

from collections.abc import Sequence

from metrics.intervals import Interval
from schemes.contract.texts import Translatable
from schemes.figures import REPETITIONS, Figure, Measure, Total, f1_figure
from schemes.label_figures import kappa_and_alpha, share_figure

GROUPS = ("all", "singular", "plural")
# Precise enough for an interval, and few enough values for equal items to be drawn together.
_INTERVAL_STEPS = 100


def accuracy_key(metric: str, group: str) -> str:
    """Return the key of an accuracy, for example "c-iou" or "c-iou-plural"."""
    return metric if group == "all" else f"{metric}-{group}"


def _accuracy(metric: str, name: str, group: str) -> Figure:
    of_group = "" if group == "all" else f", {group}"
    phrases = "Phrases" if group == "all" else f"{group.capitalize()} phrases"
    is_main = metric == "c-iou" and group == "all"
    area = "the region of the boxes" if metric == "c-iou" else "the smallest box around the boxes"
    return share_figure(
        key=accuracy_key(metric, group),
        label=f"{name} accuracy{of_group}",
        explanation=f"{phrases} with boxes in the reference, where the {name} of {area} is at least 0.5.",
        feedback=_accuracy_feedback if is_main else lambda total: (),
    )


def _accuracy_feedback(total: Total) -> list[str]:
    if not total["total"]:
        return []
    return [
        Translatable(
            "For %(correct)s of the %(total)s phrases that the expert boxed, your boxes cover the right "
            "part of the picture.",
            correct=total["correct"],
            total=total["total"],
        )
    ]


def _component_feedback(total: Total) -> list[str]:
    return [
        Translatable(
            "You found %(correct)s of the %(total)s boxes that the expert drew.",
            correct=total["tp"],
            total=total["tp"] + total["fn"],
        ),
        Translatable("%(number)s of your boxes match none of the expert's.", number=total["fp"]),
    ]


def _state_feedback(total: Total) -> list[str]:
    if not total["total"]:
        return []
    return [
        Translatable(
            "Your answer is of the expert's kind for %(correct)s of %(total)s phrases.",
            correct=total["correct"],
            total=total["total"],
        )
    ]


def _mean_total(measures: Sequence[Measure]) -> Total:
    total = sum(measure["total"] for measure in measures)
    summed = sum(measure["sum"] for measure in measures)
    # Rounding of a sum must not lift the mean above 1.
    return {"phrases": total, "mean": min(1.0, summed / total) if total else None}


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


MEAN = Figure(
    key="mean-c-iou",
    label="Mean c-IoU",
    explanation="The mean c-IoU of the phrases with boxes in the reference.",
    total=_mean_total,
    interval_of_groups=_mean_interval,
    columns=("phrases", "mean"),
    main="mean",
    headings={"mean": "Mean c-IoU"},
)

FIGURES = (
    *(_accuracy("c-iou", "c-IoU", group) for group in GROUPS),
    *(_accuracy("iou", "IoU", group) for group in GROUPS),
    MEAN,
    f1_figure(
        key="components",
        label="Boxes F1",
        heading="Boxes",
        explanation="Boxes matched one to one with the reference's at an IoU of at least 0.5.",
        feedback=_component_feedback,
    ),
    share_figure(
        key="count",
        label="Same number of boxes",
        explanation="Phrases with boxes in the reference that have as many boxes as there.",
    ),
    share_figure(
        key="state",
        label="Same state",
        explanation="Phrases with the reference's state: boxes, group, scene or absent.",
        feedback=_state_feedback,
    ),
    kappa_and_alpha("state", "states of phrases")[0],
)
