"""Files of QA-SRL annotations in any format, for evaluation.

These are CSV in the published layout, JSON Lines of the QA-SRL Bank, and the output of parsers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_json

from metrics.spans import Span
from schemes.contract.corpus import ReaderOption
from schemes.contract.errors import ContentError, FileError, refuse
from schemes.contract.items import ItemContext
from schemes.contract.records import GoldRecord, Stated
from schemes.qasrl.bad_rows import Survey, survey_rows, with_consequence, with_extent
from schemes.qasrl.bank import Validity, looks_like_bank, read_bank_gold
from schemes.qasrl.fitting import locate_answers
from schemes.qasrl.json_lines import json_lines
from schemes.qasrl.labels import Label, label_in_file, question_label
from schemes.qasrl.parser_output import Thresholds, read_parser_output
from schemes.qasrl.published_csv import (
    BadRow,
    GoldRow,
    all_gold_rows,
    read_gold_rows,
    read_sentence_rows,
)
from schemes.qasrl.slots import Slots
from schemes.qasrl.stated_rows import stated_by
from schemes.reports import BadRows, UsageError
from schemes.stated import Contradiction, contradictions, same_tokens, shown

Predicate = tuple[str, int]  # sentence id, position of the verb
Sentences = Mapping[str, tuple[str, ...]]


class PartialSentences(dict[str, tuple[str, ...]]):
    """Sentences by id, of a file that may also have other sentences, which are not checked."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The questions and answers of a file that count. Both parts depend on the file's format."""

    validity: Validity | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)
    with_models: bool = False


