"""Tokens of texts in any script: those of the other schemes, with smaller ones in some scripts.

Invisible characters alone, such as a soft hyphen, are no token. Characters of scripts that are written
without blanks, such as Han and Thai, are tokens of their own, so that any part of the text can be marked.
"""

from collections.abc import Iterator

import regex

from schemes.english import tokenizer
from schemes.original_text import Offset

_UNSPACED = "".join(
    rf"\p{{Script={script}}}"
    for script in ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")
)
# Marks, and the invisible characters that join letters or choose their form
_MARKS = r"[\p{M}\u200c\u200d\ufe0e\ufe0f]"
_VISIBLE = regex.compile(r"[^\s\p{C}]")
_UNSPACED_CHARACTER = regex.compile(f"[{_UNSPACED}]")
_PART = regex.compile(f"[{_UNSPACED}]{_MARKS}*|[^{_UNSPACED}]+")


def tokenize(text: str) -> list[str]:
    """Return the tokens of a text."""
    return [text[start:end] for start, end in token_offsets(text)]


def token_offsets(text: str) -> list[Offset]:
    """Return the half-open range of each token in the text."""
    return list(_offsets(text))


def _offsets(text: str) -> Iterator[Offset]:
    for token in tokenizer.tokenize(text):
        if not _VISIBLE.search(token.text):
            continue
        if not _UNSPACED_CHARACTER.search(token.text):
            yield token.start, token.end
            continue
        for part in _PART.finditer(token.text):
            yield token.start + part.start(), token.start + part.end()
