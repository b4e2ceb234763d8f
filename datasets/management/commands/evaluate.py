"""Evaluate annotation files against a reference."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datasets.management.evaluation_charts import write_bar_chart
from datasets.management.evaluation_report import (
    bootstrap_json,
    frames_text,
    grounding_text,
    propbank_text,
    qasrl_text,
    write_csv,
)
from schemes.base import FileError, Json, refuse
from schemes.frames.confidences import read_confidences
from schemes.frames.items import Baseline, BaselineError, Task
from schemes.qasrl import evaluation as qasrl
from schemes.qasrl.propbank import propbank_figures, read_propbank_verbs, wh_of

if TYPE_CHECKING:
    from schemes.frames import evaluation as frames

Options = Mapping[str, Any]
Rows = Iterable[Sequence[Any]]

_QASRL_HELP = """UA and LA of predicted QA-SRL roles against a reference (CSV).

examples:
  python manage.py evaluate qasrl expert.csv predicted.csv
  python manage.py evaluate qasrl expert.csv predicted.csv --json --bootstrap 1000
  python manage.py evaluate qasrl expert.csv predicted.csv --sentences sentences.csv \\
      --alignment spans.csv --per-item predicates.csv --plot annotators.svg
"""
_PROPBANK_HELP = """QA-SRL roles against PropBank (CoNLL-2009): macro precision and recall.

examples:
  python manage.py evaluate propbank propbank.conll predicted.csv --sentences sentences.csv
  python manage.py evaluate propbank propbank.conll predicted.csv --sentences sentences.csv --json
"""
_FRAMES_HELP = """Purity and BCubed of induced frames or roles (SemEval-2019 Task 2 records).

examples:
  python manage.py evaluate frames --task A gold.txt system.txt
  python manage.py evaluate frames --task B.1 gold.txt --baseline 1CPHG --relations relations.txt
  python manage.py evaluate frames --task A gold.txt system.txt --confidence ratings.txt \\
      --plot confidence.svg --json
"""
_GROUNDING_HELP = """IoU and c-IoU of grounded phrases (JSON Lines).

examples:
  python manage.py evaluate grounding phrases.jsonl
  python manage.py evaluate grounding phrases.jsonl --json --bootstrap 1000
  python manage.py evaluate grounding phrases.jsonl --clip --per-item scores.csv --plot accuracy.svg
"""


class UsageError(ValueError):
    """Options that can't be combined."""


@dataclass(slots=True)
class Report:
    """An evaluation's figures, their text, their chart, and tables by path, if requested.

    The rows of a table are computed when they are written.
    """

    figures: Json
    text: Callable[[Json], str]
    draw: Callable[[Path], None]
    tables: list[tuple[Path | None, Sequence[str], Rows]] = field(default_factory=list)


