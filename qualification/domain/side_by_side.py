"""An expert's and a worker's annotation of each item, laid side by side for people to read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.models import Item
from consolidation.models import Decision
from qualification.models import Evaluation
from schemes.base import Json

# Row state of a comparison -> the word of static/css/answer-state.css.
WORDS = {
    "label-differs": "other question",
    "missed": "missed",
    "extra": "extra",
    "redundant": "redundant",
}


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a row: what was asked, and the words marked. `span` as `start-end`."""

    questions: list[str]
    answer: str
    span: str


@dataclass(frozen=True, slots=True)
class Row:
    """One aligned answer. `state` is the CSS class of the word, `detail` what differs in the span."""

    state: str
    word: str
    detail: str
    reference: Side | None
    predicted: Side | None
    decisions: list[Decision] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ItemSideBySide:
    """One item: its sentence in three parts (the target in the middle), rows, the remarks offered,
    the trainer's note. `loose` are the worker's spans that a missed answer could be paired with."""

    number: int
    item: Item
    before: str
    target: str
    after: str
    answered: bool
    rows: list[Row]
    remarks: list[tuple[str, str]]
    note: str
    loose: list[Side]


def side_by_side(
    *,
    evaluation: Evaluation,
    notes: Mapping[str, str],
    decisions: Sequence[Decision] = (),
) -> list[ItemSideBySide]:
    """The evaluation's items in the order of the round."""
    ids = [one["item"] for one in evaluation.alignment]
    items = Item.objects.select_related("sentence", "project").in_bulk(ids)
    by_submission: dict[int, list[Decision]] = {}
    for one in decisions:
        by_submission.setdefault(one.submission_id, []).append(one)
    return [
        _item(
            number, entry, items[entry["item"]], notes, by_submission.get(entry["submission"], [])
        )
        for number, entry in enumerate(evaluation.alignment, start=1)
    ]


def _item(
    number: int, entry: Json, item: Item, notes: Mapping[str, str], decisions: list[Decision]
) -> ItemSideBySide:
    tokens: list[str] = item.sentence.tokens
    at = item.target.get("verb_idx", 0)
    rows = [_row(one, tokens, decisions) for one in entry["rows"]]
    return ItemSideBySide(
        number=number,
        item=item,
        before=" ".join(tokens[:at]),
        target=tokens[at],
        after=" ".join(tokens[at + 1 :]),
        answered=entry["submission"] is not None,
        rows=rows,
        remarks=[(code, text) for code, text in entry["remarks"]],
        note=notes.get(str(item.pk), ""),
        loose=[
            row.predicted
            for row in rows
            if row.predicted and row.state in ("extra", "redundant", "other-question")
        ],
    )


def _row(row: Json, tokens: Sequence[str], decisions: list[Decision]) -> Row:
    word, detail = _word(row)
    spans = [side and side["span"] for side in (row["reference"], row["predicted"])]
    return Row(
        state=word.replace(" ", "-"),
        word=word,
        detail=detail,
        reference=_side(row["reference"], tokens),
        predicted=_side(row["predicted"], tokens),
        decisions=[one for one in decisions if _concerns(one, *spans)],
    )


def _concerns(one: Decision, reference: list[int] | None, predicted: list[int] | None) -> bool:
    """Whether the decision is shown in this row: at its reference answer, or alone at the worker's."""
    if reference is not None:
        return bool(one.reference_span == reference)
    return bool(one.reference_span is None and one.predicted_span == predicted)


def _word(row: Json) -> tuple[str, str]:
    if row["state"] != "matched":
        return WORDS[row["state"]], _difference(row) if row["state"] == "label-differs" else ""
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
