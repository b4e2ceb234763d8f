"""Mark the answers of several questions in a sentence.

Brackets carry the question's number, so that colour is not the only cue and answers may overlap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COLOURS = 6
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Token:
    """A token with the numbers of the questions whose answers open before it and close after it.

    The longest answers are outermost. `colour` is that of the innermost answer, or 0.
    """

    text: str
    opens: tuple[int, ...] = ()
    closes: tuple[int, ...] = ()
    colour: int = 0
    is_target: bool = False


def colour_of(number: int) -> int:
    """Return the colour of the question with this number, from 1. Colours repeat."""
    return (number - 1) % COLOURS + 1


def highlight(
    tokens: Sequence[str], answers: Sequence[Sequence[Span]], *, target: int | None = None
) -> list[Token]:
    """Return the sentence's tokens, marked with the answers of questions 1, 2 and so on.

    Spans outside the sentence are left out.
    """
    length = len(tokens)
    placed = [
        (start, end, number)
        for number, spans in enumerate(answers, start=1)
        for start, end in dict.fromkeys(spans)
        if 0 <= start < end <= length
    ]
    # Outer spans come first, because their brackets open first and close last.
    placed.sort(key=lambda span: (span[0], -span[1], span[2]))
    inner_first = sorted(placed, key=lambda span: (span[1] - span[0], -span[2]))
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
    """Return the index of the item's target token, or None if it has none."""
    at = target.get("verb_idx")
    return at if isinstance(at, int) and at >= 0 else None


def has_questions(content: Any, length: int) -> bool:
    """Return True if the content lists questions with answers in the sentence."""
    questions = content.get("questions") if isinstance(content, dict) else None
    return isinstance(questions, list) and all(
        isinstance(question, dict)
        and isinstance(question.get("question"), str)
        and isinstance(question.get("answers"), list)
        and all(_is_span(answer, length) for answer in question["answers"])
        for question in questions
    )


def _is_span(answer: Any, length: int) -> bool:
    if not isinstance(answer, list) or [type(end) for end in answer] != [int, int]:
        return False
    return bool(0 <= answer[0] < answer[1] <= length)
