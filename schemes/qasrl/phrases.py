"""Phrases of a sentence by its function words and punctuation, and signs of odd answers.

No tagger is used, so that simulated workers cost little. The phrases are rough.
"""

from collections.abc import Iterator

from schemes.contract.values import Tokens
from schemes.english.function_words import AUXILIARIES, CONJUNCTIONS, DETERMINERS
from schemes.qasrl.prepositions import PREPOSITIONS

Span = tuple[int, int]

_LONGEST = 6
# Tokens between the verb and an answer from which it counts as distant.
_DISTANT = 7


def phrases_of(tokens: Tokens, verb_idx: int) -> Iterator[Span]:
    """Yield the phrases of a sentence, each with the preposition before it."""
    start = 0
    for at in range(len(tokens) + 1):
        is_end = at == len(tokens) or at == verb_idx or _ends_phrase(tokens[at])
        if not is_end and at - start < _LONGEST:
            continue
        if any(_is_content(token) for token in tokens[start:at]):
            yield start, at
        starts_here = at < len(tokens) and tokens[at].lower() in PREPOSITIONS
        start = at if starts_here or not is_end else at + 1


def _ends_phrase(token: str) -> bool:
    word = token.lower()
    is_mark = not any(map(str.isalnum, word))
    return is_mark or word in CONJUNCTIONS or word in AUXILIARIES or word in PREPOSITIONS


def _is_content(token: str) -> bool:
    return not (_ends_phrase(token) or token.lower() in DETERMINERS)


def is_doubtful(tokens: Tokens, verb_idx: int, span: Span) -> bool:
    """Return True for an answer with the verb, or in another clause far from the verb."""
    start, end = span
    if start <= verb_idx < end:
        return True
    between = tokens[end:verb_idx] if end <= verb_idx else tokens[verb_idx + 1 : start]
    return len(between) >= _DISTANT and any(_is_border(token) for token in between)


def _is_border(token: str) -> bool:
    return not any(map(str.isalnum, token)) or token.lower() in CONJUNCTIONS


def is_cut(tokens: Tokens, span: Span) -> bool:
    """Return True for an answer that starts or ends within a phrase, as far as its words show it."""
    start, end = span
    last = tokens[end - 1].lower()
    return (
        (start > 0 and tokens[start - 1].lower() in DETERMINERS)
        or _is_border(tokens[start])
        or last in DETERMINERS
        or last in PREPOSITIONS
        or _is_border(tokens[end - 1])
    )