def probability(text: str) -> float:
    """Return a number from 0 to 1. Raise ValueError."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError("not a probability")
    return value


def question_sources(text: str) -> str:
    """Return "turk" or "all". Raise ValueError."""
    if text not in ("turk", "all"):
        raise ValueError("neither turk nor all")
    return text


SOURCES = ReaderOption(
    "sources",
    "--sources",
    question_sources,
    "turk|all",
    "QA-SRL Bank: leave out questions that only models asked (turk, the default) or none (all)",
)
GOLD_OPTIONS = (
    ReaderOption(
        "min_valid",
        "--min-valid",
        int,
        "K",
        "QA-SRL Bank: leave out questions with fewer valid judgments, of N (see --of)",
    ),
    ReaderOption("of", "--of", int, "N", "QA-SRL Bank: the number of judgments of --min-valid"),
    SOURCES,
    ReaderOption(
        "threshold",
        "--threshold",
        probability,
        "P",
        "parsers: the least probability of an answer (default 0.5)",
    ),
    ReaderOption(
        "question_threshold",
        "--question-threshold",
        probability,
        "P",
        "parsers: the least probability of a question (default 0)",
    ),
)


def selection_of(options: Mapping[str, Any]) -> Selection:
    """Return the selection of GOLD_OPTIONS. Raise UsageError."""
    validity = _validity(options.get("min_valid"), options.get("of"))
    given = {
        name: options[key]
        for name, key in (("answer", "threshold"), ("question", "question_threshold"))
        if options.get(key) is not None
    }
    return Selection(validity, Thresholds(**given), with_models=options.get("sources") == "all")


def _validity(min_valid: int | None, of: int | None) -> Validity | None:
    if min_valid is None and of is None:
        return None
    if min_valid is None or of is None:
        raise UsageError("--min-valid and --of need each other, such as --min-valid 5 --of 6.")
    if not 1 <= min_valid <= of:
        raise UsageError(
            f"--min-valid {min_valid} --of {of}: give numbers from 1, the smaller first."
        )
    return Validity(min_valid, of)


class AnsweredQuestion(NamedTuple):
    """A question of a file with its label and answers."""

    question: str
    label: Label
    answers: tuple[Span, ...]


@dataclass(slots=True)
class Annotation:
    """The annotation of a predicate in a file.

    `is_verbal` is whether a noun describes an event, and None for verbs. `verb_form` is the verb in
    the questions about a noun. `implied` has whether the sentence only implies a role, for the keys of
    `roles` for which that is known, and is None without any. Labels, questions and roles are computed
    on demand, because a large file would need too much memory for them.
    """

    verb: str
    is_verbal: bool | None = None
    verb_form: str = ""
    implied: dict[str, bool] | None = None
    answered: list[AnsweredQuestion] = field(default_factory=list)

    def add(self, question: str, slots: Slots | None, answers: tuple[Span, ...]) -> None:
        label = label_in_file(question, slots, verb=self.verb_form or self.verb)
        self.answered.append(AnsweredQuestion(question, label, answers))

    @property
    def labels(self) -> dict[Span, frozenset[Label]]:
        """Return the labels of each distinct span."""
        labels: dict[Span, frozenset[Label]] = {}
        for question, label, answers in self.answered:
            own = frozenset((label, question_label(question, None)))
            for span in answers:
                labels[span] = labels[span] | own if span in labels else own
        return labels

    @property
    def questions(self) -> dict[Span, list[str]]:
        """Return the distinct questions of each span."""
        questions: dict[Span, dict[str, None]] = {}
        for question, _, answers in self.answered:
            for span in answers:
                questions.setdefault(span, {})[question] = None
        return {span: list(of_span) for span, of_span in questions.items()}

    @property
    def roles(self) -> dict[str, set[Span]]:
        """Return the answers of each question. The same question again is one role."""
        roles: dict[str, set[Span]] = {}
        for question, _, answers in self.answered:
            roles.setdefault(question.lower(), set()).update(answers)
        return roles

    def mark(self, question: str, *, is_implied: bool) -> None:
        """Store whether the sentence only implies a role. A role with several rows is implied by any."""
        self.implied = self.implied or {}
        role = question.lower()
        self.implied[role] = self.implied.get(role, False) or is_implied


Annotations = Mapping[Predicate, Annotation]


def read_annotation_file(
    path: Path,
    *,
    sentences: Sentences | None = None,
    selection: Selection = Selection(),
    bad_rows: BadRows | None = None,
    notes: Counter[str] | None = None,
) -> dict[Predicate, Annotation]:
    """Return the predicates of a file, in file order.

    Redundant roles are dropped, but their predicates are not. With `sentences`, every predicate and
    span must be inside, and sentences of a parser's output without ids are found by their tokens.
    `notes` counts what the selection left out. `bad_rows` may collect bad rows. Their predicates are
    left out. Otherwise, the first is raised as FileError with file, line and field.
    """
    bad_rows = bad_rows or BadRows()
    if looks_like_bank(path):
        return _read_json_lines(path, sentences, selection, bad_rows, notes)
    annotations: dict[Predicate, Annotation] = {}
    for row in usable_rows(path, sentences, bad_rows):
        _add(row, annotations)
    return annotations


def list_contradictions(path: Path, sentences: Sentences) -> list[str]:
    """Return a message for everything that a file states and its sentence contradicts.

    Positions are scored as they are, because published files have a few such words.
    """
    messages = []
    for external_id, stated, line in _stated(path, sentences):
        tokens = sentences.get(external_id, ())
        if not tokens and isinstance(sentences, PartialSentences):
            continue
        found = list(contradictions(stated, ItemContext(tokens)))
        if stated.tokens and not same_tokens(stated.tokens, tokens):
            there = f"are “{shown(stated.tokens)}”, but the sentence is “{shown(tokens)}”."
            found = [Contradiction("tokens", there)]
        messages += [
            str(FileError(path.name, error.line or line, error.message, field=error.field))
            for error in found
        ]
    return list(dict.fromkeys(messages))


def _stated(path: Path, sentences: Sentences) -> Iterator[tuple[str, Stated, int]]:
    """Yield the sentence's id, what the file states and the line of each row or predicate."""
    if looks_like_bank(path):
        for record in _records(path, sentences, Selection(), BadRows(skip=True)):
            yield record.item.external_id, record.item.stated, record.line
    else:
        for row in read_gold_rows(path, on_error=lambda error: None):
            yield row.qasrl_id, stated_by([row]), row.line


def read_annotations_by_worker(
    path: Path, *, bad_rows: BadRows | None = None
) -> dict[str, dict[Predicate, Annotation]]:
    """Return the annotations of each worker in a CSV, by id. Rows without a worker are skipped.

    `bad_rows` is that of `read_annotation_file`.
    """
    by_worker: dict[str, dict[Predicate, Annotation]] = {}
    for row in usable_rows(path, None, bad_rows or BadRows()):
        if row.worker_id:
            _add(row, by_worker.setdefault(row.worker_id, {}))
    return dict(sorted(by_worker.items()))


