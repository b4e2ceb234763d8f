"""Numbered lines of a text file."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from schemes.contract.errors import FileError
from schemes.file_kinds import kind_problem

MAX_LINE_BYTES = 16 << 20
# Bounds the text before a blank line. A sentence of 100 words needs about 5 kB.
MAX_BLOCK = 4 << 20
_BEGINNING = 1 << 16

LONE_RETURN = "contains a carriage return alone; save the file with the line ends LF or CRLF."


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield `(line number, text)` from 1, without line ends and byte-order mark.

    Lines end in LF or CRLF. Raises FileError if the file cannot be opened or if a line is not UTF-8,
    contains a NUL byte or a CR alone, or is longer than 16 MiB. Overlong lines are never read
    completely.
    """
    if problem := kind_problem(path):
        raise FileError(path.name, None, problem)
    with path.open("rb") as file:
        for line, raw in enumerate(raw_lines(file, MAX_LINE_BYTES), start=1):
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


def raw_lines(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Yield the lines of a file with their ends, and the first `most` + 1 bytes of a longer line.

    If the file's beginning has carriage returns but no line feeds, carriage returns end lines.
    """
    beginning = file.read(_BEGINNING)
    file.seek(0)
    if b"\r" in beginning[:-1] and b"\n" not in beginning:
        return _lines_of_returns(file, most)
    return iter(partial(file.readline, most + 1), b"")


def _lines_of_returns(file: BinaryIO, most: int) -> Iterator[bytes]:
    rest: list[bytes] = []
    size = 0
    for chunk in iter(partial(file.read, _BEGINNING), b""):
        first, *lines = chunk.split(b"\r")
        rest.append(first)
        if lines:
            yield b"".join(rest) + b"\n"
            yield from (line + b"\n" for line in lines[:-1])
            rest, size = [lines[-1]], 0
        size += len(rest[-1])
        if size > most:
            break
    if line := b"".join(rest):
        yield line


def decoding_message(raw: bytes, error: UnicodeDecodeError) -> str:
    """Return why a line is not UTF-8, with the first bad byte, and what to do."""
    column = len(raw[: error.start].decode("utf-8", errors="replace")) + 1
    return (
        f"is not UTF-8 text (byte 0x{raw[error.start]:02X} at character {column}). Name the encoding "
        "of the file, such as windows-1252, or save it as UTF-8."
    )


def _text(raw: bytes, file: str, line: int) -> str:
    if len(raw) > MAX_LINE_BYTES:
        raise FileError(file, line, "is longer than 16 MiB; is this the right file?")
    if line == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(file, line, decoding_message(raw, error)) from error
    if "\0" in text:
        raise FileError(file, line, "contains a NUL byte; this is not a text file.")
    text = text.rstrip("\r\n")
    if "\r" in text:
        raise FileError(file, line, LONE_RETURN)
    return text
