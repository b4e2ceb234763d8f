"""Evaluation of QA-SRL files: the output of `evaluate qasrl`."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from metrics.alignment import AlignedRow, Alignment, align, role_recall
from metrics.argument_scores import (
    ArgumentScores,
    ItemScore,
    align_items,
    argument_scores,
    count_ignored,
    score_items,
    summed,
)
from metrics.coefficients import cohen_kappa
from metrics.corrections import Decision, align_corrected
from metrics.counts import Counts, micro_sum, ratio
from metrics.spans import Span, span_iou
from schemes.contract.values import Json
from schemes.qasrl.annotation_files import Annotation, Annotations, Predicate, Sentences
from schemes.qasrl.labels import Label
from schemes.qasrl.published_csv import SEPARATOR

ITEM_COLUMNS = (
    "qasrl_id", "verb_idx", "verb",
    "ua_tp", "ua_fp", "ua_fn", "ua_precision", "ua_recall", "ua_f1",
    "la_tp", "la_fp", "la_fn", "la_precision", "la_recall", "la_f1",
)  # fmt: skip
ALIGNMENT_COLUMNS = (
    "qasrl_id", "verb_idx", "verb", "state", "reference_range", "predicted_range", "iou", "group",
    "reference_questions", "predicted_questions", "reference_text", "predicted_text",
)  # fmt: skip


class ScoredFiles:
    """A predicted and a reference file. Figures and tables are computed on demand."""

    def __init__(self, reference: Annotations, predicted: Annotations) -> None:
        self._reference = reference
        self._predicted = predicted

    def alignments(self) -> Iterator[tuple[Predicate, Alignment]]:
        """Yield the alignment of each reference predicate, in order."""
        return align_items(_LabelTable(self._reference), _LabelTable(self._predicted))

    @cached_property
    def item_scores(self) -> dict[Predicate, ItemScore]:
        """Return the UA and LA counts of each reference predicate."""
        return score_items(_LabelTable(self._reference), _LabelTable(self._predicted))

    @cached_property
    def scores(self) -> ArgumentScores:
        """Return UA and LA over all reference predicates."""
        ignored = count_ignored(self._reference, self._predicted)
        return summed(self.item_scores, ignored=ignored)

    def corrected(self, corrections: Mapping[Predicate, Sequence[Decision]]) -> ArgumentScores:
        """Return UA and LA with people's corrections.

        Raise ValueError for corrections of predicates that the reference lacks and for those that do
        not fit (see `align_corrected`).
        """
        scores = dict(self.item_scores)
        nothing = Annotation("")
        for key, decisions in corrections.items():
            if key not in self._reference:
                raise ValueError(f"the reference has no predicate {key[0]}/{key[1]}")
            reference, predicted = self._reference[key], self._predicted.get(key, nothing)
            try:
                alignment = align_corrected(reference.labels, predicted.labels, decisions)
            except ValueError as error:
                raise ValueError(f"{key[0]}/{key[1]}: {error}") from error
            scores[key] = ItemScore(alignment.ua, alignment.la)
        return summed(scores, ignored=self.scores.ignored_items)

    def role_figures(self) -> Json:
        """Return unlabelled role recall as JSON: matched roles, all roles, ratio."""
        roles = micro_sum(
            role_recall(self._reference[key].roles.values(), alignment)
            for key, alignment in self.alignments()
        )
        return {"found": roles.tp, "roles": roles.tp + roles.fn, "recall": roles.recall}

    def implied_figures(self) -> Json:
        """Return role recall of explicit and of implied roles, empty if the reference has no such answer.

        Roles for which nobody was asked are left out. Roit et al. 2020, section 5.
        """
        counts: dict[bool, list[Counts]] = {False: [], True: []}
        nothing = Annotation("")
        for key, annotation in self._reference.items():
            if not annotation.implied:
                continue
            roles = annotation.roles
            alignment = align(annotation.labels, self._predicted.get(key, nothing).labels)
            for role, is_implied in annotation.implied.items():
                counts[is_implied].append(role_recall([roles[role]], alignment))
        if not any(counts.values()):
            return {}
        summed = {is_implied: micro_sum(recalls) for is_implied, recalls in counts.items()}
        return {
            "implied": {
                name: {"found": roles.tp, "roles": roles.tp + roles.fn, "recall": roles.recall}
                for name, roles in (("explicit", summed[False]), ("implied", summed[True]))
            }
        }

    def verbal_figures(self) -> Json:
        """Return the scores of the decision whether nouns describe events, empty without nouns.

        Only nouns of both files count. Precision and recall are those of nouns that do.
        """
        pairs = [
            (annotation.is_verbal, self._predicted[key].is_verbal)
            for key, annotation in self._reference.items()
            if annotation.is_verbal is not None and key in self._predicted
        ]
        if not pairs:
            return {}
        counts = Counter(pairs)
        verbal = Counts(counts[True, True], counts[False, True], counts[True, False])
        accuracy = ratio(sum(first == second for first, second in pairs), len(pairs))
        kappa = cohen_kappa(pairs)
        figures = {"nouns": len(pairs), "accuracy": accuracy, "kappa": kappa, **verbal.as_json()}
        return {"is_verbal": figures}

    def figures(self) -> Json:
        """Return the JSON output of `evaluate qasrl --json`."""
        return {
            "predicates": self.scores.items,
            "ignored_predicates": self.scores.ignored_items,
            **scores_json(self.scores),
            **self.verbal_figures(),
            **self.implied_figures(),
        }

    def item_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row per reference predicate, in the order of ITEM_COLUMNS."""
        for key, score in self.item_scores.items():
            figures = [*score.ua.as_json().values(), *score.la.as_json().values()]
            yield *key, self._reference[key].verb, *figures

    def alignment_rows(self, sentences: Sentences | None = None) -> Iterator[tuple[Any, ...]]:
        """Yield a row per span, in the order of ALIGNMENT_COLUMNS, with texts if possible."""
        nothing = Annotation("")
        for key, alignment in self.alignments():
            reference, predicted = self._reference[key], self._predicted.get(key, nothing)
            sides = reference.questions, predicted.questions
            tokens = sentences[key[0]] if sentences else ()
            for row in alignment.rows():
                left = _side(row.reference, sides[0], tokens)
                right = _side(row.predicted, sides[1], tokens)
                ranges, questions, texts = zip(left, right, strict=True)
                start = *key, reference.verb, row.state.value
                yield *start, *ranges, _iou(row), row.group, *questions, *texts


