"""Tables in JSON: a list of objects, or an object per line."""

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import IO, Any

from schemes.characters import separator_in
from schemes.contract.errors import FieldError, FileError
from schemes.contract.values import Json
from schemes.json_values import DECODER, UNSTORABLE, RepeatedKeyError, json_problem
from schemes.row_files import WORDS, Row
from schemes.table_rows import MAX_COLUMNS, MAX_NAME

MAX_OBJECT = 8 << 20
_CHUNK = 1 << 16
_BETWEEN = re.compile(r"[ \t\r\n]*")
Entry = tuple[int, Any]


def looks_like_json(head: bytes) -> bool:
    """Return True for text that starts with a JSON object or list."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def json_table(path: Path) -> tuple[list[str], Callable[[], Iterator[Row]]]:
    """Return the keys of all objects in the file, and a function that reads them as rows.

    Raise FileError for a file that is not JSON or has too many keys.
    """
    keys: dict[str, None] = {}
    message, reason = "contains no JSON object with values.", ""
    for line, entry in json_entries(path):
        if isinstance(entry, dict):
            keys.update(dict.fromkeys(entry))
            if len(keys) > MAX_COLUMNS:
                raise FileError(path.name, None, f"has objects with over {MAX_COLUMNS:,} keys.")
            if max(map(len, entry), default=0) > MAX_NAME:
                raise FileError(path.name, line, f"has a key of more than {MAX_NAME} characters.")
        elif isinstance(entry, FieldError):
            reason = reason or f" Line {line:,} {entry.message}"
    if not keys:
        raise FileError(path.name, None, message + reason)
    names = [UNSTORABLE.sub("\ufffd", key).strip() for key in keys]
    return names, partial(_rows, path, list(keys))


def _rows(path: Path, keys: list[str]) -> Iterator[Row]:
    for line, entry in json_entries(path):
        if isinstance(entry, FieldError):
            yield line, "", entry.message
        elif not isinstance(entry, dict):
            yield line, "", "is not a JSON object."
        else:
            yield _row(line, entry, keys)


def _row(line: int, entry: Json, keys: list[str]) -> Row:
    fields: list[str] = []
    kinds: dict[str, str] = {}
    for at, key in enumerate(keys):
        value = entry.get(key)
        try:
            fields.append(_text(value))
        except FieldError as error:
            return line, key, error.message
        if kind := _kind(value):
            kinds[str(at)] = kind
    return (line, fields, kinds) if kinds else (line, fields)


def _text(value: Any) -> str:
    """Return a value as the text of a cell. Tokens are joined by blanks. Raise FieldError."""
    match value:
        case None:
            return ""
        case str():
            text = value
        # What pandas writes for a missing value
        case float() if math.isnan(value):
            return ""
        case float() if value.is_integer() and abs(value) < 1e15:
            text = str(int(value))
        case [*tokens] if tokens and all(isinstance(token, str) for token in tokens):
            text = _joined(tokens)
        case _ if value in ([], {}):
            return ""
        case dict() | list():
            text = json.dumps(value, ensure_ascii=False)
        case _:
            text = str(value)
    if UNSTORABLE.search(text):
        raise FieldError("", "has a NUL or half of a character.")
    return text


def _kind(value: Any) -> str:
    """Return what a value is that is neither text nor a number, or "". Empty values are text."""
    match value:
        case bool():
            return "a truth value"
        case float() if math.isinf(value):
            return "an infinite number"
        case dict() if value:
            return "an object"
        case [*words] if words:
            return WORDS if all(isinstance(word, str) for word in words) else "a list"
    return ""


def _joined(tokens: list[str]) -> str:
    for token in tokens:
        if not token:
            raise FieldError("", "has an empty token.")
        if name := separator_in(token):
            raise FieldError("", f"the token {token[:40]!r} contains {name}.")
    return " ".join(tokens)


def json_entries(path: Path) -> Iterator[Entry]:
    """Yield the line and value of each object, or a FieldError for a line that is not JSON."""
    with path.open("rb") as file:
        head = file.read(_CHUNK).removeprefix(b"\xef\xbb\xbf").lstrip()
    entries = _list_entries if head.startswith(b"[") else _line_entries
    with _as_text(path) as file:
        yield from entries(path, file)


@contextmanager
def _as_text(path: Path) -> Iterator[IO[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            yield file
        except UnicodeDecodeError as error:
            message = f"is not UTF-8 (byte 0x{error.object[error.start]:02X}). Name its encoding."
            raise FileError(path.name, None, message) from error


def _line_entries(path: Path, file: IO[str]) -> Iterator[Entry]:
    for line in count(1):
        text = file.readline(MAX_OBJECT + 1)
        if not text:
            return
        if len(text) > MAX_OBJECT:
            raise FileError(path.name, line, "is longer than 8 MiB; is this the file?")
        if not text.strip():
            continue
        try:
            yield line, DECODER.decode(text)
        except (ValueError, RecursionError) as error:
            yield line, FieldError("", f"{_not_json(text, error)}.")


def _not_json(text: str, error: Exception) -> str:
    if text.rstrip().endswith(","):
        return "is not JSON Lines: the line ends with a comma"
    if text.strip() in ("{", "["):
        return "is not JSON Lines: an object must be on a single line"
    return json_problem(error)


def _list_entries(path: Path, file: IO[str]) -> Iterator[Entry]:
    """Yield the entries of a list without holding it in memory."""
    yield from _JsonList(path, file).entries()


class _JsonList:
    """A list in a file, of which one entry at a time is in memory.

    The buffer is read from `_at`. Its beginning is dropped when all of it is read or more is needed,
    because that copies the rest.
    """

    def __init__(self, path: Path, file: IO[str]) -> None:
        self._path = path
        self._file = file
        self._buffer = ""
        self._at = 0
        self._line = 1

    def entries(self) -> Iterator[Entry]:
        self._expect("[")
        is_first = True
        while self._next() != "]":
            if not is_first:
                self._expect(",")
                self._next()
            is_first = False
            line = self._line
            yield line, self._value()
        self._drop(1)
        self._expect_end()

    def _expect(self, character: str) -> None:
        if self._next() != character:
            raise self._broken(f"expected “{character}” here")
        self._drop(1)

    def _expect_end(self) -> None:
        if self._next_or_end():
            message = "has text after the end of its list. Write all objects into one list."
            raise FileError(self._path.name, self._line, message)

    def _next(self) -> str:
        """Skip blanks, and return the next character. Raise FileError at the end of the file."""
        character = self._next_or_end()
        if not character:
            raise self._broken("the list has no end")
        return character

    def _next_or_end(self) -> str:
        """Skip blanks, and return the next character, or "" at the end of the file."""
        while True:
            match = _BETWEEN.match(self._buffer, self._at)
            self._drop(match.end() - self._at if match else 0)
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            self._buffer, self._at = self._file.read(_CHUNK), 0
            if not self._buffer:
                return ""

    def _value(self) -> Any:
        """Return the next value of the buffer, which is filled as far as needed.

        An object with a repeated key is a FieldError.
        """
        size = _CHUNK
        while True:
            try:
                value, end = _decoded(self._buffer, self._at)
            except RecursionError as error:
                raise self._broken("it is nested too deeply") from error
            except ValueError as error:
                if len(self._buffer) - self._at > MAX_OBJECT or not self._read(size):
                    raise self._broken(str(error)[:80]) from error
            else:
                # A number may go on after the end of the buffer.
                if end < len(self._buffer) or not self._read(size):
                    self._drop(end - self._at)
                    return value
            size *= 2

    def _read(self, size: int) -> bool:
        more = self._file.read(size)
        self._buffer, self._at = self._buffer[self._at :] + more, 0
        return bool(more)

    def _drop(self, length: int) -> None:
        self._line += self._buffer.count("\n", self._at, self._at + length)
        self._at += length

    def _broken(self, reason: str) -> FileError:
        return FileError(self._path.name, self._line, f"is not JSON ({reason}).")


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return the value at a place of a text, and its end. Raise ValueError if it is incomplete."""
    try:
        return DECODER.raw_decode(text, at)
    except RepeatedKeyError as error:
        _, end = json.JSONDecoder().raw_decode(text, at)
        return FieldError("", f"{error}."), end
    except json.JSONDecodeError as error:
        # The place in the value, not in the text
        raise json.JSONDecodeError(error.msg, text[at:], error.pos - at) from None
