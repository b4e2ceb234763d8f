"""Give the columns of a table the names of its format."""

import csv
import io
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from schemes.contract.errors import FileError, refuse
from schemes.row_files import header_of_names, is_row_file
from schemes.table_rows import MAX_LINE_BYTES, open_rows
from schemes.text_lines import raw_lines

_UNUSED = "not used"


def rename_columns(path: Path, target: Path, columns: Mapping[str, str]) -> Path:
    """Return a copy of the table with these columns, or its path if nothing changes.

    `columns` maps new names to those in the file. The rows keep their lines. Raise FileError if the file
    lacks a column.
    """
    with open_rows(path, path.name, refuse) as rows:
        names, separator = rows.names, rows.separator
        line, end = rows.header_line, rows.header_end
    renamed = _renamed(names, columns, path.name, line)
    if renamed == names:
        return path
    target.parent.mkdir(parents=True)
    with path.open("rb") as source, target.open("wb") as out:
        if is_row_file(path):
            out.write(header_of_names(renamed))
        else:
            out.write(_header(renamed, separator, line, end))
        out.writelines(islice(raw_lines(source, MAX_LINE_BYTES), end, None))
    return target


def _renamed(names: Sequence[str], columns: Mapping[str, str], file: str, line: int) -> list[str]:
    own_names = {column: name for name, column in columns.items()}
    for column in own_names:
        if column not in names:
            header = ", ".join(names)[:200]
            raise FileError(file, line, f"has no column {column[:60]!r}; the header has: {header}")
        if names.count(column) > 1:
            raise FileError(file, line, f"has several columns {column[:60]!r}.")
    # A column that is not chosen must not have the name of one that is.
    return [
        own_names.get(name, f"{name} ({_UNUSED})" if name in columns else name) for name in names
    ]


def _header(names: Sequence[str], separator: str, line: int, end: int) -> bytes:
    """Return the header in as many lines as it had, from `line` to `end`."""
    text = io.StringIO()
    text.write(f"sep={separator}\n" if line > 1 else "")
    flat = [" ".join(name.split()) for name in names]
    csv.writer(text, delimiter=separator, lineterminator="\n").writerow(flat)
    text.write("\n" * (end - line))
    return text.getvalue().encode()
