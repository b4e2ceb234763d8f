"""Comparison of a QA-SRL annotation with a reference: UA, LA and aligned rows.

The module is the part `comparison` of the scheme.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from metrics.alignment import AlignedRow as SpanRow
from metrics.alignment import Alignment, LabelledSpans, State
from metrics.corrections import Decision, Verdict, align_corrected
from metrics.matching import lexicographic_matching
from metrics.spans import Span, spans_match
from schemes.contract.comparison import (
    REPEATED,
    WRONG,
    AlignedRow,
    AnswerCategory,
    Compared,
    DecisionKind,
    RowDecision,
    RowSide,
    StateText,
)
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.texts import Translatable
from schemes.contract.values import Json
from schemes.figures import Figure, Total, f1_figure
from schemes.qasrl.hints import hints, section
from schemes.qasrl.labels import Label, question_labels
from schemes.qasrl.slots import Slots
from schemes.qasrl.span_keys import key_of, span_of

__all__ = [
    "categories",
    "compare",
    "count_kept",
    "decisions",
    "figures",
    "hints",
    "measure",
    "round_thresholds",
    "rule",
    "section",
    "states",
    "value_texts",
]

# Stored with every figure. Changed definitions get a new name.
rule = "qasrl.ua-la.v1"

states: Mapping[str, StateText] = {
    "found": StateText("found", "You and the expert marked the same answer for the same role."),
    "extent-differs": StateText(
        "span differs", "The right answer, with more or fewer words than the expert's."
    ),
    "label-differs": StateText(
        "other question",
        "The right answer, but the question asks for something else. Check the question word, the "
        "modal and “not”.",
    ),
    "missed": StateText("missed", "The expert marked this answer, but you didn't."),
    "extra": StateText("extra", "You marked this answer, but the expert didn't."),
    "redundant": StateText(
        "redundant",
        "Another of your answers already covers these words. This doesn't affect your result.",
    ),
    "approved": StateText(
        "accepted", "The expert didn't mark this answer, but a reviewer accepted it."
    ),
}
decisions: Sequence[DecisionKind] = (
    DecisionKind("pair-accepted", "the same argument", "Accept as a match", "pair", pairs=True),
    DecisionKind("pair-refused", "not the same argument", "Not the same answer", "pair"),
    DecisionKind("label-accepted", "the same role", "Accept the question", "label"),
    DecisionKind("label-refused", "not the same role", "Not the same role", "label"),
    DecisionKind(
        "answer-accepted",
        "correct, although the expert didn't mark it",
        "Mark as correct",
        "answer",
    ),
)
value_texts: Sequence[str] = ()
categories: Sequence[AnswerCategory] = (
    AnswerCategory(
        "explicit",
        "Correct",
        "The answer is right, and the syntax of the sentence connects it with the verb.",
        "c",
        is_correct=True,
    ),
    AnswerCategory(
        "implicit",
        "Correct, but implied",
        "The answer is right, but only the meaning of the sentence connects it with the verb.",
        "i",
        is_correct=True,
    ),
    REPEATED,
    WRONG,
)
# The decisions that are possible on a row.
_POSSIBLE = {
    State.MATCHED: ("label-refused", "pair-refused"),
    State.LABEL_DIFFERS: ("label-accepted", "pair-refused"),
    State.REDUNDANT: ("pair-accepted",),
    State.MISSED: ("pair-accepted",),
    State.EXTRA: ("answer-accepted",),
    State.APPROVED: (),
}


def compare(
    reference: Json,
    predicted: Json,
    context: ItemContext,
    decisions: Iterable[RowDecision] = (),
) -> Compared:
    """Compare stored content (Roit et al. 2020, section 3.2).

    Content is `{"questions": [{"question", "slots", "answers": [[s, e], ...]}]}`. If `slots` is None
    or absent, equal texts are equivalent. The key of a row's side is its span. For `decisions`, see
    `metrics.corrections`. Raise ContentError for content of another shape and for empty spans.
    """
    ref, pred = _Annotation(reference, "reference"), _Annotation(predicted, "predicted")
    alignment = align_corrected(ref.labels, pred.labels, map(_decision, decisions))
    rows = [_row(row, ref, pred, context) for row in alignment.rows()]
    return Compared(measures=_measures(alignment), rows=rows)


def measure(
    reference: Json, predicted: Json, target: Json, decisions: Iterable[RowDecision] = ()
) -> Mapping[str, Json]:
    """Return the counts of UA and LA, like `compare`."""
    return _measures(
        align_corrected(
            labelled_spans(reference), labelled_spans(predicted), map(_decision, decisions)
        )
    )


def count_kept(reference: Json, predicted: Json) -> int:
    """Return how many questions have an answer in common with a reference question of their own.

    Answers match as in UA, so that a question that was reworded is kept, and a repeated one is not.
    """
    edges = {
        (at, own_at): (1,)
        for at, question in enumerate(reference["questions"])
        for own_at, own in enumerate(predicted["questions"])
        if _have_common_answer(question, own)
    }
    return len(lexicographic_matching(edges))


def _have_common_answer(first: Json, second: Json) -> bool:
    return any(
        spans_match(span, other)
        for sentence, span in _places(first)
        for other_sentence, other in _places(second)
        if sentence == other_sentence
    )


def _places(question: Json) -> Iterator[tuple[str, Span]]:
    """Yield the answers as spans in a sentence. The item's own sentence has no name."""
    for start, end in question["answers"]:
        yield "", (start, end)
    for answer in question.get("context_answers", ()):
        yield answer["sentence"], (answer["start"], answer["end"])


