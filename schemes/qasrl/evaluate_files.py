"""The evaluations `evaluate qasrl` and `evaluate propbank`."""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

from schemes.charts import write_bar_chart
from schemes.contract.errors import FileError
from schemes.contract.values import Json
from schemes.qasrl import annotation_files as files
from schemes.qasrl.bank import MODEL_QUESTIONS
from schemes.qasrl.corrections_file import read_corrections
from schemes.qasrl.evaluation import (
    ALIGNMENT_COLUMNS,
    ITEM_COLUMNS,
    ScoredFiles,
    scores_by_worker,
    scores_json,
)
from schemes.qasrl.noun_evaluation import QANOM, qanom_figures, qanom_text, read_noun_annotations
from schemes.qasrl.propbank import propbank_figures, propbank_text, read_propbank_verbs, wh_of
from schemes.reports import (
    BadRows,
    Evaluation,
    Options,
    Report,
    UsageError,
    add_reader_options,
    bootstrap_json,
    bootstrap_text,
    draws,
    paragraphs,
    shown,
    skipped_text,
    text_table,
)

_COUNTS_HEADER = ("", "TP", "FP", "FN", "Precision %", "Recall %", "F1 %")
_QASRL_HELP = """UA and LA of predicted QA-SRL roles against a reference.

Files are CSV, JSON Lines of the QA-SRL Bank (.jsonl, .jsonl.gz) or output of parsers (.jsonl, .json).

examples:
  python manage.py evaluate qasrl expert.csv predicted.csv
  python manage.py evaluate qasrl expert.csv predicted.csv --json --bootstrap 1000
  python manage.py evaluate qasrl expert.csv predicted.csv --sentences sentences.csv \\
      --alignment spans.csv --per-item predicates.csv --plot annotators.svg
  python manage.py evaluate qasrl expert.csv dense/dev.jsonl.gz --min-valid 5 --of 6
  python manage.py evaluate qasrl gold.csv parser.jsonl --sentences sentences.csv --threshold 0.4
  python manage.py evaluate qasrl expert.csv predicted.csv --corrections corrections.csv
  python manage.py evaluate qasrl annot.dev.csv predicted.csv --metric qanom --skip-bad-rows
"""
_PROPBANK_HELP = """QA-SRL roles against PropBank (CoNLL-2009 or CoNLL-2012): macro precision and recall.

examples:
  python manage.py evaluate propbank propbank.conll predicted.csv --sentences sentences.csv
  python manage.py evaluate propbank propbank.conll predicted.csv --sentences sentences.csv --json
"""


def _add_qasrl_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("reference", type=Path, metavar="REFERENCE")
    parser.add_argument("predicted", type=Path, metavar="PREDICTED")
    parser.add_argument(
        "--sentences",
        type=Path,
        metavar="FILE",
        help="sentences CSV, to check spans, to show words in the alignment, and to find sentences "
        "of parsers without ids",
    )
    parser.add_argument(
        "--roles", action="store_true", help="add the share of reference questions found"
    )
    parser.add_argument(
        "--corrections",
        type=Path,
        metavar="FILE",
        help="a CSV of people's decisions on matches, for a second set of figures",
    )
    parser.add_argument(
        "--metric",
        choices=[QANOM],
        help="add the figures of QANom's evaluator (Klein et al. 2020), for files of nouns",
    )
    add_reader_options(parser, files.GOLD_OPTIONS)


def _qasrl_report(options: Options) -> Report:
    sentences = options["sentences"] and files.read_sentence_tokens(options["sentences"])
    selection = files.selection_of(options)
    bad_rows = BadRows(skip=options["skip_bad_rows"])
    notes: Counter[str] = Counter()
    reference, predicted = (
        files.read_annotation_file(
            options[side],
            sentences=sentences,
            selection=selection,
            bad_rows=bad_rows,
            notes=notes,
        )
        for side in ("reference", "predicted")
    )
    if not reference:
        raise FileError(options["reference"].name, None, "has no predicate that can be used.")
    evaluation = ScoredFiles(reference, predicted)
    report = Report(
        evaluation.figures(),
        _qasrl_text,
        charts=[
            (
                options["plot"],
                lambda path: _draw_annotators(reference, options, path),
            )
        ],
    )
    report.figures |= notes
    bad_rows.add_to(report.figures)
    if sentences:
        report.figures["contradictions"] = [
            message
            for side in ("reference", "predicted")
            for message in files.list_contradictions(options[side], sentences)
        ]
    if options["corrections"]:
        report.figures["corrected"] = _corrected(evaluation, options["corrections"])
    if options["metric"] == QANOM:
        report.figures[QANOM] = _qanom_figures(options, sentences)
    if options["roles"]:
        report.figures["role_recall"] = evaluation.role_figures()
    if options["bootstrap"]:
        report.figures["bootstrap"] = _qasrl_bootstrap(evaluation, options)
    report.tables = [
        (options["per_item"], ITEM_COLUMNS, evaluation.item_rows()),
        (options["alignment"], ALIGNMENT_COLUMNS, evaluation.alignment_rows(sentences)),
    ]
    return report


