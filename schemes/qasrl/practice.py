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
from schemes.contract.values import Json, Noun
from schemes.original_text import align
from schemes.qasrl.comparison import compare
from schemes.qasrl.content import parse_generation, parse_gold
from schemes.qasrl.slots import Slots, strict_match_key
from schemes.qasrl.span_keys import span_of

EXTRA = Noun("extra answer", "extra answers")
FILE = Path(__file__).with_name("practice.json")
_KEY_WORDS = (
    "the question word",
    "who or what acts (someone, something, or nobody named)",
    "what it is done to",
    "whether it happened or did not",
    "the voice (active or passive)",
    "how certain it is (might, can, should, would)",
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
        title=entry["title"],
        lesson=entry["lesson"],
        context=context,
        reference=parse_gold({"questions": plain}, context),
        notes={question["question"]: question["why"] for question in questions},
    )


def check(exercise: Exercise, content: object) -> PracticeResult:
    """Compare the content with the expert's. Raise ContentError as parse_generation does.

    The summary counts matched answers under any question, and groups of unexpected answers.
    """
    parsed = parse_generation(content, exercise.context)
    result = compare(exercise.reference, parsed, exercise.context)
    rows = sorted(result.rows, key=lambda row: ROW_STATES.index(row.state))
    counts = result.measures["UA"]
    extra = f", and gave {EXTRA.count(counts['fp'])}" if counts["fp"] else ""
    summary = f"You found {counts['tp']} of {counts['tp'] + counts['fn']} answers{extra}."
    return PracticeResult(
        summary,
        [ExplainedRow(row, _EXPLAIN[row.state](row, exercise, parsed)) for row in rows],
    )


def _reason(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    assert row.reference
    return " ".join(exercise.notes[question] for question in row.reference.labels)


def _span_differs(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    assert row.predicted
    assert row.reference
    (start, end), (first, last) = span_of(row.predicted.key), span_of(row.reference.key)
    length, wanted = end - start, last - first
    size = "longer" if length > wanted else "shorter" if length < wanted else "in another place"
    return (
        f"It counts as found, but your answer is {size}. Select the shortest span that is a "
        f"complete, natural answer. {_reason(row, exercise, content)}"
    )


def _other_question(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    assert row.predicted
    assert row.reference
    slots = _slots(content, row.predicted.labels[0])
    reference_slots = _slots(exercise.reference, row.reference.labels[0])
    reason = _reason(row, exercise, content)
    if slots is None or reference_slots is None:
        return (
            "The answer is correct, but your question is free-form, so it can't be "
            f"compared. {reason}"
        )
    return (
        "The answer is correct, but the question asks for something else. They differ in: "
        f"{'; '.join(_differences(slots, reference_slots))}. {reason}"
    )


def _differences(slots: Slots, reference_slots: Slots) -> Sequence[str]:
    pairs = zip(strict_match_key(slots), strict_match_key(reference_slots), _KEY_WORDS, strict=True)
    return [name for left, right, name in pairs if left != right]


def _slots(content: Json, text: str) -> Slots | None:
    slots = next(
        question["slots"] for question in content["questions"] if question["question"] == text
    )
    return Slots(**slots) if slots else None


def _missed(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    return f"You marked no answer here. {_reason(row, exercise, content)}"


def _extra(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    return (
        "The expert has no answer here. Check that the question is about the marked verb, that the "
        "sentence itself answers it, and that the answer is a single span."
    )


def _redundant(row: AlignedRow, exercise: Exercise, content: Json) -> str:
    return "Another answer of yours already covers this. It doesn't affect your result."


_EXPLAIN: Mapping[str, Callable[[AlignedRow, Exercise, Json], str]] = {
    "found": _reason,
    "extent-differs": _span_differs,
    "label-differs": _other_question,
    "missed": _missed,
    "extra": _extra,
    "redundant": _redundant,
}
