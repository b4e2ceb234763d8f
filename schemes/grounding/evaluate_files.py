"""The evaluation `evaluate grounding`."""

from argparse import ArgumentParser
from pathlib import Path

from schemes.charts import write_bar_chart
from schemes.contract.values import Json
from schemes.reports import (
    BadRows,
    Evaluation,
    Options,
    Report,
    bootstrap_json,
    bootstrap_text,
    draws,
    paragraphs,
    skipped_text,
    text_table,
)

_GROUNDING_HELP = """IoU and c-IoU of grounded phrases (JSON Lines).

examples:
  python manage.py evaluate grounding phrases.jsonl
  python manage.py evaluate grounding phrases.jsonl --json --bootstrap 1000
  python manage.py evaluate grounding phrases.jsonl --per-item scores.csv --plot accuracy.svg
"""


def _add_grounding_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("phrases", type=Path, metavar="PHRASES.jsonl")


def _grounding_report(options: Options) -> Report:
    # Inline, because it loads numpy.
    from schemes.grounding import evaluation as files  # noqa: PLC0415

    bad_rows = BadRows(skip=options["skip_bad_rows"])
    evaluation = files.evaluate_file(options["phrases"], on_error=bad_rows, seed=options["seed"])
    figures = evaluation.figures()
    bad_rows.add_to(figures)
    report = Report(
        figures,
        _grounding_text,
        charts=[(options["plot"], lambda path: _draw_accuracy(figures, path))],
    )
    if options["bootstrap"]:
        intervals = evaluation.intervals(**draws(options))
        report.figures["bootstrap"] = bootstrap_json(intervals, **draws(options))
    report.tables = [
        (options["per_item"], files.ITEM_COLUMNS, evaluation.item_rows()),
        (options["alignment"], files.ALIGNMENT_COLUMNS, evaluation.alignment_rows()),
    ]
    return report


def _draw_accuracy(figures: Json, path: Path) -> None:
    groups = ("all", "singular", "plural")
    write_bar_chart(
        path,
        "Accuracy by metric (phrases)",
        [f"{group} ({figures['iou'][group]['n']})" for group in groups],
        {
            "IoU": [figures["iou"][group]["accuracy"] for group in groups],
            "c-IoU": [figures["c_iou"][group]["accuracy"] for group in groups],
        },
    )


def _grounding_text(figures: Json) -> str:
    """Return accuracies by both metrics, bounds, and manipulated predictions."""
    rows = _accuracy_rows("given predictions", figures)
    for kind in ("upper_bound", "manipulated"):
        for name, accuracies in figures.get(kind, {}).items():
            prefix = "upper bound, " if kind == "upper_bound" else ""
            rows += _accuracy_rows(prefix + name.replace("_", " "), accuracies)
    header = ("Predictions", "Metric", "Phrases", "All %", "Singular %", "Plural %")
    return paragraphs(
        f"{figures['phrases']} phrases.{_boxes_text(figures)}",
        text_table(header, rows),
        _count_text(figures),
        bootstrap_text(figures),
        skipped_text(figures),
    )


def _boxes_text(figures: Json) -> str:
    clipped, dropped = figures["clipped_boxes"], figures["dropped_boxes"]
    text = f" Boxes clipped to their images: {clipped}." if clipped else ""
    return text + (f" Boxes without area, which are left out: {dropped}." if dropped else "")


def _accuracy_rows(name: str, accuracies: Json) -> list[tuple[object, ...]]:
    return [
        (
            name,
            title,
            accuracies[key]["all"]["n"],
            *(accuracies[key][group]["accuracy"] for group in ("all", "singular", "plural")),
        )
        for key, title in (("iou", "IoU"), ("c_iou", "c-IoU"), ("both", "both"))
    ]


def _count_text(figures: Json) -> str:
    numbers = figures["cardinality"]
    table = text_table(
        ("As many boxes as the phrase calls for", "Phrases", "All %", "Singular %", "Plural %"),
        [
            (
                name,
                accuracies["all"]["n"],
                *(accuracies[g]["accuracy"] for g in ("all", "singular", "plural")),
            )
            for name, accuracies in numbers.items()
        ],
    )
    components, shares = figures["components"], figures["filler"]
    if not components["plural_phrases"]:
        return table
    plural = (
        f"Plural phrases: {components['plural_phrases']}, boxes in gold "
        f"{components['gold_mean']:.2f} on average, "
        f"with one box {components['gold_with_one_box']}; "
        f"filler {100 * shares['mean']:.1f} % on average, over one half in {shares['over_half']}."
    )
    return f"{table}\n\n{plural}"


GROUNDING = Evaluation(
    "grounding",
    "grounding",
    _GROUNDING_HELP,
    _add_grounding_arguments,
    _grounding_report,
    reads=("phrases",),
)
