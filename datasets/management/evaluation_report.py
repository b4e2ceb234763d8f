"""Output of `evaluate`: text tables of figures and CSV files of rows."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics.intervals import Interval
from schemes.base import Json

_UNDEFINED = "–"
_COUNTS_HEADER = ("", "TP", "FP", "FN", "Precision %", "Recall %", "F1 %")


def text_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a text table with the first column left-aligned and the others right-aligned."""
    cells = [list(header), *([_shown(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(_line(row, widths) for row in cells)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.rjust(width) if at else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()


def _shown(cell: object) -> str:
    if cell is None:
        return _UNDEFINED
    return f"{100 * cell:.2f}" if isinstance(cell, float) else str(cell)


def qasrl_text(figures: Json) -> str:
    """Return UA and LA, the number of ignored predicates, and the optional figures."""
    facts = [f"{figures['predicates']} predicates in the reference"]
    if ignored := figures["ignored_predicates"]:
        facts.append(f"{ignored} predicted predicates that it lacks were ignored")
    return _paragraphs(
        "; ".join(facts) + ".",
        text_table(_COUNTS_HEADER, [(name, *figures[name].values()) for name in ("UA", "LA")]),
        _role_text(figures),
        _bootstrap(figures),
    )


def _role_text(figures: Json) -> str:
    if "role_recall" not in figures:
        return ""
    recall = figures["role_recall"]
    share = _shown(recall["recall"])
    return f"{recall['found']} of {recall['roles']} reference questions found ({share} %)."


def propbank_text(figures: Json) -> str:
    """Return macro averages by kind of argument and the overlap of the predicates."""
    kinds = ("all", "core", "adjunct")
    rows = [
        (kind, *(figures[kind][name] for name in ("precision", "recall", "f1"))) for kind in kinds
    ]
    summary = (
        "{predicates} predicates that both annotate; {only_propbank} of PropBank alone, {only_qasrl} "
        "of QA-SRL alone; {unknown_sentences} of PropBank's sentences are not in the sentences file."
    )
    header = ("", "Precision %", "Recall %", "F1 %")
    return _paragraphs(summary.format(**figures), text_table(header, rows))


def frames_text(figures: Json) -> str:
    """Return the three figures of each kind and the optional figures."""
    size = "{items} items, {gold_clusters} gold clusters, {system_clusters} system clusters."
    rows = [
        ("purity", figures["purity"], figures["inverse_purity"], figures["purity_f"]),
        (
            "BCubed",
            figures["bcubed_precision"],
            figures["bcubed_recall"],
            figures["bcubed_f"],
        ),
    ]
    header = ("", "Purity or precision %", "Inverse or recall %", "F %")
    return _paragraphs(
        size.format(**figures),
        text_table(header, rows),
        _confidence_text(figures),
        _bootstrap(figures),
    )


def _confidence_text(figures: Json) -> str:
    if "by_confidence" not in figures:
        return ""
    header = ("Confidence", "Items", "Purity F %", "BCubed F %")
    rows = []
    for level, levels in figures["by_confidence"].items():
        for name, scores in ((level, levels["exactly"]), (f"{level} or more", levels["at_least"])):
            rows.append((name, scores["items"], scores["purity_f"], scores["bcubed_f"]))
    return text_table(header, rows)


def grounding_text(figures: Json) -> str:
    """Return accuracies by both metrics, bounds, and manipulated predictions."""
    rows = _accuracy_rows("given predictions", figures)
    for kind in ("upper_bound", "manipulated"):
        for name, accuracies in figures.get(kind, {}).items():
            prefix = "upper bound, " if kind == "upper_bound" else ""
            rows += _accuracy_rows(prefix + name.replace("_", " "), accuracies)
    header = ("Predictions", "Metric", "Phrases", "All %", "Singular %", "Plural %")
    return _paragraphs(
        f"{figures['phrases']} phrases.",
        text_table(header, rows),
        _count_text(figures),
        _bootstrap(figures),
    )


def _accuracy_rows(name: str, accuracies: Json) -> list[tuple[object, ...]]:
    return [
        (
            name,
            title,
            accuracies[key]["all"]["n"],
            *(accuracies[key][group]["accuracy"] for group in ("all", "singular", "plural")),
        )
        for key, title in (("iou", "IoU"), ("c_iou", "c-IoU"))
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


def bootstrap_json(
    intervals: Mapping[str, Mapping[str, Interval]], *, repetitions: int, seed: int
) -> Json:
    """Return the intervals as JSON.

    Each figure and part has `[low, high]`, or None where undefined.
    """
    levels = {interval.level for parts in intervals.values() for interval in parts.values()}
    return {
        "repetitions": repetitions,
        "seed": seed,
        "level": min(levels),
        "intervals": {
            name: {part: [interval.low, interval.high] for part, interval in parts.items()}
            for name, parts in intervals.items()
        },
    }


def _bootstrap(figures: Json) -> str:
    if "bootstrap" not in figures:
        return ""
    bootstrap = figures["bootstrap"]
    header = (
        f"{100 * bootstrap['level']:.0f} % intervals, {bootstrap['repetitions']} draws",
        "Low",
        "High",
    )
    rows = [
        (f"{name} {part}", *bounds)
        for name, parts in bootstrap["intervals"].items()
        for part, bounds in parts.items()
    ]
    return text_table(header, rows)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write the rows under their columns. The file appears only when it is complete."""
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
