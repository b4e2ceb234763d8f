"""Exercises with an expert's annotation, and a comparison with it in words."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

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
    """`reference` is gold content; `reasons` says why, by the text of each of its questions."""

    title: str
    lesson: str
    tokens: Tokens
    target: Json
    reference: Json
    reasons: dict[str, str]


@cache
def exercises() -> tuple[Exercise, ...]:
    """In the order in which one does them. Raises ContentError where the file is wrong."""
    return tuple(_exercise(each) for each in json.loads(FILE.read_text("utf-8")))


def _exercise(given: Json) -> Exercise:
    tokens = given["sentence"].split()
    item = ItemRecord("practice", str(given["verb_idx"]), {"verb_idx": given["verb_idx"]})
    target = QasrlScheme().complete_item(item, tokens).target
    questions = given["questions"]
    plain = [{name: each[name] for name in ("question", "answers")} for each in questions]
    return Exercise(
        title=given["title"],
        lesson=given["lesson"],
        tokens=tokens,
        target=target,
        reference=parse_gold({"questions": plain}, tokens=tokens, target=target),
        reasons={each["question"]: each["why"] for each in questions},
    )


def check(exercise: Exercise, content: object) -> Json:
    """`{"rows": [...], "found", "expected", "extra"}`: each row has `state`, one of found,
    span-differs, other-question, missed, extra, redundant; `yours` and `expert`, each None or
    `{"questions", "answer"}`; and `explanation`.

    `found` counts what was found under whatever question, `extra` groups of answers that nobody
    expected. Raises ContentError, as parse_generation does.
    """
    given = parse_generation(content, tokens=exercise.tokens, target=exercise.target)
    result = compare(reference=exercise.reference, predicted=given)
    rows = [_row(row, exercise, given) for row in result.rows]
    rows.sort(key=lambda row: _ORDER.index(row["state"]))
    counts = result.counts["UA"]
    return {
        "rows": rows,
        "found": counts.tp,
        "expected": counts.tp + counts.fn,
        "extra": counts.fp,
    }


def _row(row: Json, exercise: Exercise, given: Json) -> Json:
    state = _state(row)
    return {
        "state": state,
        "yours": _side(row["predicted"], exercise.tokens),
        "expert": _side(row["reference"], exercise.tokens),
        "explanation": _EXPLAIN[state](row, exercise, given),
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


# --- explanations ----------------------------------------------------------------------------


def _reason(row: Json, exercise: Exercise) -> str:
    return " ".join(exercise.reasons[question] for question in row["reference"]["questions"])


def _found(row: Json, exercise: Exercise, given: Json) -> str:
    return _reason(row, exercise)


def _span_differs(row: Json, exercise: Exercise, given: Json) -> str:
    (start, end), (first, last) = row["predicted"]["span"], row["reference"]["span"]
    mine, theirs = end - start, last - first
    size = "longer" if mine > theirs else "shorter" if mine < theirs else "at another place"
    return (
        f"It counts as found, but your answer is {size}. Mark the shortest piece that is a "
        f"complete, natural answer. {_reason(row, exercise)}"
    )


def _other_question(row: Json, exercise: Exercise, given: Json) -> str:
    mine = _slots(given, row["predicted"]["questions"][0])
    theirs = _slots(exercise.reference, row["reference"]["questions"][0])
    if mine is None or theirs is None:
        return (
            "The answer is right, but your question is outside the template, so it can't be "
            f"compared. {_reason(row, exercise)}"
        )
    differing = _differences(mine, theirs)
    return (
        "The answer is right, the question asks for something else. They differ in: "
        f"{'; '.join(differing)}. {_reason(row, exercise)}"
    )


def _differences(mine: Slots, theirs: Slots) -> Sequence[str]:
    pairs = zip(strict_match_key(mine), strict_match_key(theirs), _KEY_WORDS, strict=True)
    return [word for one, other, word in pairs if one != other]


def _slots(content: Json, text: str) -> Slots | None:
    slots = next(each["slots"] for each in content["questions"] if each["question"] == text)
    return Slots(**slots) if slots else None


def _missed(row: Json, exercise: Exercise, given: Json) -> str:
    return f"You have no answer here. {_reason(row, exercise)}"


def _extra(row: Json, exercise: Exercise, given: Json) -> str:
    return (
        "The expert has no answer here. Check that the question is about the marked verb, that the "
        "sentence itself answers it, and that the answer is one piece and not several."
    )


def _redundant(row: Json, exercise: Exercise, given: Json) -> str:
    return "You have found this already with another answer; one is enough. It costs nothing."


_EXPLAIN: dict[str, Any] = {
    "found": _found,
    "span-differs": _span_differs,
    "other-question": _other_question,
    "missed": _missed,
    "extra": _extra,
    "redundant": _redundant,
}
