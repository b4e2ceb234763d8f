"""Evaluation of QA-SRL files: the output of `evaluate qasrl`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from metrics.alignment import AlignedRow, Alignment, role_recall
from metrics.argument_scores import (
    ArgumentScores,
    ItemScore,
    align_items,
    argument_scores,
    count_ignored,
    summed,
)
from metrics.counts import micro_sum
from metrics.spans import Span, span_iou
from schemes.base import FileError, Json, refuse
from schemes.qasrl.labels import Label, labels_in_file
from schemes.qasrl.published_csv import SEPARATOR, GoldRow, read_gold_rows, read_sentence_rows

Predicate = tuple[str, int]  # sentence id, position of the verb
Sentences = Mapping[str, tuple[str, ...]]

ITEM_COLUMNS = (
    "qasrl_id", "verb_idx", "verb",
    "ua_tp", "ua_fp", "ua_fn", "ua_precision", "ua_recall", "ua_f1",
    "la_tp", "la_fp", "la_fn", "la_precision", "la_recall", "la_f1",
)  # fmt: skip
ALIGNMENT_COLUMNS = (
    "qasrl_id", "verb_idx", "verb", "state", "reference_range", "predicted_range", "iou", "group",
    "reference_questions", "predicted_questions", "reference_text", "predicted_text",
)  # fmt: skip


@dataclass(slots=True)
class Annotation:
    """A predicate's distinct spans with labels and questions, from a file."""

    verb: str
    labels: dict[Span, set[Label]] = field(default_factory=dict)
    questions: dict[Span, list[str]] = field(default_factory=dict)
    roles: dict[str, set[Span]] = field(default_factory=dict)

    def add(self, row: GoldRow) -> None:
        labels = labels_in_file(row.question, row.slots, verb=row.verb)
        # Rows with the same question form one role with all their answers.
        role = self.roles.setdefault(row.question.lower(), set())
        for span in row.answers:
            role.add(span)
            self.labels.setdefault(span, set()).update(labels)
            questions = self.questions.setdefault(span, [])
            if row.question not in questions:
                questions.append(row.question)


Annotations = Mapping[Predicate, Annotation]


def read_annotation_file(
    path: Path, *, sentences: Sentences | None = None
) -> dict[Predicate, Annotation]:
    """Return the predicates of a CSV in the published layout, in file order.

    Redundant roles are dropped, but their predicates are not. With `sentences`, every predicate and
    span must lie inside. Raises FileError with file, line and field at the first invalid row.
    """
    annotations: dict[Predicate, Annotation] = {}
    for row in _rows(path, sentences):
        _add(row, annotations)
    return annotations


def read_annotations_by_worker(path: Path) -> dict[str, dict[Predicate, Annotation]]:
    """Return the annotations of each worker, by id. Rows without a worker are skipped."""
    by_worker: dict[str, dict[Predicate, Annotation]] = {}
    for row in _rows(path, None):
        if row.worker_id:
            _add(row, by_worker.setdefault(row.worker_id, {}))
    return dict(sorted(by_worker.items()))


def _rows(path: Path, sentences: Sentences | None) -> Iterator[GoldRow]:
    for row in read_gold_rows(path, on_error=refuse):
        if sentences is not None:
            _check_inside(row, sentences, path)
        yield row


def _add(row: GoldRow, table: dict[Predicate, Annotation]) -> None:
    key = row.qasrl_id, row.verb_idx
    annotation = table.get(key)
    if annotation is None:
        annotation = table[key] = Annotation(row.verb)
    if row.question and not row.is_redundant:
        annotation.add(row)


