"""What the rows of a QA file state about their predicates and answers beside the positions."""

from collections.abc import Iterator, Mapping, Sequence

from schemes.contract.errors import ContentError, FieldError
from schemes.contract.records import Stated, StatedWords
from schemes.qasrl.items import item_key_of_row
from schemes.qasrl.published_csv import SEPARATOR, GoldRow, Span, parse_position, parse_spans

# More tokens than any sentence has
_LONGEST = 10_000


def stated_by(rows: Sequence[GoldRow]) -> Stated:
    """Return what the rows of a predicate state about its sentence, it and its answers."""
    first = rows[0]
    tokens = tuple(first.tokens.split())
    return Stated(tokens, "" if tokens else first.sentence, tuple(stated_words(rows)))


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
    """Yield the text of each answer of a row (see `_texts_at`)."""
    return _texts_at(row.answers, row.answer, row.line)


def stated_by_row(row: Mapping[str, str]) -> Stated:
    """Return what a row of an item list states about its item. Raise ContentError."""
    item = item_key_of_row(row)
    try:
        at = parse_position(item[1] if item else "", "verb_idx")
        spans = parse_spans(row.get("answer_range", ""))
    except FieldError as error:
        raise ContentError(error.field, error.message) from error
    verb = stated_verb(row.get("verb") or row.get("noun", ""), (at,), 0)
    answers = _texts_at(spans, row.get("answer", ""), 0)
    tokens = tuple(row.get("tokens", "").split())
    return Stated(tokens, "" if tokens else row.get("sentence", ""), (*verb, *answers))


def _texts_at(spans: Sequence[Span], answer: str, line: int) -> Iterator[StatedWords]:
    """Yield the text of each answer, or of all together if their number is not that of the ranges.

    Without texts, the positions alone are compared with the length of the sentence.
    """
    texts = answer.split(SEPARATOR) if answer else [""] * len(spans)
    if len(texts) == len(spans):
        for text, span in zip(texts, spans, strict=True):
            yield StatedWords("answer", _positions(span), text, line=line)
    else:
        positions = tuple(at for span in spans for at in _positions(span))
        yield StatedWords("answer", positions, " ".join(texts), line=line)


def _positions(span: Span) -> tuple[int, ...]:
    """Return the positions of a span. Those of a span that no sentence has are its ends."""
    start, end = span
    return tuple(range(start, end)) if end - start <= _LONGEST else (start, end - 1)
