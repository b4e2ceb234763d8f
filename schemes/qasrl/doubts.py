"""Reasons why a person should check questions before their bonus is paid."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from schemes.base import Doubt, FreeForm, ItemContext, Json
from schemes.qasrl.slots import Slots, strict_match_key

FREE_FORM = FreeForm(
    code="free-form",
    label="Allow free-form questions",
    help_text="Accept questions that don't fit the template. Their bonus is paid after a review.",
)
REPEATED = "repeated"
SHOWN = 3  # questions in a text
# A question that differs in one word from this number of others is one of a series of copies. In the
# published gold standard, no question does.
NEIGHBOURS = 2


def doubts(content: Json, context: ItemContext, role: str) -> list[Doubt]:
    """Return the doubts about the questions that the person wrote. Validators write none."""
    if role == "validator":
        return []
    written = [question for question in content["questions"] if question.get("source") is None]
    return [*_outside(written), *_repeated(written)]


def sound_questions(questions: Sequence[Json]) -> int:
    """Return the number of one person's questions that are in the template and no repeats."""
    repeats = set(_repeats(questions))
    return sum(
        not _is_outside(question) and position not in repeats
        for position, question in enumerate(questions)
    )


def _outside(questions: Sequence[Json]) -> Iterator[Doubt]:
    texts = [question["question"] for question in questions if _is_outside(question)]
    if texts:
        yield Doubt(FREE_FORM.code, f"Free-form questions: {_quoted(texts)}.")


def _is_outside(question: Json) -> bool:
    return question.get("slots", {}) is None


def _repeated(questions: Sequence[Json]) -> Iterator[Doubt]:
    texts = [questions[position]["question"] for position in _repeats(questions)]
    if texts:
        yield Doubt(REPEATED, f"Very similar to another question: {_quoted(texts)}.")


def _quoted(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return ", ".join(f"“{text}”" for text in texts[:SHOWN]) + more


def _repeats(questions: Sequence[Json]) -> list[int]:
    """Return the positions of questions that repeat an earlier one or its copies."""
    words = [question["question"].casefold().rstrip("?").split() for question in questions]
    neighbours: dict[int, set[int]] = {position: set() for position in range(len(questions))}
    repeats: set[int] = set()
    for first, second in combinations(range(len(questions)), 2):
        if _means_the_same(questions[first], questions[second]):
            repeats.add(second)
        if _differ_in_one_word(words[first], words[second]):
            neighbours[first].add(second)
            neighbours[second].add(first)
    for position, near in neighbours.items():
        if len(near) >= NEIGHBOURS:
            repeats |= {position, *near} - {min(position, *near)}
    return sorted(repeats)


def _means_the_same(first: Json, second: Json) -> bool:
    """Return True if the questions differ only in tense, aspect or the modal."""
    slots, other = first.get("slots"), second.get("slots")
    if not slots or not other:
        return False
    if (slots["prep"], slots["obj2"]) != (other["prep"], other["obj2"]):
        return False
    return strict_match_key(Slots(**slots)) == strict_match_key(Slots(**other))


def _differ_in_one_word(first: list[str], second: list[str]) -> bool:
    """Return True for one word replaced, added or removed after the same question word."""
    shorter, longer = sorted((first, second), key=len)
    if not shorter or _question_word(first) != _question_word(second):
        return False
    if len(shorter) == len(longer):
        return sum(a != b for a, b in zip(shorter[1:], longer[1:], strict=True)) <= 1
    removed = (longer[:at] + longer[at + 1 :] for at in range(1, len(longer)))
    return len(longer) - len(shorter) == 1 and shorter in removed


def _question_word(words: list[str]) -> str:
    """Return the first word. Who and what both ask for a participant."""
    return "who" if words[0] == "what" else words[0]
