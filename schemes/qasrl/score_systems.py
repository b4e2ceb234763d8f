"""Scores of several QA-SRL systems against a reference, for evaluation pages."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metrics.alignment import Alignment
from metrics.counts import ratio
from metrics.spans import Span
from schemes.contract.errors import FileError
from schemes.contract.records import ExportRow, SentenceRecord
from schemes.contract.scoring import (
    Measure,
    ScoredSystem,
    ScoredSystems,
    TypeRow,
    TypeTable,
    nonzero,
)
from schemes.contract.values import Noun
from schemes.qasrl.annotation_files import (
    Annotation,
    Annotations,
    PartialSentences,
    Predicate,
    Sentences,
    list_contradictions,
    read_annotation_file,
    read_sentence_tokens,
)
from schemes.qasrl.bank import MODEL_QUESTIONS
from schemes.qasrl.context_answers import answered_in_sentence
from schemes.qasrl.evaluation import ScoredFiles
from schemes.qasrl.gold_csv import write_gold_csv
from schemes.qasrl.items import group
from schemes.qasrl.propbank import wh_of
from schemes.qasrl.published_csv import GOLD_COLUMNS, csv_line, sentence_file, write_lines
from schemes.qasrl.targets import is_verb
from schemes.reports import BadRows

if TYPE_CHECKING:
    from metrics.document_bootstrap import RatioScores

_PARTS = {"precision": "precision", "recall": "recall", "f1": "F1"}
# Factors of the columns TP, FP and FN.
_RATIOS = {
    "precision": ((1, 0, 0), (1, 1, 0)),
    "recall": ((1, 0, 0), (1, 0, 1)),
    "f1": ((2, 0, 0), (2, 1, 1)),
}
# The files of a benchmark.
_REFERENCE, _PREDICATES, _SENTENCES = "gold.csv", "predicates.csv", "sentences.csv"
_TYPE_MEASURES = (
    Measure(key="recall", title="UA recall"),
    Measure(key="la_recall", title="LA recall"),
    Measure(key="precision", title="UA precision"),
)


# The different answers of a predicate in a benchmark. The alignment takes time by their square.
MAX_ANSWERS = 500
_NO_ROLE = ("",) * (len(GOLD_COLUMNS) - 3)


class QasrlScoring:
    """UA and LA of QA-SRL files, micro-averaged over the reference's predicates."""

    noun = Noun("predicate", "predicates")
    documents = Noun("document", "documents")
    measures: Sequence[Measure] = tuple(
        Measure(key=f"{metric}_{part}", title=f"{metric.upper()} {title}", is_main=part == "f1")
        for metric in ("ua", "la")
        for part, title in _PARTS.items()
    )
    ranked_by = "ua_f1"
    item_measure = "UA F1"
    variants: Mapping[str, str] = {}
    file_help = (
        "CSV in the published layout, JSON Lines of the QA-SRL Bank, or the output of a parser "
        "(AllenNLP, QASem)."
    )
    sentences_help = "Sentences CSV, for output of parsers without sentence ids."
    export_format = "qasrl-csv"

    def reference_files(self, folder: Path, variant: str) -> list[Path]:
        return sorted(folder.glob("*.gold.csv"))

    def score(
        self,
        *,
        reference: Sequence[Path],
        systems: Sequence[Path],
        variant: str = "",
        sentences: Sequence[Path] = (),
        skip_bad_rows: bool = False,
    ) -> ScoredSystems:
        # A system may have annotated more than the reference has.
        tokens = PartialSentences()
        for path in sentences:
            tokens |= read_sentence_tokens(path)
        known = tokens or None
        bad_rows = BadRows(skip=skip_bad_rows)
        gold: dict[Predicate, Annotation] = {}
        for path in reference:
            gold |= read_annotation_file(path, sentences=known, bad_rows=bad_rows)
        if not gold:
            raise FileError(reference[0].name, None, "has no predicate that can be used.")
        documents = _documents(gold)
        return ScoredSystems(
            items=len(gold),
            documents=len(set(documents.values())),
            systems=[_scored(path, gold, documents, known, skip_bad_rows) for path in systems],
            facts=nonzero({"bad rows, skipped": len(bad_rows.errors)}),
        )

    def write_reference(
        self, rows: Iterable[ExportRow], folder: Path, variant: str = ""
    ) -> list[Path]:
        path = folder / _REFERENCE
        write_gold_csv((row for row in rows if is_verb(row.target)), path)
        return [path]

    def write_blind(self, rows: Iterable[ExportRow], folder: Path, variant: str = "") -> None:
        scored = [row for row in rows if is_verb(row.target) and answered_in_sentence(row)]
        lines = (
            csv_line([row.external_id, str(row.target["verb_idx"]), row.target["verb"], *_NO_ROLE])
            for row in scored
        )
        write_lines(folder / _PREDICATES, GOLD_COLUMNS, lines)
        sentences = {row.external_id: row for row in scored}
        documents = any(row.document for row in scored)
        with sentence_file(folder / _SENTENCES, documents=documents) as add:
            for key, row in sentences.items():
                metadata = {"document": row.document} if row.document else {}
                add(SentenceRecord(key, row.tokens, 0, metadata, text=row.text))

    def item_keys(self, path: Path, variant: str = "") -> Iterator[str]:
        for predicate, annotation in read_annotation_file(path).items():
            if len(annotation.labels) > MAX_ANSWERS:
                message = f"has more than {MAX_ANSWERS} answers for {_key(predicate)}."
                raise FileError(path.name, None, message)
            yield _key(predicate)

    def item_scores(
        self, reference: Sequence[Path], system: Path, variant: str = ""
    ) -> dict[str, float | None]:
        gold: dict[Predicate, Annotation] = {}
        for path in reference:
            gold |= read_annotation_file(path)
        scores = ScoredFiles(gold, read_annotation_file(system)).item_scores
        return {_key(predicate): score.ua.f1 for predicate, score in scores.items()}

    def further_tables(
        self, folder: Path, reference: Sequence[Path], system: Path, variant: str = ""
    ) -> list[TypeTable]:
        return []