def read_sentence_tokens(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the tokens of each sentence of a published file. Raises FileError."""
    return {row.external_id: row.tokens for row in read_sentence_rows(path, on_error=refuse)}


def is_parser_output(path: Path) -> bool:
    """Return True for JSON Lines of a parser, False for those of the QA-SRL Bank."""
    _, entry = next(json_lines(path, refuse), (0, {}))
    return any(name in entry for name in ("verbs", "qasrl", "qanom"))


def _read_json_lines(
    path: Path,
    sentences: Sentences | None,
    selection: Selection,
    bad_rows: BadRows,
    notes: Counter[str] | None,
) -> dict[Predicate, Annotation]:
    annotations: dict[Predicate, Annotation] = {}
    # Hashes, because the contents would need too much memory.
    contents: dict[Predicate, int] = {}
    for record in _records(path, sentences, selection, bad_rows):
        key = record.item.external_id, int(record.item.target["verb_idx"])
        content = hash(to_json(record.content))
        if key in contents:
            if contents[key] != content:
                annotations.pop(key, None)
                message = f"{key[0]}/{key[1]} is repeated with other content, and left out."
                bad_rows(FileError(path.name, record.line, message))
            continue
        contents[key] = content
        if notes is not None:
            notes.update(record.notes)
        try:
            _add_record(record, sentences, path, annotations)
        except FileError as error:
            bad_rows(error)
    return annotations


def _add_record(
    record: GoldRecord, sentences: Sentences | None, path: Path, table: dict[Predicate, Annotation]
) -> None:
    """Add a record. Raise FileError if it is not inside its sentence."""
    key = record.item.external_id, int(record.item.target["verb_idx"])
    if sentences is not None:
        _check_inside(key, (), sentences, path, record.line)
    tokens = record.item.stated.tokens or (sentences or {}).get(key[0], ())
    try:
        record = locate_answers(record, tokens)
    except ContentError as error:
        raise FileError(path.name, record.line, error.message, field=error.path) from error
    questions = record.content["questions"]
    if sentences is not None:
        spans = [span for question in questions for span in question["answers"]]
        _check_inside(key, spans, sentences, path, record.line)
    target = record.item.target
    verb = target.get("verb") or target["forms"]["stem"]
    annotation = table.setdefault(key, Annotation(verb))
    for question in questions:
        slots = question.get("slots")
        answers = tuple([(start, end) for start, end in question["answers"]])
        annotation.add(question["question"], _slots(**slots) if slots else None, answers)


@lru_cache(maxsize=1 << 14)
def _slots(**values: Any) -> Slots:
    """Return the slots, cached because they recur."""
    return Slots(**values)


def _records(
    path: Path, sentences: Sentences | None, selection: Selection, bad_rows: BadRows
) -> Iterator[GoldRecord]:
    if not is_parser_output(path):
        return read_bank_gold(
            path,
            on_error=bad_rows,
            validity=selection.validity,
            with_models=selection.with_models,
        )
    ids: dict[tuple[str, ...], list[str]] = {}
    for external_id, tokens in (sentences or {}).items():
        ids.setdefault(tokens, []).append(external_id)
    return read_parser_output(path, on_error=bad_rows, thresholds=selection.thresholds, ids=ids)


def usable_rows(path: Path, sentences: Sentences | None, bad_rows: BadRows) -> Iterator[GoldRow]:
    """Yield the rows of predicates without a bad row."""
    survey = Survey()
    if bad_rows.skip:
        # The errors are collected below.
        survey = survey_rows(_checked_rows(path, sentences))
    for row in _checked_rows(path, sentences):
        if not isinstance(row, BadRow):
            if row.key not in survey.bad:
                yield row
        elif bad_rows.skip:
            bad_rows(with_consequence(row, survey))
        elif bad_rows.skip is None:
            raise row.error
        else:
            raise with_extent(row, survey_rows(_checked_rows(path, sentences)))


def _checked_rows(path: Path, sentences: Sentences | None) -> Iterator[GoldRow | BadRow]:
    """Yield the rows. Those outside their sentences are bad."""
    for row in all_gold_rows(path):
        if sentences is None or isinstance(row, BadRow):
            yield row
            continue
        try:
            _check_inside(row.key, row.answers, sentences, path, row.line)
        except FileError as error:
            yield BadRow(row.key, error)
        else:
            yield row


def _add(row: GoldRow, table: dict[Predicate, Annotation]) -> None:
    key = row.qasrl_id, row.verb_idx
    annotation = table.get(key)
    if annotation is None:
        annotation = table[key] = Annotation(row.verb, verb_form=row.verb_form)
    if row.is_verbal is not None:
        annotation.is_verbal = annotation.is_verbal or row.is_verbal
    if row.question and not row.is_redundant:
        annotation.add(row.question, row.slots, row.answers)
        if row.is_implied is not None:
            annotation.mark(row.question, is_implied=row.is_implied)


def _check_inside(
    predicate: Predicate,
    answers: Iterable[Sequence[int]],
    sentences: Sentences,
    path: Path,
    line: int,
) -> None:
    external_id, verb_idx = predicate
    tokens = sentences.get(external_id)
    if tokens is None:
        if isinstance(sentences, PartialSentences):
            return
        message = f"the sentence {external_id} is not in the sentences file."
        raise FileError(path.name, line, message, field="qasrl_id")
    if verb_idx >= len(tokens):
        message = f"{verb_idx} is beyond the sentence of {len(tokens)} tokens."
        raise FileError(path.name, line, message, field="verb_idx")
    for start, end in answers:
        if end > len(tokens):
            message = f"{start}:{end} ends beyond the sentence of {len(tokens)} tokens."
            raise FileError(path.name, line, message, field="answer_range")
