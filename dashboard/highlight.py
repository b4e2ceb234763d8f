"""A sentence with the answers of several questions marked in it: brackets with the question's number,
so that colour is never the only sign, and answers may share words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COLOURS = 6
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Token:
    """A token with the numbers of the questions whose answers begin before it and end after it (the
    longest outermost), and the colour of the innermost one it stands in (0: none)."""

    text: str
    opens: tuple[int, ...] = ()
    closes: tuple[int, ...] = ()
    colour: int = 0
    is_target: bool = False


def colour_of(number: int) -> int:
    """The colour of the question with this number, from 1 on: they recur."""
    return (number - 1) % COLOURS + 1


def highlight(
    tokens: Sequence[str], answers: Sequence[Sequence[Span]], *, target: int | None = None
) -> list[Token]:
    """The tokens of a sentence, marked with the answers of question 1, question 2 ...; spans outside
    the sentence, which no scheme lets through, are left out."""
    length = len(tokens)
    placed = [
        (start, end, number)
        for number, spans in enumerate(answers, start=1)
        for start, end in dict.fromkeys(spans)
        if 0 <= start < end <= length
    ]
    # Outer ones first: their brackets open first and close last.
    placed.sort(key=lambda one: (one[0], -one[1], one[2]))
    inner_first = sorted(placed, key=lambda one: (one[1] - one[0], -one[2]))
    return [
        Token(
            text=text,
            opens=tuple(number for start, _, number in placed if start == at),
            closes=tuple(number for _, end, number in reversed(placed) if end == at + 1),
            colour=next((colour_of(n) for start, end, n in inner_first if start <= at < end), 0),
            is_target=at == target,
        )
        for at, text in enumerate(tokens)
    ]


def target_of(target: Mapping[str, Any]) -> int | None:
    """The token that an item is about, where its scheme names one."""
    at = target.get("verb_idx")
    return at if isinstance(at, int) and at >= 0 else None


def has_questions(content: Any, length: int) -> bool:
    """Whether content is a list of questions with answers on the sentence's tokens."""
    questions = content.get("questions") if isinstance(content, dict) else None
    return isinstance(questions, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("question"), str)
        and isinstance(one.get("answers"), list)
        and all(_is_span(answer, length) for answer in one["answers"])
        for one in questions
    )


def _is_span(answer: Any, length: int) -> bool:
    if not isinstance(answer, list) or [type(end) for end in answer] != [int, int]:
        return False
    return bool(0 <= answer[0] < answer[1] <= length)
