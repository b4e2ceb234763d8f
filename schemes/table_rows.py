"""The rows of text files with separators, and of row files."""

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from schemes.contract.errors import ErrorSink, FileError
from schemes.row_files import DATE, LONG_NUMBER, TIME, WORDS, is_row_file, names_of_header, read_row
from schemes.separators import find_separator, stated_separator
from schemes.text_lines import decoding_message, raw_lines

# Far more than a sentence of 10,000 tokens, which needs about 60 kB.
MAX_LINE_BYTES = 1 << 20
# A quoted field may span lines, so rows need their own limit.
MAX_ROW_BYTES = 4 << 20
MAX_COLUMNS = 1000
MAX_NAME = 200
_BEGINNING = 1 << 16
_MARK = b"\xef\xbb\xbf"
_TAB = "\t"
# Columns whose tokens may be a list
_SENTENCES = ("text", "tokens", "sentence")
_MAX_SHOWN = 60

Rows = Iterator[tuple[int, list[str]]]


@contextmanager
def open_rows(path: Path, name: str, on_error: ErrorSink) -> "Iterator[SeparatedRows | StoredRows]":
    """Open a text file or row file. Its errors have `name`. Raise FileError."""
    with path.open("rb") as file:
        yield (StoredRows if is_row_file(path) else SeparatedRows)(file, name, on_error)


class SeparatedRows:
    """The rows of a text file whose fields have a separator, usually a comma."""

    def __init__(self, file: BinaryIO, name: str, on_error: ErrorSink) -> None:
        self._file = file
        self._name = name
        self._on_error = on_error
        self._lines_read = 0
        self._row_bytes = 0
        beginning = file.read(_BEGINNING).removeprefix(_MARK).decode("utf-8", errors="replace")
        file.seek(0)
        stated = stated_separator(beginning)
        self.separator = stated or find_separator(beginning)
        # The limit is global to the csv module, so it is only ever raised.
        csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
        self._lines = self._decoded()
        if stated:
            next(self._lines)
        self.header_line = self._lines_read + 1
        self._records = self._reader()
        self.names = self._header()
        self.header_end = self._lines_read

    def rows(self, checked: Mapping[int, str]) -> Rows:
        """Yield the line and fields of each row."""
        width = len(self.names)
        while True:
            start = self._lines_read + 1
            self._row_bytes = 0
            try:
                fields = next(self._records)
            except StopIteration:
                return
            except csv.Error as error:
                self._on_error(self._broken(start, error))
                continue
            if len(fields) == width:
                yield start, fields
            elif fields:
                message = f"has {len(fields)} fields where the header has {width}."
                self._on_error(FileError(self._name, start, message))

    def _reader(self) -> Iterator[list[str]]:
        if self.separator == _TAB:
            return _TabRecords(self._lines)
        return csv.reader(self._lines, delimiter=self.separator, strict=True)

    def _decoded(self) -> Iterator[str]:
        """Yield decoded lines. Raises FileError as soon as a line exceeds the limit."""
        for raw in raw_lines(self._file, MAX_LINE_BYTES):
            self._lines_read += 1
            self._row_bytes += len(raw)
            if len(raw) > MAX_LINE_BYTES or self._row_bytes > MAX_ROW_BYTES:
                raise self._refused("is longer than 1 MiB; is this the right file?")
            if self._lines_read == 1:
                raw = raw.removeprefix(_MARK)  # noqa: PLW2901 - the mark is not text
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise self._refused(decoding_message(raw, error)) from error
            if "\0" in text:
                raise self._refused("contains a NUL byte; this is not a CSV file.")
            yield text

    def _header(self) -> list[str]:
        try:
            names = [name.strip() for name in next(self._records, [])]
        except csv.Error as error:
            raise self._refused(f"is not the header of a CSV file ({error}).") from error
        if not any(names):
            raise FileError(self._name, None, "is empty; expected a header and rows.")
        if len(names) > MAX_COLUMNS:
            raise self._refused(f"has more than {MAX_COLUMNS:,} columns.")
        if max(map(len, names)) > MAX_NAME:
            raise self._refused(f"has a column name of more than {MAX_NAME} characters.")
        return names

    def _refused(self, message: str) -> FileError:
        return FileError(self._name, max(self._lines_read, 1), message)

    def _broken(self, start: int, error: csv.Error) -> FileError:
        message = f"is not CSV ({error})."
        if self._lines_read > start:
            message = (
                f"a quoted field that starts here is not closed properly ({error}); "
                f"lines {start} to {self._lines_read} left out."
            )
        return FileError(self._name, start, message)


class _TabRecords:
    """Records with tabs between fields.

    Spreadsheets put fields with quotes or line ends in quotes. Other programs write quotes as they
    are, so a line whose quotes don't match is split at its tabs.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._width = 0

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        line = next(self._lines)
        fields = line.rstrip("\r\n").split(_TAB)
        if '"' in line:
            fields = self._unquoted(line, fields)
        self._width = self._width or len(fields)
        return fields if fields != [""] else []

    def _unquoted(self, line: str, fields: list[str]) -> list[str]:
        try:
            return next(csv.reader([line], delimiter=_TAB, strict=True))
        except csv.Error:
            if len(fields) == self._width:
                return fields
        # The quoted field goes on in the next lines.
        return next(csv.reader(chain([line], self._lines), delimiter=_TAB, strict=True))


class StoredRows:
    """The rows of a row file, into which another file was converted."""

    separator = ""
    header_line = header_end = 1

    def __init__(self, file: BinaryIO, name: str, on_error: ErrorSink) -> None:
        self._file = file
        self._name = name
        self._on_error = on_error
        self.names = names_of_header(file.readline())

    def rows(self, checked: Mapping[int, str]) -> Rows:
        """Yield the line and fields of each row.

        Rows are errors if a column of `checked`, which has names by position, has a date, a time or a
        JSON value other than text and numbers. Columns of sentences may have lists of texts.
        """
        for raw in self._file:
            line, fields, *changed = read_row(raw)
            if isinstance(fields, str):
                self._on_error(FileError(self._name, line, changed[0], field=fields))
                continue
            kinds = changed[0] if changed else {}
            for at, kind in kinds.items():
                name = checked.get(int(at), "")
                if name and not (kind == WORDS and name in _SENTENCES):
                    message = _not_text(fields[int(at)], kind)
                    self._on_error(FileError(self._name, line, message, field=name))
                    break
            else:
                yield line, fields


def _not_text(text: str, kind: str) -> str:
    if kind in (TIME, DATE):
        return (
            f"{text} is a {kind}, into which a spreadsheet turned the value. Format the column as text, "
            "and enter it again."
        )
    if kind == LONG_NUMBER:
        return (
            f"{text} is a {kind}, of which a workbook keeps no more. Format the column as text, and "
            "enter it again."
        )
    return f"{text[:_MAX_SHOWN]} is {kind}, not text."
