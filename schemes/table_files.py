"""Convert files of tables into CSV or row files, which `schemes.tables` reads."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemes.contract.errors import FileError
from schemes.file_kinds import head_of, is_workbook
from schemes.json_tables import json_table, looks_like_json
from schemes.row_files import is_row_file, write_row_file
from schemes.unpack import check_text, unpack

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file that `Table` reads without conversion. `sheets` are those of its workbook."""

    path: Path
    sheet: str = ""
    sheets: tuple[str, ...] = ()


def table_file(path: Path, folder: Path, *, sheet: str = "") -> TableFile:
    """Return a table as CSV or as a row file, which is written to the folder if necessary.

    `sheet` names the sheet of a workbook, by default the first visible one. Raise FileError for a file
    that contains no table.
    """
    if is_row_file(path):
        return TableFile(path)
    path = unpack(path, folder)
    if is_workbook(path):
        return _of_workbook(path, _target(path, folder), sheet)
    check_text(path)
    if looks_like_json(head_of(path)):
        names, rows = json_table(path)
        target = _target(path, folder)
        write_row_file(target, names, rows())
        return TableFile(target)
    return TableFile(path)


def is_plain(path: Path) -> bool:
    """Return True for a file that needs no conversion."""
    head = head_of(path)
    return not (is_compressed(head) or looks_like_json(head)) or is_row_file(path)


def is_compressed(head: bytes) -> bool:
    return head.startswith((b"\x1f\x8b", b"PK\x03\x04"))


def _target(path: Path, folder: Path) -> Path:
    """Return a path with the same name, because errors name it."""
    target = folder / "rows" / path.name
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _of_workbook(path: Path, target: Path, sheet: str) -> TableFile:
    arguments = [str(path.resolve()), sheet, str(target.resolve())]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "schemes.workbook", *arguments],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    result = _result(done.stdout) if done.returncode == 0 else {}
    if not result:
        message = "is too large or damaged for a workbook. Save the sheet as CSV."
        raise FileError(path.name, None, message)
    if "problem" in result:
        raise FileError(path.name, None, f"can't be read as a workbook: {result['problem']}")
    return TableFile(target, str(result["sheet"]), tuple(result["sheets"]))


def _result(output: bytes) -> dict[str, Any]:
    try:
        result: dict[str, Any] = json.loads(output)
    except ValueError:
        return {}
    return result
