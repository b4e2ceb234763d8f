"""Tables in JSON Lines, into which workbooks and JSON files are converted before they are read.

The first line has the names of the columns. The others are rows, as `[line, fields]`,
`[line, fields, {"<position of a field>": kind}]` for fields that may not be meant as text, or
`[line, field, message]` for bad rows. `line` is that of the row in the original file. A kind is "time" or
"date" for a field that a spreadsheet changed, or names the kind of a JSON value, such as "an object".
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

TIME, DATE = "time", "date"
LONG_NUMBER = "number of more than 15 digits"
# A list of texts in JSON, which are tokens
WORDS = "a list of texts"
MAGIC = b'{"row-file":1,'
Row = tuple[int, list[str]] | tuple[int, list[str], Mapping[str, str]] | tuple[int, str, str]


def is_row_file(path: Path) -> bool:
    """Return True for a file that `write_row_file` wrote."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def header_of_names(names: Sequence[str]) -> bytes:
    """Return the first line of a row file with these columns."""
    return MAGIC + orjson.dumps({"columns": list(names)})[1:] + b"\n"


def names_of_header(line: bytes) -> list[str]:
    """Return the columns in the first line of a row file."""
    names: list[str] = orjson.loads(line)["columns"]
    return names


def write_row_file(path: Path, names: Sequence[str], rows: Iterable[Row]) -> None:
    with path.open("wb") as file:
        file.write(header_of_names(names))
        for row in rows:
            file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


def read_row(line: bytes) -> list[Any]:
    """Return a row of a row file as a list, see above."""
    row: list[Any] = orjson.loads(line)
    return row
