"""Display rows of a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from schemes.base import Json

# Row states and their labels. The CSS classes are in static/css/answer-state.css.
WORDS = {
    "label-differs": "other question",
    "missed": "missed",
    "extra": "extra",
    "redundant": "redundant",
}


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a row: questions, answer text, and `span` as `start-end`."""

    questions: list[str]
    answer: str
    span: str


@dataclass(frozen=True, slots=True)
class Row:
    """An aligned answer. `state` is a CSS class, and `detail` describes the difference of spans."""

    state: str
    word: str
    detail: str
    reference: Side | None
    predicted: Side | None
    decisions: list[Any] = field(default_factory=list)


def aligned_rows(rows: Sequence[Json], tokens: Sequence[str]) -> list[Row]:
    """Return the display rows of a comparison."""
    return [_row(row, tokens, []) for row in rows]


def _row(row: Json, tokens: Sequence[str], decisions: list[Any]) -> Row:
    label, detail = _word(row)
    spans = [side and side["span"] for side in (row["reference"], row["predicted"])]
    return Row(
        state=label.replace(" ", "-"),
        word=label,
        detail=detail,
        reference=_side(row["reference"], tokens),
        predicted=_side(row["predicted"], tokens),
        decisions=[decision for decision in decisions if _concerns(decision, *spans)],
    )


def _concerns(decision: Any, reference: list[int] | None, predicted: list[int] | None) -> bool:
    """Return True if the row shows the decision.

    A decision is shown at its reference answer, or at the worker's answer if it has no reference.
    """
    if reference is not None:
        return bool(decision.reference_span == reference)
    return bool(decision.reference_span is None and decision.predicted_span == predicted)


def _word(row: Json) -> tuple[str, str]:
    if row["state"] != "matched":
        label = WORDS.get(row["state"], str(row["state"]))
        return label, _difference(row) if row["state"] == "label-differs" else ""
    if row["same_span"]:
        return "found", ""
    return "span differs", _difference(row)


def _difference(row: Json) -> str:
    if row["same_span"]:
        return ""
    (start, end), (first, last) = row["reference"]["span"], row["predicted"]["span"]
    if first <= start and end <= last:
        return "answer too long"
    if start <= first and last <= end:
        return "answer too short"
    return "answer shifted"


def _side(side: Json | None, tokens: Sequence[str]) -> Side | None:
    if side is None:
        return None
    start, end = side["span"]
    return Side(list(side["questions"]), " ".join(tokens[start:end]), f"{start}-{end}")