def _key(predicate: Predicate) -> str:
    """Return the predicate as messages show it."""
    return f"{predicate[0]}/{predicate[1]}"


def _documents(gold: Iterable[Predicate]) -> dict[Predicate, int]:
    """Return the number of each predicate's document. Sentences without one are their own."""
    numbers: dict[str, int] = {}
    return {key: numbers.setdefault(group(key[0]) or key[0], len(numbers)) for key in gold}


def _scored(
    path: Path,
    gold: Annotations,
    documents: Mapping[Predicate, int],
    sentences: Sentences | None,
    skip_bad_rows: bool,
) -> ScoredSystem:
    bad_rows = BadRows(skip=skip_bad_rows)
    notes: Counter[str] = Counter()
    predicted = read_annotation_file(path, sentences=sentences, bad_rows=bad_rows, notes=notes)
    evaluation = ScoredFiles(gold, predicted)
    contradictions = list_contradictions(path, sentences) if sentences else []
    facts = {
        "predicates without a prediction": sum(key not in predicted for key in gold),
        "predicates that the reference lacks, ignored": evaluation.scores.ignored_items,
        "questions that only models asked, left out": notes[MODEL_QUESTIONS],
        "bad rows, skipped": len(bad_rows.errors),
        "texts that differ from the words at their positions": len(contradictions),
    }
    return ScoredSystem(
        scores=_by_document(evaluation, documents),
        types=[
            _by_question_word(gold, predicted, evaluation.alignments()),
            *_by_explicitness(evaluation),
        ],
        facts=nonzero(facts),
    )


def _by_document(evaluation: ScoredFiles, documents: Mapping[Predicate, int]) -> "RatioScores":
    import numpy as np  # noqa: PLC0415  # slow to import

    from metrics.document_bootstrap import RatioScores  # noqa: PLC0415

    rows = np.zeros((len(set(documents.values())), 6), dtype=np.int64)
    for key, score in evaluation.item_scores.items():
        ua, la = score.ua, score.la
        rows[documents[key]] += (ua.tp, ua.fp, ua.fn, la.tp, la.fp, la.fn)
    nothing = (0, 0, 0)
    ratios = {}
    for part, (over, under) in _RATIOS.items():
        ratios[f"ua_{part}"] = (*over, *nothing), (*under, *nothing)
        ratios[f"la_{part}"] = (*nothing, *over), (*nothing, *under)
    order = [measure.key for measure in QasrlScoring.measures]
    return RatioScores(rows, {key: ratios[key] for key in order})


def _by_question_word(
    gold: Annotations,
    predicted: Annotations,
    alignments: Iterable[tuple[Predicate, Alignment]],
) -> TypeTable:
    """Return recall by the reference's question words, and precision by the system's.

    A span with several questions counts for each of their words. Groups of extra spans count once for
    each word, as in UA.
    """
    counts: Counter[tuple[str, str]] = Counter()
    nothing = Annotation("")
    for key, alignment in alignments:
        left, right = gold[key].questions, predicted.get(key, nothing).questions
        for pair in alignment.pairs:
            for word in _words(left, pair.reference):
                counts["found", word] += 1
                counts["same", word] += pair.same_label
            counts.update(("correct", word) for word in _words(right, pair.predicted))
        for span in alignment.missed:
            counts.update(("missed", word) for word in _words(left, span))
        for spans in alignment.extra:
            extra = {word for span in spans for word in _words(right, span)}
            counts.update(("extra", word) for word in extra)
    words = {word for _, word in counts}
    by_size = sorted(words, key=lambda word: (-_roles(counts, word), word))
    return TypeTable(
        title="By question word",
        unit="Arguments",
        measures=_TYPE_MEASURES,
        rows={word: _type_row(counts, word) for word in by_size},
    )


def _by_explicitness(evaluation: ScoredFiles) -> list[TypeTable]:
    """Return the recall of explicit and of implied roles, if the reference has them."""
    figures = evaluation.implied_figures().get("implied", {})
    rows = {
        name.capitalize(): TypeRow(recall["roles"], {"recall": recall["recall"]})
        for name, recall in figures.items()
    }
    measures = [Measure(key="recall", title="Role recall")]
    table = TypeTable(title="Explicit and implied", unit="Roles", measures=measures, rows=rows)
    return [table] if rows else []


def _roles(counts: Counter[tuple[str, str]], word: str) -> int:
    return counts["found", word] + counts["missed", word]


def _type_row(counts: Counter[tuple[str, str]], word: str) -> TypeRow:
    roles, correct = _roles(counts, word), counts["correct", word]
    return TypeRow(
        roles,
        {
            "recall": ratio(counts["found", word], roles),
            "la_recall": ratio(counts["same", word], roles),
            "precision": ratio(correct, correct + counts["extra", word]),
        },
    )


def _words(questions: Mapping[Span, Sequence[str]], span: Span) -> set[str]:
    """Return the question words of a span, with "how" and its adverb as one."""
    return {_question_word(question) for question in questions.get(span, ())}


def _question_word(question: str) -> str:
    words = question.lower().split()
    if words[:1] == ["how"] and words[1:2] in (["much"], ["long"]):
        return f"how {words[1]}"
    return wh_of(question)


SCORING = QasrlScoring()
