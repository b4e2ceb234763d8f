"""Sentences from plain text with a sentence or paragraph per line, tokenised as in treebanks."""

from collections.abc import Iterator
from pathlib import Path

from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.records import SentenceRecord
from schemes.english.sentences import split_sentences
from schemes.text_lines import numbered_lines

# Bounds the time of the tokenizer. Longer lines are not paragraphs.
MAX_PARAGRAPH = 200_000


def read_text(path: Path, *, on_error: ErrorSink) -> Iterator[SentenceRecord]:
    """Yield the sentences of a file, with their text as it was written.

    The id is `<file>:<line>:<sentence of the line>`, so that rereading yields the same ids. The file is
    the document. Raises FileError if the file is not text or has no sentence.
    """
    count = 0
    for line, text in numbered_lines(path):
        if len(text) > MAX_PARAGRAPH:
            message = f"has more than {MAX_PARAGRAPH:,} characters; put a paragraph on a line."
            on_error(FileError(path.name, line, message))
            continue
        for number, sentence in enumerate(split_sentences(text)):
            count += 1
            start, end = sentence[0].start, sentence[-1].end
            yield SentenceRecord(
                f"{path.stem}:{line}:{number}",
                tuple(token.text for token in sentence),
                line,
                {"document": path.stem},
                text=text[start:end],
                offsets=tuple((token.start - start, token.end - start) for token in sentence),
            )
    if not count:
        raise FileError(path.name, None, "contains no sentence; expected text.")


def sentences(paragraph: str) -> Iterator[tuple[str, ...]]:
    """Yield the sentences of a paragraph as tokens ("does n't", "re-elected", "U.S.")."""
    for sentence in split_sentences(paragraph):
        yield tuple(token.text for token in sentence)
