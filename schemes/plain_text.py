"""Sentences from plain text with a sentence or paragraph per line, tokenised as in treebanks."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from schemes.base import ErrorSink, FileError, SentenceRecord
from schemes.original_text import texts_of
from schemes.text_lines import numbered_lines

# Bounds the time of the segmenter. Longer lines are not paragraphs.
MAX_PARAGRAPH = 200_000
_ABBREVIATION = re.compile(r"^(?:\w\.)*\w$")


def read_text(path: Path, *, on_error: ErrorSink) -> Iterator[SentenceRecord]:
    """Yield the sentences of a file.

    The id is `<file>:<line>:<sentence of the line>`, so that rereading yields the same ids. Raises
    FileError if the file is not text or has no sentence.
    """
    count = 0
    for line, text in numbered_lines(path):
        if len(text) > MAX_PARAGRAPH:
            message = f"has more than {MAX_PARAGRAPH:,} characters; put a paragraph on a line."
            on_error(FileError(path.name, line, message))
            continue
        tokenized = list(sentences(text))
        written = texts_of(tokenized, text)
        for number, tokens in enumerate(tokenized):
            count += 1
            name = f"{path.stem}:{line}:{number}"
            yield SentenceRecord(name, tokens, line, text=written[number])
    if not count:
        raise FileError(path.name, None, "contains no sentence; expected text.")


def sentences(paragraph: str) -> Iterator[tuple[str, ...]]:
    """Yield the sentences of a paragraph as tokens ("does n't", "re-elected", "U.S.")."""
    segment, tokenizer = _syntok()
    printable = "".join(c if c.isprintable() else " " for c in paragraph)
    for sentence in segment(tokenizer.tokenize(printable)):
        tokens = tuple(_joined(sentence))
        if tokens:
            yield tokens


def _joined(sentence: Iterable[Any]) -> Iterator[str]:
    """Rejoin words that syntok splits at hyphens and before the final full stop."""
    held = ""
    for token in sentence:
        value = "".join(token.value.split())
        touches = bool(held) and not token.spacing
        hyphen = touches and value == "-" and (held[-1].isalnum() or held[-1] == "_")
        after_hyphen = touches and held.endswith("-") and len(held) > 1 and value[:1].isalnum()
        stop = touches and value == "." and "." in held and _ABBREVIATION.match(held) is not None
        if hyphen or after_hyphen or stop:
            held += value
            continue
        if held:
            yield held
        held = value
    if held:
        yield held


@cache
def _syntok() -> Any:
    """Import the tokenizer on first use, because most commands do not need it."""
    from syntok import segmenter, tokenizer  # noqa: PLC0415 - see above

    return segmenter.segment, tokenizer.Tokenizer(
        emit_hyphen_or_underscore_sep=True, replace_not_contraction=False
    )
