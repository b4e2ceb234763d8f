"""The evaluation `evaluate frames`."""

from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from schemes.charts import write_bar_chart, write_heat_map
from schemes.contract.values import Json
from schemes.frames.confidences import read_confidences
from schemes.frames.items import BadRecords, Baseline, Task
from schemes.reports import (
    BadRows,
    Evaluation,
    Options,
    Report,
    Rows,
    UsageError,
    bootstrap_json,
    bootstrap_text,
    draws,
    paragraphs,
    skipped_text,
    text_table,
)

if TYPE_CHECKING:
    from schemes.frames import evaluation as files

_FRAMES_HELP = """Purity and BCubed of induced frames or roles (SemEval-2019 Task 2 records).

examples:
  python manage.py evaluate frames --task A gold.txt system.txt
  python manage.py evaluate frames --task B.1 gold.txt --baseline 1CPHG --relations relations.txt
  python manage.py evaluate frames --task A gold.txt system.txt --confidence ratings.txt \\
      --plot confidence.svg --json
  python manage.py evaluate frames --task A gold.txt partial.txt --complete-with 1CPH
  python manage.py evaluate frames --task A gold.txt system.txt --others second.txt third.txt \\
      --leave-one-out clusters.csv --heat-map clusters.svg
"""


def _add_frames_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("gold", type=Path, metavar="GOLD")
    parser.add_argument("system", type=Path, metavar="SYSTEM", nargs="?")
    parser.add_argument("--task", required=True, choices=[task.value for task in Task])
    parser.add_argument("--baseline", choices=[baseline.value for baseline in Baseline])
    parser.add_argument(
        "--complete-with",
        choices=[baseline.value for baseline in Baseline],
        help="label items that a system leaves out as this baseline does, and ignore extra items",
    )
    parser.add_argument(
        "--others",
        type=Path,
        nargs="+",
        default=[],
        metavar="SYSTEM",
        help="further systems, for --leave-one-out and --heat-map",
    )
    parser.add_argument(
        "--relations", type=Path, metavar="STX", help="records with relations in place of roles"
    )
    parser.add_argument(
        "--confidence",
        type=Path,
        metavar="FILE",
        help="lines of sentence id, verb position, confidence: scores by confidence",
    )
    parser.add_argument(
        "--leave-one-out",
        type=Path,
        metavar="OUT.csv",
        help="effect of each gold cluster on BCubed F, per item",
    )
    parser.add_argument(
        "--heat-map",
        type=Path,
        metavar="OUT.svg",
        help="the same as a chart, with a column per system",
    )


def _frames_report(options: Options) -> Report:
    # Inline, here and below, because it loads numpy, which UA and LA don't need.
    from schemes.frames import evaluation as files  # noqa: PLC0415

    evaluation = _frames_evaluation(options)
    figures = evaluation.figures()
    if evaluation.bad_records:
        evaluation.bad_records.errors.add_to(figures)
    report = Report(
        figures, lambda figures: paragraphs(_frames_text(figures), skipped_text(figures))
    )
    if options["confidence"]:
        report.figures["by_confidence"] = _by_confidence(evaluation, options["confidence"])
    if options["bootstrap"]:
        intervals = {"frames": evaluation.intervals(**draws(options))}
        report.figures["bootstrap"] = bootstrap_json(intervals, **draws(options))
    systems = {_name_of(options): evaluation} | _others(options)
    report.tables = [
        (options["per_item"], files.ITEM_COLUMNS, evaluation.item_rows()),
        (options["alignment"], files.ALIGNMENT_COLUMNS, evaluation.alignment_rows()),
        (options["leave_one_out"], *_cluster_table(systems)),
    ]
    report.charts = [
        (options["plot"], lambda path: _draw_confidence(figures, path)),
        (options["heat_map"], lambda path: _draw_clusters(systems, path)),
    ]
    return report


def _name_of(options: Options) -> str:
    return options["system"].name if options["system"] else str(options["baseline"])


def _others(options: Options) -> "dict[str, files.ScoredLabels]":
    """Return the evaluations of the other systems by file name."""
    names = [_name_of(options), *(path.name for path in options["others"])]
    if len(set(names)) < len(names):
        raise UsageError("each system needs a file name of its own.")
    return {path.name: _system_evaluation(options, path) for path in options["others"]}


def _cluster_table(systems: "dict[str, files.ScoredLabels]") -> tuple[Sequence[str], Rows]:
    """Return the columns and rows of --leave-one-out, with a column per system."""
    from schemes.frames import evaluation as files  # noqa: PLC0415

    differences = files.CLUSTER_COLUMNS[2:] if len(systems) == 1 else tuple(systems)
    return (*files.CLUSTER_COLUMNS[:2], *differences), files.cluster_rows(systems.values())


