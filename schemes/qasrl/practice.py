"""Practice exercises, compared with an expert's annotation."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from schemes.base import ItemRecord, Json, Tokens
from schemes.qasrl.comparison import compare
from schemes.qasrl.content import parse_generation, parse_gold
from schemes.qasrl.scheme import QasrlScheme
from schemes.qasrl.slots import Slots, strict_match_key

FILE = Path(__file__).with_name("practice.json")
_ORDER = ("found", "span-differs", "other-question", "missed", "extra", "redundant")
_KEY_WORDS = (
    "the question word",
    "who or what acts (someone, something, or nobody named)",
    "what it is done to",
    "whether it happened or did not",
    "the voice (active or passive)",
    "how certain it is (might, can, should, would)",
)


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise. `reference` is gold content, `reasons` explains each of its questions."""

    title: str
    lesson: str
    tokens: Tokens
    target: Json
    reference: Json
    reasons: dict[str, str]


@cache
def exercises() -> tuple[Exercise, ...]:
    """Return the exercises in order. Raises ContentError if the file is invalid."""
    return tuple(_exercise(entry) for entry in json.loads(FILE.read_text("utf-8")))


def _exercise(entry: Json) -> Exercise:
    tokens = entry["sentence"].split()
    item = ItemRecord("practice", str(entry["verb_idx"]), {"verb_idx": entry["verb_idx"]})
    target = QasrlScheme().complete_item(item, tokens).target
    questions = entry["questions"]
    plain = [{name: question[name] for name in ("question", "answers")} for question in questions]
    return Exercise(
        title=entry["title"],
        lesson=entry["lesson"],
        tokens=tokens,
        target=target,
        reference=parse_gold({"questions": plain}, tokens=tokens, target=target),
        reasons={question["question"]: question["why"] for question in questions},
    )


def check(exercise: Exercise, content: object) -> Json:
    """Return `{"rows": [...], "found", "expected", "extra"}`.

    Each row has `state`, `yours`, `expert` and `explanation`. The state is found, span-differs,
    other-question, missed, extra or redundant. `yours` and `expert` are None or `{"questions",
    "answer"}`. `found` counts matched answers under any question, `extra` groups of unexpected
    answers. Raises ContentError as parse_generation does.
    """
    parsed = parse_generation(content, tokens=exercise.tokens, target=exercise.target)
    result = compare(reference=exercise.reference, predicted=parsed)
    rows = [_row(row, exercise, parsed) for row in result.rows]
    rows.sort(key=lambda row: _ORDER.index(row["state"]))
    counts = result.counts["UA"]
    return {
        "rows": rows,
        "found": counts.tp,
        "expected": counts.tp + counts.fn,
        "extra": counts.fp,
    }


def _row(row: Json, exercise: Exercise, content: Json) -> Json:
    state = _state(row)
    return {
        "state": state,
        "yours": _side(row["predicted"], exercise.tokens),
        "expert": _side(row["reference"], exercise.tokens),
        "explanation": _explanation(state, row, exercise, content),
    }


def _state(row: Json) -> str:
    if row["state"] == "label-differs":
        return "other-question"
    if row["state"] == "matched":
        return "found" if row["same_span"] else "span-differs"
    return str(row["state"])


def _side(side: Json | None, tokens: Tokens) -> Json | None:
    if side is None:
        return None
    start, end = side["span"]
    return {"questions": side["questions"], "answer": " ".join(tokens[start:end])}


_UNREASONED = {
    "extra": (
        "The expert has no answer here. Check that the question is about the marked verb, that the "
        "sentence itself answers it, and that the answer is one piece and not several."
    ),
    "redundant": "Another answer of yours already covers this. It does not count against you.",
}


def _explanation(state: str, row: Json, exercise: Exercise, content: Json) -> str:
    if state in _UNREASONED:
        return _UNREASONED[state]
    parts = [exercise.reasons[question] for question in row["reference"]["questions"]]
    if state == "missed":
        parts.insert(0, "You have no answer here.")
    elif state == "span-differs":
        parts.insert(0, _span_differs(row))
    elif state == "other-question":
        parts.insert(0, _other_question(row, exercise, content))
    return " ".join(parts)


def _span_differs(row: Json) -> str:
    (start, end), (first, last) = row["predicted"]["span"], row["reference"]["span"]
    mine, theirs = end - start, last - first
    size = "longer" if mine > theirs else "shorter" if mine < theirs else "at another place"
    return (
        f"It counts as found, but your answer is {size}. Mark the shortest piece that is a "
        "complete, natural answer."
    )


def _other_question(row: Json, exercise: Exercise, content: Json) -> str:
    mine = _slots(content, row["predicted"]["questions"][0])
    theirs = _slots(exercise.reference, row["reference"]["questions"][0])
    if mine is None or theirs is None:
        return (
            "The answer is right, but your question is outside the template, so it can't be "
            "compared."
        )
    pairs = zip(strict_match_key(mine), strict_match_key(theirs), _KEY_WORDS, strict=True)
    differing = "; ".join(name for left, right, name in pairs if left != right)
    return (
        f"The answer is right, the question asks for something else. They differ in: {differing}."
    )


def _slots(content: Json, text: str) -> Slots | None:
    slots = next(
        question["slots"] for question in content["questions"] if question["question"] == text
    )
    return Slots(**slots) if slots else None
