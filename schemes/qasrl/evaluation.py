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
    argument_scores,
    count_ignored,
    summed,
)
from metrics.counts import Counts, micro_sum
from metrics.spans import Span, span_iou
from schemes.base import FileError, Json
from schemes.qasrl.labels import Label, labels_in_file
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
        labels = labels_in_file(row.question, row.slots, verb=row.verb)
        # Two rows with the same question are one role with all their answers.
        role = self.roles.setdefault(row.question.lower(), set())
        for span in row.answers:
            role.add(span)
            self.labels.setdefault(span, set()).update(labels)
            asked = self.questions.setdefault(span, [])
            if row.question not in asked:
                asked.append(row.question)


Annotations = Mapping[Predicate, Annotation]


def read_annotation_file(
    path: Path, *, sentences: Sentences | None = None
) -> dict[Predicate, Annotation]:
    """The predicates of a CSV of the published layout, in its order; roles marked redundant are
    left out, their predicate stays. With `sentences`, every predicate and span must lie inside.

    Raises FileError, naming file, line and field, at the first row that cannot be used.
    """
    found: dict[Predicate, Annotation] = {}
    for row in _rows(path, sentences):
        _add(row, found)
    return found


def read_annotations_by_worker(path: Path) -> dict[str, dict[Predicate, Annotation]]:
    """The same file worker by worker, ids ascending; rows without a worker are left out."""
    found: dict[str, dict[Predicate, Annotation]] = {}
    for row in _rows(path, None):
        if row.worker_id:
            _add(row, found.setdefault(row.worker_id, {}))
    return dict(sorted(found.items()))


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

    def __init__(self, reference: Annotations, predicted: Annotations) -> None:
        self._reference = reference
        self._predicted = predicted

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


def scores_by_worker(
    reference: Annotations, by_worker: Mapping[str, Annotations]
) -> dict[str, ArgumentScores]:
    """Each worker's scores over those predicates of the reference that they annotated."""
    found = {}
    for worker, table in by_worker.items():
        shared = {key: each for key, each in reference.items() if key in table}
        found[worker] = argument_scores(_labels(shared), _labels(table))
    return found


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