def _draw_clusters(systems: "dict[str, files.ScoredLabels]", path: Path) -> None:
    from schemes.frames import evaluation as files  # noqa: PLC0415

    labels, sizes, *columns = zip(*files.cluster_rows(systems.values()), strict=True)
    write_heat_map(
        path,
        "Effect of each gold cluster on BCubed F, per item",
        [f"{label} ({size})" for label, size in zip(labels, sizes, strict=True)],
        dict(zip(systems, columns, strict=True)),
    )


def _frames_evaluation(options: Options) -> "files.ScoredLabels":
    from schemes.frames import evaluation as files  # noqa: PLC0415

    if (options["system"] is None) == (options["baseline"] is None):
        raise UsageError("pass either a SYSTEM file or a --baseline.")
    if options["heat_map"] and options["heat_map"].suffix.lower() != ".svg":
        raise UsageError(f"--heat-map writes SVG, so {options['heat_map'].name} must end in .svg.")
    if options["others"] and not (options["leave_one_out"] or options["heat_map"]):
        raise UsageError("--others needs --leave-one-out or --heat-map.")
    others = options["baseline"] or options["complete_with"] or options["others"]
    if options["skip_bad_rows"] and others:
        raise UsageError("--skip-bad-rows goes with a single SYSTEM file.")
    if options["system"]:
        return _system_evaluation(options, options["system"])
    if options["complete_with"]:
        raise UsageError("--complete-with completes a SYSTEM file.")
    return files.evaluate_baseline(
        options["gold"],
        Baseline(options["baseline"]),
        task=Task(options["task"]),
        relations_path=options["relations"],
        seed=options["seed"],
    )


def _system_evaluation(options: Options, system: Path) -> "files.ScoredLabels":
    from schemes.frames import evaluation as files  # noqa: PLC0415

    task = Task(options["task"])
    if not options["complete_with"]:
        bad_records = BadRecords(BadRows(skip=options["skip_bad_rows"]))
        return files.evaluate_files(options["gold"], system, task=task, bad_records=bad_records)
    return files.evaluate_completed(
        options["gold"],
        system,
        Baseline(options["complete_with"]),
        task=task,
        relations_path=options["relations"],
        seed=options["seed"],
    )


def _by_confidence(evaluation: "files.ScoredLabels", path: Path) -> Json:
    levels = evaluation.by_confidence(read_confidences(path, evaluation.keys))
    return {
        str(level): {"exactly": asdict(exactly), "at_least": asdict(at_least)}
        for level, (exactly, at_least) in levels.items()
    }


def _draw_confidence(figures: Json, path: Path) -> None:
    if "by_confidence" not in figures:
        raise UsageError("--plot shows F by confidence. Pass the ratings with --confidence.")
    levels = figures["by_confidence"]
    write_bar_chart(
        path,
        "BCubed F by confidence (items)",
        [f"{level} ({scores['exactly']['items']})" for level, scores in levels.items()],
        {
            "exactly": [scores["exactly"]["bcubed_f"] for scores in levels.values()],
            "at least": [scores["at_least"]["bcubed_f"] for scores in levels.values()],
        },
    )


def _frames_text(figures: Json) -> str:
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
    return paragraphs(
        size.format(**figures),
        _completion_text(figures),
        text_table(header, rows),
        _confidence_text(figures),
        bootstrap_text(figures),
    )


def _completion_text(figures: Json) -> str:
    if "completion" not in figures:
        return ""
    text = (
        "The system labels {answered} of these items. {completed} were completed with {baseline}. "
        "Items of the system that are not in the gold file, and were ignored: {extra}."
    )
    return text.format(**figures["completion"])


def _confidence_text(figures: Json) -> str:
    if "by_confidence" not in figures:
        return ""
    header = ("Confidence", "Items", "Purity F %", "BCubed F %")
    rows = []
    for level, levels in figures["by_confidence"].items():
        for name, scores in ((level, levels["exactly"]), (f"{level} or more", levels["at_least"])):
            rows.append((name, scores["items"], scores["purity_f"], scores["bcubed_f"]))
    return text_table(header, rows)


FRAMES = Evaluation(
    "frames",
    "frames",
    _FRAMES_HELP,
    _add_frames_arguments,
    _frames_report,
    reads=("gold", "system", "others", "relations", "confidence"),
)
