"""Practice exercises, compared with an expert's annotation.

The module is the part `practice` of the scheme.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from schemes.contract.comparison import ROW_STATES, AlignedRow
from schemes.contract.items import ItemContext
from schemes.contract.practice import Exercise, ExplainedRow, PracticeResult
from schemes.contract.texts import Translatable, joined
from schemes.contract.values import Json
from schemes.original_text import align
from schemes.qasrl.comparison import compare
from schemes.qasrl.content import parse_generation, parse_gold
from schemes.qasrl.slots import Slots, strict_match_key
from schemes.qasrl.span_keys import span_of

FILE = Path(__file__).with_name("practice.json")
_KEY_WORDS = (
    Translatable("the question word"),
    Translatable("who or what acts (someone, something, or nobody named)"),
    Translatable("what it is done to"),
    Translatable("whether it happened or did not"),
    Translatable("the voice (active or passive)"),
    Translatable("how certain it is (might, can, should, would)"),
)


@cache
def exercises() -> tuple[Exercise, ...]:
    """Return the exercises in order. Raises ContentError if the file is invalid."""
    return tuple(_exercise(entry) for entry in json.loads(FILE.read_text("utf-8")))


def _exercise(entry: Json) -> Exercise:
    # The file contains complete targets, so that web processes need no dictionary of verbs.
    tokens, text = entry["sentence"].split(), entry["text"]
    context = ItemContext(tokens, entry["target"], text=text, offsets=align(tokens, text) or ())
    questions = entry["questions"]
    plain = [{name: question[name] for name in ("question", "answers")} for question in questions]
    return Exercise(
        title=Translatable(entry["title"]),
        lesson=Translatable(entry["lesson"]),
        context=context,
        reference=parse_gold({"questions": plain}, context),
        notes={question["question"]: Translatable(question["why"]) for question in questions},
    )


def check(exercise: Exercise, content: object) -> PracticeResult:
    """Compare the content with the expert's. Raise ContentError as parse_generation does.

    The summary counts matched answers under any question, and groups of unexpected answers.
    """
    parsed = parse_generation(content, exercise.context)
    result = compare(exercise.reference, parsed, exercise.context)
    rows = sorted(result.rows, key=lambda row: ROW_STATES.index(row.state))
    counts = result.measures["UA"]
    figures = {"found": counts["tp"], "total": counts["tp"] + counts["fn"]}
    if counts["fp"]:
        summary = Translatable(
            "You found %(found)s of %(total)s answers, and gave %(count)s extra answer.",
            plural="You found %(found)s of %(total)s answers, and gave %(count)s extra answers.",
            count=counts["fp"],
            **figures,
        )
    else:
        summary = Translatable("You found %(found)s of %(total)s answers.", **figures)
    return PracticeResult(
        summary,
        [ExplainedRow(row, _EXPLAIN[row.state](row, exercise, parsed)) for row in rows],
    )


def _reason(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    assert row.reference
    return joined(exercise.notes[question] for question in row.reference.labels)


def _span_differs(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    assert row.predicted
    assert row.reference
    (start, end), (first, last) = span_of(row.predicted.key), span_of(row.reference.key)
    length, wanted = end - start, last - first
    if length > wanted:
        difference = Translatable("It counts as found, but your answer is longer.")
    elif length < wanted:
        difference = Translatable("It counts as found, but your answer is shorter.")
    else:
        difference = Translatable("It counts as found, but your answer is in another place.")
    advice = Translatable("Select the shortest span that is a complete, natural answer.")
    return joined([difference, advice, _reason(row, exercise, content)])


def _other_question(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    assert row.predicted
    assert row.reference
    slots = _slots(content, row.predicted.labels[0])
    reference_slots = _slots(exercise.reference, row.reference.labels[0])
    reason = _reason(row, exercise, content)
    if slots is None or reference_slots is None:
        free_form = Translatable(
            "The answer is correct, but your question is free-form, so it can't be compared."
        )
        return joined([free_form, reason])
    other = Translatable("The answer is correct, but the question asks for something else.")
    differences = joined(_differences(slots, reference_slots), separator="; ")
    where = Translatable("They differ in: %(differences)s.", differences=differences)
    return joined([other, where, reason])


def _differences(slots: Slots, reference_slots: Slots) -> Sequence[str]:
    pairs = zip(strict_match_key(slots), strict_match_key(reference_slots), _KEY_WORDS, strict=True)
    return [name for left, right, name in pairs if left != right]


def _slots(content: Json, text: str) -> Slots | None:
    slots = next(
        question["slots"] for question in content["questions"] if question["question"] == text
    )
    return Slots(**slots) if slots else None


def _missed(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    return joined([Translatable("You marked no answer here."), _reason(row, exercise, content)])


def _extra(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    return Translatable(
        "The expert has no answer here. Check that the question is about the marked verb, that the "
        "sentence itself answers it, and that the answer is a single span."
    )


def _redundant(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    return Translatable(
        "Another answer of yours already covers this. It doesn't affect your result."
    )


_EXPLAIN: Mapping[str, Callable[[AlignedRow, Exercise, Json], str]] = {
    "found": _reason,
    "extent-differs": _span_differs,
    "label-differs": _other_question,
    "missed": _missed,
    "extra": _extra,
    "redundant": _redundant,
}