class Command(BaseCommand):
    help = "Score QA-SRL, PropBank, frames or grounding annotation files."
    # The command uses only files, neither the database nor settings.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        schemes = parser.add_subparsers(dest="scheme", required=True, metavar="SCHEME")
        for name, description, add in (
            ("qasrl", _QASRL_HELP, _add_qasrl_arguments),
            ("propbank", _PROPBANK_HELP, _add_propbank_arguments),
            ("frames", _FRAMES_HELP, _add_frames_arguments),
            ("grounding", _GROUNDING_HELP, _add_grounding_arguments),
        ):
            subparser = schemes.add_parser(
                name,
                help=description.partition("\n")[0],
                description=description,
                formatter_class=RawDescriptionHelpFormatter,
            )
            add(subparser)
            if name == "propbank":  # it writes no files
                subparser.add_argument("--json", action="store_true", help="print one JSON object")
            else:
                _add_output_arguments(subparser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(_evaluate(options))
        except (FileError, UsageError, BaselineError) as error:
            raise CommandError(_one_line(error), returncode=2) from error
        except OSError as error:
            message = f"{error.filename}: cannot be written ({error.strerror})."
            raise CommandError(message, returncode=2) from error


def _evaluate(options: Options) -> str:
    """Write the requested files. Return the text to print."""
    if options["scheme"] == "propbank":
        figures = _propbank_figures(options)
        return json.dumps(figures) if options["json"] else propbank_text(figures)
    reports = {"qasrl": _qasrl_report, "frames": _frames_report, "grounding": _grounding_report}
    _check_output(options)
    report = reports[options["scheme"]](options)
    for path, columns, rows in report.tables:
        if path:
            write_csv(path, columns, rows)
    if options["plot"]:
        report.draw(options["plot"])
    return json.dumps(report.figures) if options["json"] else report.text(report.figures)


def _add_qasrl_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("reference", type=Path, metavar="REFERENCE.csv")
    parser.add_argument("predicted", type=Path, metavar="PREDICTED.csv")
    parser.add_argument(
        "--sentences",
        type=Path,
        metavar="FILE",
        help="sentences CSV, to check spans and to show words in the alignment",
    )
    parser.add_argument(
        "--roles", action="store_true", help="add the share of reference questions found"
    )


def _add_propbank_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("propbank", type=Path, metavar="PROPBANK.conll")
    parser.add_argument("predicted", type=Path, metavar="PREDICTED.csv")
    parser.add_argument(
        "--sentences",
        type=Path,
        metavar="FILE",
        required=True,
        help="sentences CSV of the predicted file, matched by equal tokens",
    )


def _propbank_figures(options: Options) -> Json:
    sentences = qasrl.read_sentence_tokens(options["sentences"])
    verbs = read_propbank_verbs(options["propbank"], sentences, on_error=refuse)
    predicted = qasrl.read_annotation_file(options["predicted"], sentences=sentences)
    questions = {
        key: [(wh_of(question), sorted(spans)) for question, spans in annotations.roles.items()]
        for key, annotations in predicted.items()
    }
    return propbank_figures(verbs, questions)


def _add_frames_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("gold", type=Path, metavar="GOLD")
    parser.add_argument("system", type=Path, metavar="SYSTEM", nargs="?")
    parser.add_argument("--task", required=True, choices=[task.value for task in Task])
    parser.add_argument("--baseline", choices=[baseline.value for baseline in Baseline])
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


def _add_grounding_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("phrases", type=Path, metavar="PHRASES.jsonl")
    parser.add_argument(
        "--clip",
        action="store_true",
        help="clip boxes to the image and drop empty ones instead of rejecting the file",
    )


def _add_output_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--per-item", type=Path, metavar="OUT.csv", help="one row per item")
    parser.add_argument(
        "--alignment", type=Path, metavar="OUT.csv", help="one row per aligned pair"
    )
    parser.add_argument(
        "--bootstrap", type=int, metavar="N", help="95 %% intervals from N draws of the items"
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")
    parser.add_argument("--plot", type=Path, metavar="OUT.svg", help="a chart of the figures")


def _check_output(options: Options) -> None:
    if options["bootstrap"] is not None and options["bootstrap"] < 1:
        raise UsageError("--bootstrap needs at least 1 draw.")
    if options["seed"] < 0:
        raise UsageError("--seed must not be negative.")
    if options["plot"] and options["plot"].suffix.lower() != ".svg":
        raise UsageError(f"--plot writes SVG, so {options['plot'].name} must end in .svg.")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _qasrl_report(options: Options) -> Report:
    sentences = options["sentences"] and qasrl.read_sentence_tokens(options["sentences"])
    reference = qasrl.read_annotation_file(options["reference"], sentences=sentences)
    predicted = qasrl.read_annotation_file(options["predicted"], sentences=sentences)
    evaluation = qasrl.Evaluation(reference, predicted)
    report = Report(
        evaluation.figures(),
        qasrl_text,
        draw=lambda path: _draw_annotators(reference, options["predicted"], path),
    )
    if options["roles"]:
        report.figures["role_recall"] = evaluation.role_figures()
    if options["bootstrap"]:
        report.figures["bootstrap"] = _qasrl_bootstrap(evaluation, options)
    report.tables = [
        (options["per_item"], qasrl.ITEM_COLUMNS, evaluation.item_rows()),
        (options["alignment"], qasrl.ALIGNMENT_COLUMNS, evaluation.alignment_rows(sentences)),
    ]
    return report


def _draws(options: Options) -> dict[str, int]:
    return {"repetitions": options["bootstrap"], "seed": options["seed"]}


def _qasrl_bootstrap(evaluation: qasrl.Evaluation, options: Options) -> Json:
    # Inline, because it loads numpy.
    from metrics.bootstrap import bootstrap_counts  # noqa: PLC0415

    scores, draws = evaluation.item_scores.values(), _draws(options)
    intervals = {
        "UA": bootstrap_counts([score.ua for score in scores], **draws),
        "LA": bootstrap_counts([score.la for score in scores], **draws),
    }
    return bootstrap_json(intervals, **draws)


def _draw_annotators(reference: qasrl.Annotations, predicted: Path, path: Path) -> None:
    by_worker = qasrl.scores_by_worker(reference, qasrl.read_annotations_by_worker(predicted))
    scored = {worker: scores for worker, scores in by_worker.items() if scores.items}
    if not scored:
        raise UsageError("--plot needs predicted rows with a worker_id, and none were scored.")
    write_bar_chart(
        path,
        "F1 by annotator (predicates)",
        [f"{worker} ({scores.items})" for worker, scores in scored.items()],
        {
            "UA": [scores.ua.f1 for scores in scored.values()],
            "LA": [scores.la.f1 for scores in scored.values()],
        },
    )


def _frames_report(options: Options) -> Report:
    # Inline, here and below, because it loads numpy, which UA and LA don't need.
    from schemes.frames import evaluation as frames  # noqa: PLC0415

    evaluation = _frames_evaluation(options)
    figures = evaluation.figures()
    report = Report(figures, frames_text, draw=lambda path: _draw_confidence(figures, path))
    if options["confidence"]:
        report.figures["by_confidence"] = _by_confidence(evaluation, options["confidence"])
    if options["bootstrap"]:
        intervals = {"frames": evaluation.intervals(**_draws(options))}
        report.figures["bootstrap"] = bootstrap_json(intervals, **_draws(options))
    report.tables = [
        (options["per_item"], frames.ITEM_COLUMNS, evaluation.item_rows()),
        (options["alignment"], frames.ALIGNMENT_COLUMNS, evaluation.alignment_rows()),
        (options["leave_one_out"], frames.CLUSTER_COLUMNS, evaluation.cluster_rows()),
    ]
    return report


def _frames_evaluation(options: Options) -> "frames.Evaluation":
    from schemes.frames import evaluation as frames  # noqa: PLC0415

    if (options["system"] is None) == (options["baseline"] is None):
        raise UsageError("pass either a SYSTEM file or a --baseline.")
    task = Task(options["task"])
    if options["system"]:
        return frames.evaluate_files(options["gold"], options["system"], task=task)
    return frames.evaluate_baseline(
        options["gold"],
        Baseline(options["baseline"]),
        task=task,
        relations_path=options["relations"],
        seed=options["seed"],
    )


def _by_confidence(evaluation: "frames.Evaluation", path: Path) -> Json:
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


def _grounding_report(options: Options) -> Report:
    # Inline, because it loads numpy.
    from schemes.grounding import evaluation as grounding  # noqa: PLC0415

    evaluation = grounding.evaluate_file(
        options["phrases"], clip=options["clip"], seed=options["seed"]
    )
    figures = evaluation.figures()
    report = Report(figures, grounding_text, draw=lambda path: _draw_accuracy(figures, path))
    if options["bootstrap"]:
        intervals = evaluation.intervals(**_draws(options))
        report.figures["bootstrap"] = bootstrap_json(intervals, **_draws(options))
    report.tables = [
        (options["per_item"], grounding.ITEM_COLUMNS, evaluation.item_rows()),
        (options["alignment"], grounding.ALIGNMENT_COLUMNS, evaluation.alignment_rows()),
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
