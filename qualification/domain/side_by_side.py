"""An expert's and a worker's annotation of each item, laid side by side for people to read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from annotation.enums import Role
from annotation.markdown import headings_of
from annotation.models import Guidelines, Item, Submission
from consolidation.models import Decision
from qualification.models import Evaluation
from schemes.base import Json
from schemes.registry import get_scheme

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
class Judged:
    """A question that a consolidator was given, by whom (a letter), and what they made of it."""

    writer: str
    question: str
    answers: list[str]
    verdict: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence for the note. `section` and `title`: the heading of the guidelines that it is about,
    if they have it."""

    code: str
    text: str
    section: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ItemSideBySide:
    """One item: its sentence in three parts (the target in the middle), rows, the remarks offered,
    the trainer's note. `loose` are the worker's spans that a missed answer could be paired with;
    `judged` are the questions that a consolidator was given."""

    number: int
    item: Item
    before: str
    target: str
    after: str
    answered: bool
    rows: list[Row]
    remarks: list[Remark]
    note: str
    loose: list[Side]
    judged: list[Judged] = field(default_factory=list)

    @property
    def sections(self) -> list[Remark]:
        """The sections of the guidelines that the note speaks of, each once."""
        told = {one.section: one for one in self.remarks if one.section and one.text in self.note}
        return list(told.values())


@dataclass(frozen=True, slots=True)
class _Said:
    """What people said of an item: the trainer's note and decisions, a consolidator's verdicts."""

    note: str
    decisions: list[Decision]
    judged: list[Judged]
    role: str
    headings: Mapping[str, str]


def side_by_side(
    *,
    evaluation: Evaluation,
    notes: Mapping[str, str],
    decisions: Sequence[Decision] = (),
    guidelines: Guidelines | None = None,
) -> list[ItemSideBySide]:
    """The evaluation's items in the order of the round; remarks lead into the `guidelines`."""
    return items_side_by_side(
        alignment=evaluation.alignment,
        role=evaluation.enrolment.round.role,
        notes=notes,
        decisions=decisions,
        guidelines=guidelines,
        evaluation=evaluation,
    )


def items_side_by_side(
    *,
    alignment: Sequence[Json],
    role: str,
    notes: Mapping[str, str],
    decisions: Sequence[Decision] = (),
    guidelines: Guidelines | None = None,
    evaluation: Evaluation | None = None,
) -> list[ItemSideBySide]:
    """The same for items that stand in no round, without `evaluation`."""
    ids = [one["item"] for one in alignment]
    items = Item.objects.select_related("sentence", "project").in_bulk(ids)
    by_submission: dict[int | None, list[Decision]] = {}
    for one in decisions:
        by_submission.setdefault(one.submission_id, []).append(one)
    judged = _judged_by_item(evaluation, items) if evaluation else {}
    headings = headings_of(guidelines.text) if guidelines else {}
    return [
        _item(
            number,
            entry,
            items[entry["item"]],
            _Said(
                notes.get(str(entry["item"]), ""),
                by_submission.get(entry["submission"], []),
                judged.get(entry["item"], []),
                role,
                headings,
            ),
        )
        for number, entry in enumerate(alignment, start=1)
    ]


def _judged_by_item(evaluation: Evaluation, items: Mapping[int, Item]) -> dict[int, list[Judged]]:
    """Item id -> the questions given, in a round of consolidators."""
    one = evaluation.enrolment.round
    if one.role != Role.CONSOLIDATOR:
        return {}
    given = dict(one.round_items.values_list("item", "given"))
    ids = [each["submission"] for each in evaluation.alignment if each["submission"]]
    contents = dict(Submission.objects.filter(pk__in=ids).values_list("item", "content"))
    return {
        pk: _judged(given.get(pk, []), contents.get(pk), item.sentence.tokens)
        for pk, item in items.items()
    }


def _judged(
    given: Sequence[Json], consolidation: Json | None, tokens: Sequence[str]
) -> list[Judged]:
    questions = consolidation["questions"] if consolidation else []
    found = {
        (one["source"]["submission"], one["source"]["question"]): one
        for one in questions
        if one["source"]
    }
    return [
        Judged(
            writer=ascii_uppercase[writer],
            question=asked["question"],
            answers=[" ".join(tokens[start:end]) for start, end in asked["answers"]],
            verdict=_verdict(found.get((writer, place)), questions),
        )
        for writer, annotation in enumerate(given)
        for place, asked in enumerate(annotation["questions"])
    ]


def _verdict(one: Json | None, questions: Sequence[Json]) -> str:
    if one is None:
        return "not judged"
    if one["verdict"] == "redundant" and one["same_as"] is not None:
        return f"the same as “{questions[one['same_as']]['question']}”"
    return "kept" if one["verdict"] == "keep" else str(one["verdict"])


def _item(number: int, entry: Json, item: Item, said: _Said) -> ItemSideBySide:
    tokens: list[str] = item.sentence.tokens
    at = item.target.get("verb_idx", 0)
    rows = [_row(one, tokens, said.decisions) for one in entry["rows"]]
    return ItemSideBySide(
        number=number,
        item=item,
        before=" ".join(tokens[:at]),
        target=tokens[at],
        after=" ".join(tokens[at + 1 :]),
        answered=entry["submission"] is not None,
        rows=rows,
        remarks=[_remark(code, text, item, said) for code, text in entry["remarks"]],
        note=said.note,
        loose=[
            row.predicted
            for row in rows
            if row.predicted and row.state in ("extra", "redundant", "other-question")
        ],
        judged=said.judged,
    )


def _remark(code: str, text: str, item: Item, said: _Said) -> Remark:
    section = get_scheme(item.project.scheme).guideline_section(code, role=said.role)
    title = said.headings.get(section, "")
    return Remark(code, text, section if title else "", title)


def aligned_rows(rows: Sequence[Json], tokens: Sequence[str]) -> list[Row]:
    """The rows of a comparison, to be printed."""
    return [_row(one, tokens, []) for one in rows]


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
