"""CSV tables, read row by row in bounded memory."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from schemes.base import ErrorSink, FileError

# Far more than a sentence of 10,000 tokens, which needs about 60 kB.
MAX_LINE_BYTES = 1 << 20
# A quoted field may span lines, so rows need their own limit.
MAX_ROW_BYTES = 4 << 20


class CsvTable:
    """A UTF-8 CSV file with a header, as a context manager.

    Iteration yields `(line, fields)`: the line number of the row's start, from 1, and as many
    fields as the header has. Invalid rows go to `on_error` and are skipped. Raises FileError if the
    file is unreadable, empty or not text, lacks a required column or has a line longer than 1 MiB.
    Such a line is never read completely. `aliases` maps other names of columns to their usual
    ones, and applies if the usual column is missing.
    """

    def __init__(
        self,
        path: Path,
        *,
        required: Sequence[str],
        on_error: ErrorSink,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self._path = path
        self._aliases = aliases or {}
        self._required = required
        self._on_error = on_error
        self._lines_read = 0
        self._row_bytes = 0
        self.columns: dict[str, int] = {}

    def __enter__(self) -> Self:
        try:
            self._file: BinaryIO = self._path.open("rb")
        except OSError as error:
            raise FileError(
                self._path.name, None, f"cannot be opened ({error.strerror}); check the path."
            ) from error
        # The limit is global to the csv module, so it is only ever raised.
        csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
        self._rows = csv.reader(self._lines(), strict=True)
        try:
            self.columns = self._header()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        width = len(self.columns)
        while True:
            start = self._lines_read + 1
            self._row_bytes = 0
            try:
                fields = next(self._rows)
            except StopIteration:
                return
            except csv.Error as error:
                self._on_error(self._broken(start, error))
                continue
            if len(fields) == width:
                yield start, fields
            elif fields:
                message = f"has {len(fields)} fields where the header has {width}; row left out."
                self._on_error(FileError(self._path.name, start, message))

    def _lines(self) -> Iterator[str]:
        """Yield decoded lines. Raises FileError as soon as a line exceeds the limit."""
        for raw in iter(partial(self._file.readline, MAX_LINE_BYTES + 1), b""):
            self._lines_read += 1
            self._row_bytes += len(raw)
            if len(raw) > MAX_LINE_BYTES or self._row_bytes > MAX_ROW_BYTES:
                raise self._refused("is longer than 1 MiB; is this the right file?")
            if self._lines_read == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901 - the mark is not text
            yield self._text(raw)

    def _text(self, raw: bytes) -> str:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            at = f"byte {error.start + 1} of the line"
            raise self._refused(f"is not UTF-8 ({at}); save the file as UTF-8.") from error
        if "\0" in text:
            raise self._refused("contains a NUL byte; this is not a CSV file.")
        return text

    def _header(self) -> dict[str, int]:
        try:
            names = [name.strip() for name in next(self._rows, [])]
        except csv.Error as error:
            raise self._refused(f"is not the header of a CSV file ({error}).") from error
        if not any(names):
            raise FileError(self._path.name, None, "is empty; expected a header and rows.")
        names = [self._usual(name, names) for name in names]
        for column in self._required:
            if column not in names:
                header = ", ".join(names)[:200].replace("\0", "")
                message = f"the column is missing; the header has: {header}"
                raise FileError(self._path.name, 1, message, field=column)
        if len(set(names)) < len(names):
            raise self._refused("names a column twice; every column needs its own name.")
        return {name: at for at, name in enumerate(names)}

    def _usual(self, name: str, names: Sequence[str]) -> str:
        usual = self._aliases.get(name, name)
        return name if usual in names else usual

    def _refused(self, message: str) -> FileError:
        return FileError(self._path.name, max(self._lines_read, 1), message)

    def _broken(self, start: int, error: csv.Error) -> FileError:
        message = f"is not CSV ({error}); row left out."
        if self._lines_read > start:
            message = (
                f"a quoted field that starts here is not closed properly ({error}); "
                f"lines {start} to {self._lines_read} left out."
            )
        return FileError(self._path.name, start, message)
