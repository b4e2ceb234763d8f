"""Tables of any kind, read row by row in bounded memory.

Tables are CSV files with any separator, workbooks, and JSON objects, also compressed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from schemes.contract.errors import ErrorSink, FileError
from schemes.table_files import is_plain, table_file
from schemes.table_rows import SeparatedRows, StoredRows, open_rows
from schemes.unpack import check_text


class Table:
    """A table with a header, as a context manager.

    Iteration yields `(line, fields)`: the line number of the row's start, from 1, and as many
    fields as the header has. Invalid rows, and rows that repeat the header, go to `on_error` and are
    skipped. Raises FileError if the
    file is unreadable, empty or not text, lacks a required column or has a line longer than 1 MiB.
    Such a line is never read completely. `aliases` maps other names of columns to their usual
    ones, and applies if the usual column is missing. With `optional`, the other columns of the file
    are not used, and may have any names.
    """

    def __init__(
        self,
        path: Path,
        *,
        required: Sequence[str] = (),
        on_error: ErrorSink,
        aliases: Mapping[str, str] | None = None,
        optional: Sequence[str] | None = None,
    ) -> None:
        self._path = path
        self._required = required
        self._used = None if optional is None else {*required, *optional}
        self._aliases = aliases or {}
        self._on_error = on_error
        self._stack = ExitStack()
        self._rows: SeparatedRows | StoredRows
        self.columns: dict[str, int] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            path = self._path
            if is_plain(path):
                check_text(path)
            else:
                folder = stack.enter_context(TemporaryDirectory(prefix="table-"))
                path = table_file(path, Path(folder)).path
            self._rows = stack.enter_context(open_rows(path, self._path.name, self._on_error))
            self.columns = self._columns()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        used = self._required if self._used is None else self._used
        checked = {self.columns[name]: name for name in used if name in self.columns}
        names = self._rows.names
        for line, fields in self._rows.rows(checked):
            if fields[-1].strip() == names[-1] and _without_mark(fields) == names:
                self._on_error(FileError(self._path.name, line, "repeats the header."))
            else:
                yield line, fields

    @property
    def names(self) -> list[str]:
        """Return the names in the header as they are in the file."""
        return self._rows.names

    @property
    def separator(self) -> str:
        """Return the separator of a text file, or ""."""
        return self._rows.separator

    def _columns(self) -> dict[str, int]:
        names = self._rows.names
        present = set(names)
        usual = [self._usual(name, present) for name in names]
        for column in self._required:
            if column not in usual:
                header = ", ".join(names)[:200].replace("\0", "")
                message = (
                    f"the column is missing; the header has: {header}. Name its column with "
                    f"`columns`, as in {column}={_example(names)}."
                )
                raise FileError(self._path.name, self._rows.header_line, message, field=column)
        repeated = [name for name, number in Counter(usual).items() if name and number > 1]
        if repeated and (self._used is None or self._used & set(repeated)):
            message = "names a column twice; every column needs its own name."
            raise FileError(self._path.name, self._rows.header_line, message)
        return {name: at for at, name in enumerate(usual) if name}

    def _usual(self, name: str, names: Set[str]) -> str:
        usual = self._aliases.get(name, name)
        return name if usual in names else usual


def _without_mark(fields: Sequence[str]) -> list[str]:
    """Return the names of a header. Files that were joined may have a mark before each header."""
    return [field.strip().removeprefix("\ufeff") for field in fields]


def _example(names: Sequence[str]) -> str:
    name = next(filter(None, names), "NAME")
    return f'"{name}"' if " " in name else name
