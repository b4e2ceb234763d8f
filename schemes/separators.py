"""The separators of tables in text files."""

import csv
import re
from collections import Counter

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# A character that no text contains.
NONE = "\x1f"
# The line with which Excel states the separator of a CSV file.
_STATED = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
# Rows of the file's beginning that are compared.
_ROWS = 20


def stated_separator(text: str) -> str:
    """Return the separator that the first line states, or ""."""
    match = _STATED.match(text)
    return match[1] if match else ""


def find_separator(text: str) -> str:
    """Return the separator with which the rows of the text have the same number of fields.

    `text` is the beginning of a file. If several separators are possible, that with most columns is
    returned. A table of one column has the separator NONE, so that its texts may contain commas.
    """
    header, _, body = text.partition("\n")
    candidates = [separator for separator in SEPARATORS if separator in header]
    if not candidates:
        return _separator_of_rows(body)
    if len(candidates) == 1:
        return candidates[0]
    return max(candidates, key=lambda separator: _fit(text, separator))


def _separator_of_rows(body: str) -> str:
    """Return the separator of rows under a header of one column, or NONE.

    Separators of fields, unlike the punctuation of sentences, usually have no blank after them.
    """
    lines = [line for line in body.splitlines() if line.strip()][:_ROWS]
    for separator in SEPARATORS:
        rows = [line for line in lines if re.search(rf"{re.escape(separator)}(?! |$)", line)]
        if len(rows) > len(lines) / 2:
            return separator
    return NONE


def _fit(text: str, separator: str) -> tuple[float, int]:
    """Return the share of rows with as many fields as the header, and their number."""
    lines = text.splitlines(keepends=True)
    rows: list[int] = []
    try:
        for row in csv.reader(lines, delimiter=separator):
            if len(rows) > _ROWS:
                break
            rows.append(len(row))
    except csv.Error:
        pass
    if not rows or rows[0] < 2:
        return 0.0, 0
    # The last row may be cut off.
    body = rows[1:-1] or rows[1:]
    return (Counter(body)[rows[0]] / len(body) if body else 1.0), rows[0]
