"""A program that converts a sheet of an Excel workbook into a row file, in a process of its own.

A workbook of a few kilobytes can unpack to more than the machine's memory. The process has limits of
memory and time, so that such a file ends only this process.

    python -m schemes.workbook WORKBOOK SHEET TARGET

It prints a JSON object with the names of the sheets, or with a problem.
"""

import resource
import sys
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import orjson
from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetVisibleEnum

from schemes.row_files import DATE, LONG_NUMBER, TIME, Row, write_row_file
from schemes.table_rows import MAX_COLUMNS, MAX_NAME

MAX_MEMORY = 1 << 30
MAX_SECONDS = 60
MAX_CELL = 1 << 20
# Workbooks store numbers with 15 digits.
_MAX_DIGITS = 1e15


class WorkbookError(ValueError):
    """A workbook without a readable table."""


def main(workbook: str, sheet: str, target: str) -> None:
    """Convert a sheet, and print the result as JSON. An empty `sheet` is the first visible one."""
    if sys.platform == "linux":  # macOS refuses it
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    try:
        result = convert(Path(workbook), sheet, Path(target))
    except (WorkbookError, CalamineError, OSError) as error:
        result = {"problem": str(error)[:300]}
    sys.stdout.buffer.write(orjson.dumps(result))


def convert(workbook: Path, sheet: str, target: Path) -> dict[str, Any]:
    """Write the rows of a sheet below its first row, which is the header. Raise WorkbookError."""
    book = CalamineWorkbook.from_path(workbook)
    metadata = book.sheets_metadata
    visible = [entry.name for entry in metadata if entry.visible == SheetVisibleEnum.Visible]
    names = [entry.name for entry in metadata]
    if sheet and sheet not in names:
        raise WorkbookError(f"has no sheet “{sheet[:60]}”. Its sheets: {', '.join(names)[:200]}.")
    if not sheet and not visible:
        raise WorkbookError("has no visible sheet.")
    chosen = sheet or visible[0]
    header, rows = _table(book.get_sheet_by_name(chosen))
    write_row_file(target, header, rows)
    return {"sheet": chosen, "sheets": visible, "hidden": len(names) - len(visible)}


def _table(sheet: CalamineSheet) -> tuple[list[str], Iterator[Row]]:
    # Rows above the first cell are not part of the sheet's data.
    first = (sheet.start or (0, 0))[0] + 1
    rows = (
        (line, row) for line, row in enumerate(sheet.iter_rows(), first) if any(map(_filled, row))
    )
    line, cells = next(rows, (0, []))
    if not line:
        raise WorkbookError("has no cells in this sheet.")
    header = [_text(cell)[0].strip() for cell in cells]
    while header and not header[-1]:
        header.pop()
    if len(header) > MAX_COLUMNS:
        raise WorkbookError(f"has more than {MAX_COLUMNS:,} columns.")
    if max(map(len, header), default=0) > MAX_NAME:
        raise WorkbookError(f"has a column name of more than {MAX_NAME} characters.")
    merged = _merged_cells(sheet)
    return header, (_row(line, cells, header, merged) for line, cells in rows)


def _filled(cell: object) -> bool:
    return cell != ""


def _merged_cells(sheet: CalamineSheet) -> dict[int, str]:
    """Return the message for the rows of merged cells below the header, by line."""
    merged: dict[int, str] = {}
    for (top, _), (bottom, _) in sheet.merged_cell_ranges or ():
        for row in range(max(top, 1), min(bottom, top + 10_000) + 1):
            merged[row + 1] = "has merged cells. Split them, so that every row has its own values."
    return merged


def _row(line: int, cells: list[Any], header: list[str], merged: dict[int, str]) -> Row:
    if line in merged:
        return line, "", merged[line]
    fields: list[str] = []
    changed: dict[str, str] = {}
    for at, cell in enumerate(cells):
        if at >= len(header):
            if _filled(cell):
                return line, "", f"has a value in column {at + 1}, which has no name in the header."
            continue
        text, kind = _text(cell)
        if len(text) > MAX_CELL:
            return line, header[at], f"has more than {MAX_CELL:,} characters."
        fields.append(text)
        if kind:
            changed[str(at)] = kind
    fields += [""] * (len(header) - len(fields))
    return (line, fields, changed) if changed else (line, fields)


def _text(cell: object) -> tuple[str, str]:
    """Return the cell as it is shown, and what it is if a spreadsheet may have changed it."""
    match cell:
        case str():
            return cell, ""
        case bool():
            return str(cell).upper(), ""
        case float() if cell.is_integer():
            is_exact = abs(cell) < _MAX_DIGITS
            return str(int(cell)), "" if is_exact else LONG_NUMBER
        case datetime() | date():
            return str(cell), DATE
        case time() | timedelta():
            return str(cell), TIME
    return str(cell), ""


if __name__ == "__main__":
    main(*sys.argv[1:])
