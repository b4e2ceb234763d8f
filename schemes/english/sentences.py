"""Sentences of a text, by the punctuation of English and of other scripts."""

import re
from collections.abc import Iterator, Sequence

from schemes.english.abbreviations import INTRODUCTIONS, SHORT_WORDS, STARTERS, TITLES
from schemes.english.tokenizer import Token, tokenize

_STOPS = re.compile("[.?!…؟।॥。？！]+")
# Stops of scripts without spaces between sentences.
_FULL_WIDTH = re.compile("[。？！]+")
_CLOSERS = frozenset(['"', "'", "''", "”", "’", "»", ")", "]", "}", "」", "』", "）"])
_ABBREVIATION = re.compile(r"\w[\w.-]*\.")
_FACE = re.compile(r"[:;=][-'^o]?[()\[\]DPp|\\*/]")
# A line of symbols between the parts of a message
_RULE = re.compile("[=_*~#-]{5,}")
# Shorter words before a full stop may be unknown abbreviations.
_MIN_LAST_WORD = 4


def split_sentences(text: str) -> Iterator[list[Token]]:
    """Yield the tokens of each sentence of a paragraph."""
    tokens = list(tokenize(text))
    after = _after_closers(tokens)
    start = 0
    for at in range(len(tokens)):
        end = _end_of_sentence(tokens, at, after)
        if end > start:
            yield tokens[start:end]
            start = end
    if start < len(tokens):
        yield tokens[start:]


def _end_of_sentence(tokens: Sequence[Token], at: int, after: Sequence[int]) -> int:
    """Return the end of a sentence that ends with a token and the quotes after it, or 0.

    `after` has the position after the quotes that begin at each token.
    """
    if any(_RULE.fullmatch(token.text) for token in tokens[at : at + 2]):
        return at + 1
    text = tokens[at].text
    is_abbreviation = bool(_ABBREVIATION.fullmatch(text))
    if not is_abbreviation and not _STOPS.fullmatch(text) and not _FACE.fullmatch(text):
        return 0
    end = after[at + 1]
    if end == len(tokens):
        return end
    if tokens[end].start == tokens[end - 1].end:
        is_end = bool(_FULL_WIDTH.fullmatch(text))
    elif is_abbreviation:
        is_end = _may_end(text) and tokens[end].text in STARTERS
    elif tokens[end].text[0].islower():
        is_end = end == at + 1 and _ends_before_lower_case(tokens, at)
    else:
        is_end = True
    return end if is_end else 0


def _after_closers(tokens: Sequence[Token]) -> list[int]:
    """Return the position after the quotes and brackets without space before them, and faces.

    There is one for each token that they may begin at, and for the end.
    """
    after = list(range(len(tokens) + 1))
    for at in range(len(tokens) - 1, 0, -1):
        token = tokens[at]
        touches = token.start == tokens[at - 1].end and token.text in _CLOSERS
        if touches or _FACE.fullmatch(token.text):
            after[at] = after[at + 1]
    return after


def _may_end(abbreviation: str) -> bool:
    name = abbreviation.lower().removesuffix(".")
    return name not in TITLES and name not in INTRODUCTIONS


def _ends_before_lower_case(tokens: Sequence[Token], at: int) -> bool:
    """Return True for a stop that ends a sentence although the next word is in lower case."""
    if tokens[at].text[-1] in "?!":
        return True
    last = tokens[at - 1].text if at else ""
    is_word = last.isalpha() and (len(last) >= _MIN_LAST_WORD or last.lower() in SHORT_WORDS)
    return tokens[at].text == "." and is_word
