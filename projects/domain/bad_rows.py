"""The bad rows of an import: the first ones for people, and all of them in a CSV file."""

import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Self

from schemes.contract.errors import FileError
from web.downloads import no_formula

HEADER = ("file", "line", "field", "message")
SHOWN = 20
_IN_MEMORY = 1 << 20


class BadRows:
    """Bad rows, which are counted, written to a temporary CSV file, and passed on if they are first.

    `show` receives the first rows. `renamed` returns an error with the original name of its file.
    """

    def __init__(
        self,
        *,
        show: Callable[[FileError], None] = lambda error: None,
        renamed: Callable[[FileError], FileError] = lambda error: error,
    ) -> None:
        self._show = show
        self._renamed = renamed
        self.count = 0

    def __enter__(self) -> Self:
        self._file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)
        self._text = io.TextIOWrapper(self._file, encoding="utf-8", newline="")
        self._rows = csv.writer(self._text)
        self._rows.writerow(HEADER)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._text.close()

    def __call__(self, error: FileError) -> None:
        self.count += 1
        error = self._renamed(error)
        if self.count <= SHOWN:
            self._show(error)
        row = (error.file, error.line, error.field, error.message)
        self._rows.writerow([_storable(value) for value in row])

    def content(self) -> IO[bytes]:
        """Return the CSV file from its beginning. It is closed with the rows."""
        self._text.flush()
        self._file.seek(0)
        return self._file

    def save(self, path: Path) -> None:
        with path.open("wb") as target:
            shutil.copyfileobj(self.content(), target)


def _storable(value: object) -> str:
    """Return the value as text that a spreadsheet does not run as a formula."""
    text = str(no_formula("" if value is None else value))
    return text.encode("utf-8", errors="replace").decode("utf-8")
