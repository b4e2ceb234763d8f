"""Tokens of texts in any script.

A token is a run of letters and digits with their marks, or a single other character, such as a full
stop, a hyphen or an emoji. Characters of scripts that are written without blanks, such as Han and Thai,
are tokens of their own, so that any part of the text can be marked.
"""

import regex

from schemes.original_text import Offset

_UNSPACED = "".join(
    rf"\p{{Script={script}}}"
    for script in ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")
)
# Marks, and the invisible characters that join letters or choose their form
_MARKS = r"[\p{M}\u200c\u200d\ufe0e\ufe0f]"
_TOKEN = regex.compile(
    rf"""
    [{_UNSPACED}]{_MARKS}*
    | (?:[[\p{{L}}\p{{N}}]--[{_UNSPACED}]]{_MARKS}*)+
    | \p{{RI}}\p{{RI}}
    | [^\s\p{{Cc}}\p{{Cf}}\p{{Cs}}](?:[\p{{M}}\p{{EMod}}\ufe0e\ufe0f]|\u200d[^\s\p{{C}}])*
    """,
    regex.VERBOSE | regex.VERSION1,
)


def tokenize(text: str) -> list[str]:
    """Return the tokens of a text."""
    return [match.group() for match in _TOKEN.finditer(text)]


def token_offsets(text: str) -> list[Offset]:
    """Return the half-open range of each token in the text."""
    return [match.span() for match in _TOKEN.finditer(text)]
