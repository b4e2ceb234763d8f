"""The evaluations `evaluate qasrl` and `evaluate propbank`."""

from argparse import ArgumentParser
from pathlib import Path

from schemes.base import Json, refuse
from schemes.charts import write_bar_chart
from schemes.qasrl import evaluation as files
from schemes.qasrl.propbank import propbank_figures, propbank_text, read_propbank_verbs, wh_of
from schemes.reports import (
    Evaluation,
    Options,
    Report,
    UsageError,
    bootstrap_json,
    bootstrap_text,
    draws,
    paragraphs,
    shown,
    text_table,
)

_COUNTS_HEADER = ("", "TP", "FP", "FN", "Precision %", "Recall %", "F1 %")
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


def _qasrl_report(options: Options) -> Report:
    sentences = options["sentences"] and files.read_sentence_tokens(options["sentences"])
    reference = files.read_annotation_file(options["reference"], sentences=sentences)
    predicted = files.read_annotation_file(options["predicted"], sentences=sentences)
    evaluation = files.Evaluation(reference, predicted)
    report = Report(
        evaluation.figures(),
        _qasrl_text,
        charts=[
            (
                options["plot"],
                lambda path: _draw_annotators(reference, options["predicted"], path),
            )
        ],
    )
    if options["roles"]:
        report.figures["role_recall"] = evaluation.role_figures()
    if options["bootstrap"]:
        report.figures["bootstrap"] = _qasrl_bootstrap(evaluation, options)
    report.tables = [
        (options["per_item"], files.ITEM_COLUMNS, evaluation.item_rows()),
        (options["alignment"], files.ALIGNMENT_COLUMNS, evaluation.alignment_rows(sentences)),
    ]
    return report


def _qasrl_bootstrap(evaluation: files.Evaluation, options: Options) -> Json:
    # Inline, because it loads numpy.
    from metrics.bootstrap import bootstrap_counts  # noqa: PLC0415

    scores, drawn = evaluation.item_scores.values(), draws(options)
    intervals = {
        "UA": bootstrap_counts([score.ua for score in scores], **drawn),
        "LA": bootstrap_counts([score.la for score in scores], **drawn),
    }
    return bootstrap_json(intervals, **drawn)


def _draw_annotators(reference: files.Annotations, predicted: Path, path: Path) -> None:
    by_worker = files.scores_by_worker(reference, files.read_annotations_by_worker(predicted))
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


def _qasrl_text(figures: Json) -> str:
    """Return UA and LA, the number of ignored predicates, and the optional figures."""
    facts = [f"{figures['predicates']} predicates in the reference"]
    if ignored := figures["ignored_predicates"]:
        facts.append(f"{ignored} predicted predicates that it lacks were ignored")
    return paragraphs(
        "; ".join(facts) + ".",
        text_table(_COUNTS_HEADER, [(name, *figures[name].values()) for name in ("UA", "LA")]),
        _role_text(figures),
        bootstrap_text(figures),
    )


def _role_text(figures: Json) -> str:
    if "role_recall" not in figures:
        return ""
    recall = figures["role_recall"]
    share = shown(recall["recall"])
    return f"{recall['found']} of {recall['roles']} reference questions found ({share} %)."


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
    sentences = files.read_sentence_tokens(options["sentences"])
    verbs = read_propbank_verbs(options["propbank"], sentences, on_error=refuse)
    predicted = files.read_annotation_file(options["predicted"], sentences=sentences)
    questions = {
        key: [(wh_of(question), sorted(spans)) for question, spans in annotations.roles.items()]
        for key, annotations in predicted.items()
    }
    return propbank_figures(verbs, questions)


QASRL = Evaluation("qasrl", "QA-SRL", _QASRL_HELP, _add_qasrl_arguments, _qasrl_report)
PROPBANK = Evaluation(
    "propbank",
    "PropBank",
    _PROPBANK_HELP,
    _add_propbank_arguments,
    lambda options: Report(_propbank_figures(options), propbank_text),
    writes_files=False,
)