def _qanom_figures(options: Options, sentences: files.Sentences | None) -> Json:
    reference, predicted = (
        read_noun_annotations(
            options[side],
            sentences=sentences,
            bad_rows=BadRows(skip=options["skip_bad_rows"]),
        )
        for side in ("reference", "predicted")
    )
    return qanom_figures(reference, predicted)


def _corrected(evaluation: ScoredFiles, path: Path) -> Json:
    try:
        return scores_json(evaluation.corrected(read_corrections(path)))
    except FileError:
        raise
    except ValueError as error:
        raise FileError(path.name, None, f"{error}.") from error


def _qasrl_bootstrap(evaluation: ScoredFiles, options: Options) -> Json:
    # Inline, because it loads numpy.
    from metrics.bootstrap import bootstrap_counts  # noqa: PLC0415

    scores, drawn = evaluation.item_scores.values(), draws(options)
    intervals = {
        "UA": bootstrap_counts([score.ua for score in scores], **drawn),
        "LA": bootstrap_counts([score.la for score in scores], **drawn),
    }
    return bootstrap_json(intervals, **drawn)


def _draw_annotators(reference: files.Annotations, options: Options, path: Path) -> None:
    bad_rows = BadRows(skip=options["skip_bad_rows"])
    predicted = files.read_annotations_by_worker(options["predicted"], bad_rows=bad_rows)
    by_worker = scores_by_worker(reference, predicted)
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
        text_table(_COUNTS_HEADER, _count_rows(figures)),
        _role_text(figures),
        _verbal_text(figures),
        _implied_text(figures),
        qanom_text(figures),
        _models_text(figures),
        bootstrap_text(figures),
        skipped_text(figures, items="predicates"),
        _contradictions_text(figures),
    )


def _models_text(figures: Json) -> str:
    count = figures.get(MODEL_QUESTIONS, 0)
    if not count:
        return ""
    return f"{count} questions that only models asked were left out. --sources all counts them."


def _contradictions_text(figures: Json) -> str:
    contradictions = figures.get("contradictions")
    if not contradictions:
        return ""
    count = len(contradictions)
    words = "1 text differs" if count == 1 else f"{count} texts differ"
    title = f"{words} from the words at the given positions, which were scored:"
    return "\n".join([title, *contradictions[: BadRows.MAX_SHOWN]])


def _count_rows(figures: Json) -> list[tuple[object, ...]]:
    corrected = figures.get("corrected", {})
    return [
        *((name, *figures[name].values()) for name in ("UA", "LA")),
        *((f"{name} corrected", *counts.values()) for name, counts in corrected.items()),
    ]


def _role_text(figures: Json) -> str:
    if "role_recall" not in figures:
        return ""
    recall = figures["role_recall"]
    share = shown(recall["recall"])
    return f"{recall['found']} of {recall['roles']} reference questions found ({share} %)."


def _implied_text(figures: Json) -> str:
    if "implied" not in figures:
        return ""
    rows = [(name, *recall.values()) for name, recall in figures["implied"].items()]
    return text_table(("Roles of the reference", "Found", "Roles", "Recall %"), rows)


def _verbal_text(figures: Json) -> str:
    if "is_verbal" not in figures:
        return ""
    verbal = figures["is_verbal"]
    header = ("", "nouns", "Accuracy %", "Kappa", "Precision %", "Recall %", "F1 %")
    kappa = "-" if verbal["kappa"] is None else f"{verbal['kappa']:.2f}"
    shares = (verbal[name] for name in ("precision", "recall", "f1"))
    return text_table(header, [("is verbal", verbal["nouns"], verbal["accuracy"], kappa, *shares)])


def _add_propbank_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("propbank", type=Path, metavar="PROPBANK.conll")
    parser.add_argument("predicted", type=Path, metavar="PREDICTED")
    parser.add_argument(
        "--sentences",
        type=Path,
        metavar="FILE",
        required=True,
        help="sentences CSV of the predicted file, matched by equal tokens",
    )
    add_reader_options(parser, files.GOLD_OPTIONS)


def _propbank_figures(options: Options) -> Json:
    sentences = files.read_sentence_tokens(options["sentences"])
    bad_rows = BadRows(skip=options["skip_bad_rows"])
    verbs = read_propbank_verbs(options["propbank"], sentences, on_error=bad_rows)
    selection = files.selection_of(options)
    predicted = files.read_annotation_file(
        options["predicted"], sentences=sentences, selection=selection, bad_rows=bad_rows
    )
    questions = {
        key: [(wh_of(question), sorted(spans)) for question, spans in annotations.roles.items()]
        for key, annotations in predicted.items()
    }
    figures = propbank_figures(verbs, questions)
    bad_rows.add_to(figures)
    return figures


QASRL = Evaluation(
    "qasrl",
    "QA-SRL",
    _QASRL_HELP,
    _add_qasrl_arguments,
    _qasrl_report,
    reads=("reference", "predicted", "sentences", "corrections"),
)
PROPBANK = Evaluation(
    "propbank",
    "PropBank",
    _PROPBANK_HELP,
    _add_propbank_arguments,
    lambda options: Report(
        _propbank_figures(options),
        lambda figures: paragraphs(
            propbank_text(figures), skipped_text(figures, items="predicates")
        ),
    ),
    reads=("propbank", "predicted", "sentences"),
    writes_files=False,
)
