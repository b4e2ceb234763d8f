"""Numbered lines of a text file."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from schemes.base import FileError

MAX_LINE_BYTES = 16 << 20
# Bounds the text before a blank line. A sentence of 100 words needs about 5 kB.
MAX_BLOCK = 4 << 20

LONE_RETURN = "contains a carriage return alone; save the file with the line ends LF or CRLF."


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield `(line number, text)` from 1, without line ends and byte-order mark.

    Lines end in LF or CRLF. Raises FileError if the file cannot be opened or if a line is not UTF-8,
    contains a NUL byte or a CR alone, or is longer than 16 MiB. Overlong lines are never read
    completely.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        message = f"cannot be opened ({error.strerror}); check the path."
        raise FileError(path.name, None, message) from error
    with file:
        raw_lines = iter(partial(file.readline, MAX_LINE_BYTES + 1), b"")
        for line, raw in enumerate(raw_lines, start=1):
            yield line, _text(raw, path.name, line)


def numbered_blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines between blank lines with the line number of the first.

    Raises FileError as `numbered_lines` does, and for a block of more than MAX_BLOCK characters.
    """
    block: list[str] = []
    start = size = 0
    for line, text in numbered_lines(path):
        if text.strip(" \t"):
            start = start if block else line
            block.append(text)
            size += len(text)
            if size > MAX_BLOCK:
                raise FileError(path.name, start, "has no blank line for 4 MB; is this CoNLL?")
        elif block:
            yield start, block
            block, size = [], 0
    if block:
        yield start, block


def _text(raw: bytes, file: str, line: int) -> str:
    if len(raw) > MAX_LINE_BYTES:
        raise FileError(file, line, "is longer than 16 MiB; is this the right file?")
    if line == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 text (byte {error.start + 1} of the line); is this the right file?"
        raise FileError(file, line, message) from error
    if "\0" in text:
        raise FileError(file, line, "contains a NUL byte; this is not a text file.")
    text = text.rstrip("\r\n")
    if "\r" in text:
        raise FileError(file, line, LONE_RETURN)
    return text
