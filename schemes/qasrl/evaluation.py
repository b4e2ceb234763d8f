"""Files of QA-SRL annotation against one another: what `evaluate qasrl` prints and writes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from metrics.alignment import AlignedRow, Alignment, role_recall
from metrics.argument_scores import (
    ArgumentScores,
    ItemScore,
    align_items,
    count_ignored,
    summed,
)
from metrics.counts import Counts, micro_sum
from metrics.spans import Span, span_iou
from schemes.base import FileError, Json
from schemes.qasrl.labels import Label, label_in_file
from schemes.qasrl.published_csv import (
    SEPARATOR,
    GoldRow,
    read_gold_rows,
    read_sentence_rows,
)

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
    """What a file says of one predicate: its distinct spans with their labels and questions."""

    verb: str
    labels: dict[Span, set[Label]] = field(default_factory=dict)
    questions: dict[Span, list[str]] = field(default_factory=dict)
    roles: dict[str, set[Span]] = field(default_factory=dict)

    def add(self, row: GoldRow) -> None:
        label = label_in_file(row.question, row.slots, verb=row.verb)
        # Two rows with the same question are one role with all their answers.
        role = self.roles.setdefault(row.question.lower(), set())
        for span in row.answers:
            role.add(span)
            self.labels.setdefault(span, set()).add(label)
            asked = self.questions.setdefault(span, [])
            if row.question not in asked:
                asked.append(row.question)


@dataclass(frozen=True, slots=True)
class AnnotationFile:
    """All predicates of a file in its order, and the same by the worker who annotated them."""

    predicates: dict[Predicate, Annotation]
    by_worker: dict[str, dict[Predicate, Annotation]]


def read_annotation_file(path: Path, *, sentences: Sentences | None = None) -> AnnotationFile:
    """Reads a CSV of the published layout; roles marked redundant are left out, their predicate
    stays. With `sentences`, every predicate and span must lie inside its sentence.

    Raises FileError, naming file, line and field, at the first row that cannot be used.
    """
    found = AnnotationFile({}, {})
    for row in read_gold_rows(path, on_error=refuse):
        if sentences is not None:
            _check_inside(row, sentences, path)
        key = row.qasrl_id, row.verb_idx
        tables = [found.predicates]
        if row.worker_id:
            tables.append(found.by_worker.setdefault(row.worker_id, {}))
        for table in tables:
            annotation = table.setdefault(key, Annotation(row.verb))
            if row.question and not row.is_redundant:
                annotation.add(row)
    return found


def read_sentence_tokens(path: Path) -> dict[str, tuple[str, ...]]:
    """The tokens of each sentence of a published sentences file. Raises FileError."""
    return {row.external_id: row.tokens for row in read_sentence_rows(path, on_error=refuse)}


def refuse(error: FileError) -> NoReturn:
    """The error sink of an evaluation: a figure over half a file would be a wrong figure."""
    raise error


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
    """A predicted file against a reference file: figures and tables, each made when asked for."""

    def __init__(self, reference: AnnotationFile, predicted: AnnotationFile) -> None:
        self._reference = reference.predicates
        self._predicted = predicted.predicates
        self._by_worker = predicted.by_worker

    @cached_property
    def alignments(self) -> dict[Predicate, Alignment]:
        """The alignment of each predicate of the reference, in its order."""
        return align_items(_labels(self._reference), _labels(self._predicted))

    @cached_property
    def item_scores(self) -> dict[Predicate, ItemScore]:
        """UA and LA counts of each predicate of the reference."""
        return {key: ItemScore(each.ua, each.la) for key, each in self.alignments.items()}

    @cached_property
    def scores(self) -> ArgumentScores:
        """UA and LA over all predicates of the reference."""
        ignored = count_ignored(self._reference, self._predicted)
        return summed(self.item_scores, ignored=ignored)

    @property
    def roles(self) -> Counts:
        """Unlabelled role recall over all predicates of the reference."""
        return micro_sum(
            role_recall(annotation.roles.values(), self.alignments[key])
            for key, annotation in self._reference.items()
        )

    def role_figures(self) -> Json:
        """Unlabelled role recall as JSON: reference roles found, all of them, their ratio."""
        roles = self.roles
        return {"found": roles.tp, "roles": roles.tp + roles.fn, "recall": roles.recall}

    def scores_by_worker(self) -> dict[str, ArgumentScores]:
        """Each predicted worker's scores over the predicates that they annotated, by id."""
        found = {}
        for worker, table in sorted(self._by_worker.items()):
            shared = {key: each for key, each in self._reference.items() if key in table}
            alignments = align_items(_labels(shared), _labels(table))
            scores = {key: ItemScore(each.ua, each.la) for key, each in alignments.items()}
            found[worker] = summed(scores, ignored=count_ignored(shared, table))
        return found

    def figures(self) -> Json:
        """The object that `evaluate qasrl --json` prints."""
        return {
            "predicates": self.scores.items,
            "ignored_predicates": self.scores.ignored_items,
            "UA": counts_json(self.scores.ua),
            "LA": counts_json(self.scores.la),
        }

    def item_rows(self) -> Iterator[tuple[Any, ...]]:
        """A row per predicate of the reference, in the order of ITEM_COLUMNS."""
        for key, score in self.item_scores.items():
            figures = [*counts_json(score.ua).values(), *counts_json(score.la).values()]
            yield *key, self._reference[key].verb, *figures

    def alignment_rows(self, sentences: Sentences | None = None) -> Iterator[tuple[Any, ...]]:
        """A row per span, in the order of ALIGNMENT_COLUMNS; texts where sentences are given."""
        nothing = Annotation("")
        for key, alignment in self.alignments.items():
            reference, predicted = self._reference[key], self._predicted.get(key, nothing)
            tokens = sentences[key[0]] if sentences else ()
            for row in alignment.rows():
                yield (
                    *key,
                    reference.verb,
                    row.state.value,
                    _range(row.reference),
                    _range(row.predicted),
                    _iou(row),
                    row.group,
                    _questions(row.reference, reference),
                    _questions(row.predicted, predicted),
                    _text(row.reference, tokens),
                    _text(row.predicted, tokens),
                )


def counts_json(counts: Counts) -> Json:
    """A figure as JSON: counts, and ratios in [0, 1] or None."""
    return {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }


def _labels(table: Mapping[Predicate, Annotation]) -> dict[Predicate, dict[Span, set[Label]]]:
    return {key: annotation.labels for key, annotation in table.items()}


def _range(span: Span | None) -> str:
    return "" if span is None else f"{span[0]}:{span[1]}"


def _iou(row: AlignedRow) -> float | None:
    if row.reference is None or row.predicted is None:
        return None
    return float(span_iou(row.reference, row.predicted))


def _questions(span: Span | None, annotation: Annotation) -> str:
    return "" if span is None else SEPARATOR.join(annotation.questions[span])


def _text(span: Span | None, tokens: tuple[str, ...]) -> str:
    return "" if span is None else " ".join(tokens[span[0] : span[1]])
