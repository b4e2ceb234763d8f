"""Mark the spans of several units in a sentence.

Brackets carry the unit's number, so that colour is not the only cue and spans may overlap.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from schemes.original_text import ShownToken

COLOURS = 6
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Token:
    """A token with the numbers of the units whose spans open before it and close after it.

    The longest spans are outermost. `colour` is that of the innermost span, or 0. `gap` is what
    stands before the token.
    """

    text: str
    gap: str = ""
    opens: tuple[int, ...] = ()
    closes: tuple[int, ...] = ()
    colour: int = 0
    is_target: bool = False


def colour_of(number: int) -> int:
    """Return the colour of the unit with this number, from 1. Colours repeat."""
    return (number - 1) % COLOURS + 1


def highlight(
    tokens: Sequence[ShownToken], units: Sequence[Sequence[Span]], *, target: Collection[int] = ()
) -> list[Token]:
    """Return the sentence's tokens, marked with the spans of units 1, 2 and so on.

    Spans outside the sentence are left out.
    """
    length = len(tokens)
    placed = [
        (start, end, number)
        for number, spans in enumerate(units, start=1)
        for start, end in dict.fromkeys(spans)
        if 0 <= start < end <= length
    ]
    # Outer spans come first, because their brackets open first and close last.
    placed.sort(key=lambda span: (span[0], -span[1], span[2]))
    inner_first = sorted(placed, key=lambda span: (span[1] - span[0], -span[2]))
    return [
        Token(
            text=token.text,
            gap=token.gap,
            opens=tuple(number for start, _, number in placed if start == at),
            closes=tuple(number for _, end, number in reversed(placed) if end == at + 1),
            colour=next((colour_of(n) for start, end, n in inner_first if start <= at < end), 0),
            is_target=at in target,
        )
        for at, token in enumerate(tokens)
    ]