def read_sentence_tokens(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the tokens of each sentence of a published file. Raises FileError."""
    return {row.external_id: row.tokens for row in read_sentence_rows(path, on_error=refuse)}


def _check_inside(row: GoldRow, sentences: Sentences, path: Path) -> None:
    tokens = sentences.get(row.qasrl_id)
    if tokens is None:
        message = f"the sentence {row.qasrl_id} is not in the sentences file."
        raise FileError(path.name, row.line, message, field="qasrl_id")
    if row.verb_idx >= len(tokens):
        message = f"{row.verb_idx} is beyond the sentence of {len(tokens)} tokens."
        raise FileError(path.name, row.line, message, field="verb_idx")
    for start, end in row.answers:
        if end > len(tokens):
            message = f"{start}:{end} ends beyond the sentence of {len(tokens)} tokens."
            raise FileError(path.name, row.line, message, field="answer_range")


class Evaluation:
    """A predicted and a reference file. Figures and tables are computed on demand."""

    def __init__(self, reference: Annotations, predicted: Annotations) -> None:
        self._reference = reference
        self._predicted = predicted

    @cached_property
    def alignments(self) -> dict[Predicate, Alignment]:
        """Return the alignment of each reference predicate, in order."""
        return align_items(_labels(self._reference), _labels(self._predicted))

    @cached_property
    def item_scores(self) -> dict[Predicate, ItemScore]:
        """Return the UA and LA counts of each reference predicate."""
        return {
            key: ItemScore(alignment.ua, alignment.la) for key, alignment in self.alignments.items()
        }

    @cached_property
    def scores(self) -> ArgumentScores:
        """Return UA and LA over all reference predicates."""
        ignored = count_ignored(self._reference, self._predicted)
        return summed(self.item_scores, ignored=ignored)

    def role_figures(self) -> Json:
        """Return unlabelled role recall as JSON: matched roles, all roles, ratio."""
        roles = micro_sum(
            role_recall(annotation.roles.values(), self.alignments[key])
            for key, annotation in self._reference.items()
        )
        return {"found": roles.tp, "roles": roles.tp + roles.fn, "recall": roles.recall}

    def figures(self) -> Json:
        """Return the JSON output of `evaluate qasrl --json`."""
        return {
            "predicates": self.scores.items,
            "ignored_predicates": self.scores.ignored_items,
            "UA": self.scores.ua.as_json(),
            "LA": self.scores.la.as_json(),
        }

    def item_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row per reference predicate, in the order of ITEM_COLUMNS."""
        for key, score in self.item_scores.items():
            figures = [*score.ua.as_json().values(), *score.la.as_json().values()]
            yield *key, self._reference[key].verb, *figures

    def alignment_rows(self, sentences: Sentences | None = None) -> Iterator[tuple[Any, ...]]:
        """Yield a row per span, in the order of ALIGNMENT_COLUMNS, with texts if possible."""
        nothing = Annotation("")
        for key, alignment in self.alignments.items():
            reference, predicted = self._reference[key], self._predicted.get(key, nothing)
            tokens = sentences[key[0]] if sentences else ()
            for row in alignment.rows():
                left = _side(row.reference, reference, tokens)
                right = _side(row.predicted, predicted, tokens)
                ranges, questions, texts = zip(left, right, strict=True)
                start = *key, reference.verb, row.state.value
                yield *start, *ranges, _iou(row), row.group, *questions, *texts


def scores_by_worker(
    reference: Annotations, by_worker: Mapping[str, Annotations]
) -> dict[str, ArgumentScores]:
    """Return each worker's scores over the reference predicates that they annotated."""
    labels = _labels(reference)
    return {
        worker: argument_scores(
            {key: labels[key] for key in labels if key in table}, _labels(table)
        )
        for worker, table in by_worker.items()
    }


def _labels(table: Mapping[Predicate, Annotation]) -> dict[Predicate, dict[Span, set[Label]]]:
    return {key: annotation.labels for key, annotation in table.items()}


def _side(
    span: Span | None, annotation: Annotation, tokens: tuple[str, ...]
) -> tuple[str, str, str]:
    """Return the range, the questions and the text of a span."""
    if span is None:
        return "", "", ""
    start, end = span
    questions = SEPARATOR.join(annotation.questions[span])
    return f"{start}:{end}", questions, " ".join(tokens[start:end])


def _iou(row: AlignedRow) -> float | None:
    if row.reference is None or row.predicted is None:
        return None
    return float(span_iou(row.reference, row.predicted))
