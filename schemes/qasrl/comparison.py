"""A QA-SRL annotation against a reference: counts for figures, aligned rows for feedback."""

from collections.abc import Iterable
from typing import Any

from metrics.alignment import AlignedRow, LabelledSpans, State
from metrics.corrections import Decision, align_corrected
from metrics.spans import Span, span_iou
from schemes.base import Comparison, ContentError, Json
from schemes.qasrl.labels import Label, question_labels
from schemes.qasrl.slots import Slots

# Stored beside every figure: a change of the definitions gets a new name.
RULE = "qasrl.ua-la.v1"


def compare(*, reference: Json, predicted: Json, decisions: Iterable[Decision] = ()) -> Comparison:
    """UA and LA of one predicate (Roit et al. 2020, section 4) and how each span fared.

    Both are content as stored: `{"questions": [{"question", "slots", "answers": [[s, e], ...]}]}`;
    `slots` may be None or absent, then equal texts are equivalent. Each row has `state`;
    `reference` and `predicted`, each None or `{"span": [s, e], "questions": [...]}`; `iou` where
    it has both; `same_span`; and `group`, a number that extra spans share which overlap one another
    and count once. With people's decisions laid over, see `metrics.corrections`. Raises ContentError
    for content of another shape or a span on no token, ValueError for decisions that don't fit.
    """
    ref, pred = _Annotation(reference, "reference"), _Annotation(predicted, "predicted")
    alignment = align_corrected(ref.labels, pred.labels, decisions)
    return Comparison(
        counts={"UA": alignment.ua, "LA": alignment.la},
        rows=[_row(row, ref, pred) for row in alignment.rows()],
        rule=RULE,
    )


def labelled_spans(content: Json) -> LabelledSpans:
    """The distinct spans of content with the labels of the questions they answer (see `compare`)."""
    return _Annotation(content, "content").labels


class _Annotation:
    """The distinct spans of content, with their labels and the questions that they answer."""

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
                raise ContentError(f"{path}.answers[{at}]", f"{start}:{end} holds no token")
            self.labels.setdefault((start, end), set()).update(labels)
            asked = self._questions.setdefault((start, end), [])
            if question["question"] not in asked:
                asked.append(question["question"])

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
