"""What the rows of a QA file state about their predicates and answers beside the positions."""

from collections.abc import Iterator, Sequence

from schemes.base import StatedWords
from schemes.qasrl.published_csv import SEPARATOR, GoldRow, Span

# More tokens than any sentence has
_LONGEST = 10_000


def stated_words(rows: Sequence[GoldRow]) -> Iterator[StatedWords]:
    """Yield what the rows of a predicate state about it and its answers."""
    first_with_verb: dict[str, GoldRow] = {}
    for row in rows:
        first_with_verb.setdefault(row.verb, row)
    for row in first_with_verb.values():
        yield from predicate_words(row)
    for row in rows:
        yield from answer_words(row)


def predicate_words(row: GoldRow) -> tuple[StatedWords, ...]:
    """Return what the row states about its predicate, which may have several words."""
    positions: tuple[int, ...] = (row.verb_idx,)
    if len(row.verb.split()) > 1 and row.target_ranges:
        positions = tuple(at for span in row.target_ranges for at in range(*span))
    return stated_verb(row.verb, positions, row.line)


def stated_verb(verb: str, positions: tuple[int, ...], line: int) -> tuple[StatedWords, ...]:
    return (StatedWords("verb", positions, verb, is_lemma=True, line=line),) if verb else ()


def answer_words(row: GoldRow) -> Iterator[StatedWords]:
    """Yield the text of each answer, or of all together if their number is not that of the ranges.

    Without texts, the positions alone are compared with the length of the sentence.
    """
    texts = row.answer.split(SEPARATOR) if row.answer else [""] * len(row.answers)
    if len(texts) == len(row.answers):
        for text, span in zip(texts, row.answers, strict=True):
            yield StatedWords("answer", _positions(span), text, line=row.line)
    else:
        positions = tuple(at for span in row.answers for at in _positions(span))
        yield StatedWords("answer", positions, " ".join(texts), line=row.line)


def _positions(span: Span) -> tuple[int, ...]:
    """Return the positions of a span. Those of a span that no sentence has are its ends."""
    start, end = span
    return tuple(range(start, end)) if end - start <= _LONGEST else (start, end - 1)