def labelled_spans(content: Json) -> LabelledSpans:
    """Return the distinct spans of content with the labels of their questions."""
    return _Annotation(content, "content").labels


def _measures(alignment: Alignment) -> Mapping[str, Json]:
    return {
        name: {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn}
        for name, counts in (("UA", alignment.ua), ("LA", alignment.la))
    }


def _decision(decision: RowDecision) -> Decision:
    if (decision.reference is None) != (decision.kind == Verdict.ANSWER_ACCEPTED):
        raise ValueError("only an extra answer is accepted without a reference answer")
    reference = None if decision.reference is None else span_of(decision.reference)
    return Decision(reference, span_of(decision.predicted), Verdict(decision.kind))


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

    def side(self, span: Span | None, context: ItemContext) -> RowSide | None:
        if span is None:
            return None
        return RowSide(key_of(span), self._questions[span], context.span_text(*span))


def _row(
    row: SpanRow, reference: _Annotation, predicted: _Annotation, context: ItemContext
) -> AlignedRow:
    differs = row.state in (State.MATCHED, State.LABEL_DIFFERS) and row.reference != row.predicted
    state = {State.MATCHED: "extent-differs" if differs else "found"}.get(
        row.state, row.state.value
    )
    return AlignedRow(
        state=state,
        label=states[state].label,
        reference=reference.side(row.reference, context),
        predicted=predicted.side(row.predicted, context),
        detail=_difference(row) if differs else "",
        decisions=_POSSIBLE[row.state],
    )


def _difference(row: SpanRow) -> str:
    assert row.reference
    assert row.predicted
    (start, end), (first, last) = row.reference, row.predicted
    if first <= start and end <= last:
        return Translatable("answer too long")
    if start <= first and last <= end:
        return Translatable("answer too short")
    return Translatable("answer shifted")


# Suggestions of this project, because Roit et al. 2020 does not state any thresholds.
round_thresholds: Mapping[int, Mapping[str, float]] = {
    0: {"UA": 0.5},
    1: {"UA": 0.6, "LA": 0.4},
    2: {"UA": 0.7, "LA": 0.5, "units_per_item": 2},
    3: {"UA": 0.75, "LA": 0.55},
}


def _ua_feedback(total: Total) -> list[str]:
    return [
        Translatable(
            "You found %(correct)s of the %(total)s answers that the expert marked.",
            correct=total["tp"],
            total=total["tp"] + total["fn"],
        ),
        Translatable(
            "%(number)s of your answers are not in the expert's annotation.", number=total["fp"]
        ),
    ]


def _la_feedback(total: Total) -> list[str]:
    return [
        Translatable(
            "For %(number)s of them, your question asks the same as the expert's.",
            number=total["tp"],
        )
    ]


figures: Sequence[Figure] = (
    f1_figure(
        key="UA",
        label="UA F1",
        explanation="Unlabelled arguments: the answers that both annotations have.",
        feedback=_ua_feedback,
    ),
    f1_figure(
        key="LA",
        label="LA F1",
        explanation="Labelled arguments: matched answers whose questions are equivalent.",
        feedback=_la_feedback,
    ),
)
