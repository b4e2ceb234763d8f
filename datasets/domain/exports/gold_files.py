"""Files of gold in the formats of a scheme."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from datasets.domain.exports.export_jsonl import write_jsonl
from schemes.contract.records import ExportRow
from schemes.contract.scheme import Scheme

# The format that every scheme has, and its suffix.
JSONL = "jsonl"


def formats_of_scheme(scheme: Scheme) -> list[str]:
    """Return the export formats of the scheme's gold."""
    exports = scheme.exports
    own = [*exports.file_sets, *exports.folders, *exports.formats] if exports else []
    return [*own, JSONL]


def endings_of(scheme: Scheme, fmt: str) -> Sequence[str]:
    """Return the ends of the names of a format's gold files."""
    if scheme.exports and fmt in scheme.exports.file_sets:
        return scheme.exports.file_sets[fmt].endings
    suffix = scheme.exports.formats.get(fmt, JSONL) if scheme.exports else JSONL
    return [f"gold.{suffix}"]


def write_gold_files(
    scheme: Scheme, fmt: str, rows: Iterator[ExportRow], paths: Mapping[str, Path]
) -> Mapping[str, int]:
    """Write rows to the paths, and return the number of rows by ending."""
    if scheme.exports and fmt in scheme.exports.file_sets:
        return scheme.exports.file_sets[fmt].write(rows, paths)
    [(ending, path)] = paths.items()
    if fmt == JSONL or scheme.exports is None:
        return {ending: write_jsonl(rows=rows, path=path)}
    return {ending: scheme.exports.write(rows, path, fmt)}


def files_inside(folder: Path) -> dict[str, Path]:
    """Return the files of a group's folder by name. Names start with that of the folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder.parent).as_posix(): path for path in paths}


def described(path: Path, rows: int | None) -> dict[str, Any]:
    """Return the facts of a file as in the manifest."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"rows": rows, "bytes": path.stat().st_size, "sha256": digest}