def scores_json(scores: ArgumentScores) -> Json:
    return {"UA": scores.ua.as_json(), "LA": scores.la.as_json()}


def scores_by_worker(
    reference: Annotations, by_worker: Mapping[str, Annotations]
) -> dict[str, ArgumentScores]:
    """Return each worker's scores over the reference predicates that they annotated."""
    labels = label_tables(reference)
    return {
        worker: argument_scores(
            {key: labels[key] for key in labels if key in table}, label_tables(table)
        )
        for worker, table in by_worker.items()
    }


def label_tables(table: Annotations) -> dict[Predicate, dict[Span, frozenset[Label]]]:
    """Return the labelled spans of each predicate, for several comparisons."""
    return {key: annotation.labels for key, annotation in table.items()}


class _LabelTable(Mapping[Predicate, Mapping[Span, frozenset[Label]]]):
    """The labelled spans of each predicate, computed when they are read."""

    def __init__(self, annotations: Annotations) -> None:
        self._annotations = annotations

    def __getitem__(self, key: Predicate) -> dict[Span, frozenset[Label]]:
        return self._annotations[key].labels

    def __iter__(self) -> Iterator[Predicate]:
        return iter(self._annotations)

    def __len__(self) -> int:
        return len(self._annotations)


def _side(
    span: Span | None, questions_of: Mapping[Span, Sequence[str]], tokens: tuple[str, ...]
) -> tuple[str, str, str]:
    """Return the range, the questions and the text of a span."""
    if span is None:
        return "", "", ""
    start, end = span
    questions = SEPARATOR.join(questions_of[span])
    return f"{start}:{end}", questions, " ".join(tokens[start:end])


def _iou(row: AlignedRow) -> float | None:
    if row.reference is None or row.predicted is None:
        return None
    return float(span_iou(row.reference, row.predicted))
