"""Comparison of a QA-SRL annotation with a reference: counts and aligned rows."""

from collections.abc import Iterable
from typing import Any

from metrics.alignment import AlignedRow, LabelledSpans, State
from metrics.corrections import Decision, align_corrected
from metrics.spans import Span, span_iou
from schemes.base import Comparison, ContentError, Json
from schemes.qasrl.labels import Label, question_labels
from schemes.qasrl.slots import Slots

# Stored with every figure. Changed definitions get a new name.
RULE = "qasrl.ua-la.v1"


def compare(*, reference: Json, predicted: Json, decisions: Iterable[Decision] = ()) -> Comparison:
    """Return UA and LA of a predicate (Roit et al. 2020, section 4) and the aligned spans.

    Both are stored content: `{"questions": [{"question", "slots", "answers": [[s, e], ...]}]}`. If
    `slots` is None or absent, equal texts are equivalent. Each row has `state`, `reference`,
    `predicted`, `iou`, `same_span` and `group`. `reference` and `predicted` are None or `{"span":
    [s, e], "questions": [...]}`. Overlapping extra spans share a `group` and count once. For
    `decisions`, see `metrics.corrections`. Raises ContentError for content of another shape and for
    empty spans. Raises ValueError for decisions that do not fit.
    """
    ref, pred = _Annotation(reference, "reference"), _Annotation(predicted, "predicted")
    alignment = align_corrected(ref.labels, pred.labels, decisions)
    return Comparison(
        counts={"UA": alignment.ua, "LA": alignment.la},
        rows=[_row(row, ref, pred) for row in alignment.rows()],
        rule=RULE,
    )


def labelled_spans(content: Json) -> LabelledSpans:
    """Return the distinct spans of content with the labels of their questions."""
    return _Annotation(content, "content").labels


class _Annotation:
    """The distinct spans of content, with labels and questions."""

    def __init__(self, content: Json, name: str) -> None:
        self.labels: dict[Span, set[Label]] = {}
        self._questions: dict[Span, list[str]] = {}
        try:
            for at, question in enumerate(content["questions"]):
                self._add(question, f"questions[{at}]")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, ContentError):
                raise
            raise ContentError(name, f"is not QA-SRL content ({error!r})") from error

    def _add(self, question: Json, path: str) -> None:
        slots = question.get("slots")
        labels = question_labels(question["question"], Slots(**slots) if slots else None)
        for at, (start, end) in enumerate(question["answers"]):
            if not 0 <= start < end:
                raise ContentError(f"{path}.answers[{at}]", f"{start}:{end} contains no token")
            self.labels.setdefault((start, end), set()).update(labels)
            questions = self._questions.setdefault((start, end), [])
            if question["question"] not in questions:
                questions.append(question["question"])

    def shown(self, span: Span | None) -> Json | None:
        if span is None:
            return None
        return {"span": list(span), "questions": self._questions[span]}


def _row(row: AlignedRow, reference: _Annotation, predicted: _Annotation) -> Json:
    both = row.reference is not None and row.predicted is not None
    shown: dict[str, Any] = {
        "state": row.state.value,
        "reference": reference.shown(row.reference),
        "predicted": predicted.shown(row.predicted),
        "iou": None,
        "same_span": both and row.reference == row.predicted,
        "group": row.group if row.state is State.EXTRA else None,
    }
    if row.reference is not None and row.predicted is not None:
        shown["iou"] = float(span_iou(row.reference, row.predicted))
    return shown
