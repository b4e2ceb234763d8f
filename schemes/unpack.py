"""Unpack files that are compressed with gzip, or alone in a ZIP archive."""

import gzip
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, cast

from schemes.archives import DAMAGED
from schemes.contract.errors import FileError
from schemes.file_kinds import GZIP, ZIP, data_files, head_of, is_workbook, kind_problem

# JSON and CSV rarely shrink to less than a twentieth.
MAX_RATIO = 100
# The size to which any file may unpack.
MIN_UNPACKED_BYTES = 64 << 20
# A workbook in an archive that is compressed again has three levels.
MAX_LEVELS = 3
_CHUNK = 1 << 20
_ENCRYPTED = 1


def unpack(path: Path, folder: Path) -> Path:
    """Return the path, or that of an unpacked copy in the folder under its own name.

    Workbooks and archives of several files are not unpacked. Raise FileError for a damaged or
    encrypted file, and for a file that unpacks to far more than its size.
    """
    for level in range(MAX_LEVELS):
        head = head_of(path)
        target = folder / f"unpacked-{level}"
        if head.startswith(GZIP):
            path = _copy(path, target, path.name.removesuffix(".gz") or path.name, _gzip)
        elif entry := _only_file(path) if head.startswith(ZIP) else None:
            path = _copy(path, target, PurePosixPath(entry.filename).name, partial(_member, entry))
        else:
            break
    return path


def _only_file(path: Path) -> zipfile.ZipInfo | None:
    if is_workbook(path):
        return None
    entries = data_files(path)
    if len(entries) != 1:
        return None
    if entries[0].flag_bits & _ENCRYPTED:
        raise FileError(path.name, None, "is encrypted. Unpack it, and choose the file.")
    return entries[0]


def _gzip(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb"))


def _member(entry: zipfile.ZipInfo, path: Path) -> IO[bytes]:
    return zipfile.ZipFile(path).open(entry)


def _copy(path: Path, folder: Path, name: str, opened: Callable[[Path], IO[bytes]]) -> Path:
    """Copy the content of a compressed file. Raise FileError."""
    folder.mkdir(parents=True)
    target = folder / name
    most = max(MIN_UNPACKED_BYTES, MAX_RATIO * path.stat().st_size)
    with target.open("wb") as out:
        for chunk in _chunks(path, opened):
            if out.tell() + len(chunk) > most:
                message = f"unpacks to more than {most >> 20:,} MiB. Unpack it yourself."
                raise FileError(path.name, None, message)
            out.write(chunk)
    return target


def _chunks(path: Path, opened: Callable[[Path], IO[bytes]]) -> Iterator[bytes]:
    try:
        with opened(path) as source:
            while chunk := source.read(_CHUNK):
                yield chunk
    except (*DAMAGED, ValueError) as bad:
        message = f"ends in the middle or is damaged ({bad}); fetch the file again."
        raise FileError(path.name, None, message) from bad


def check_text(path: Path) -> None:
    """Raise FileError for a file that is no text, and name what it is."""
    if problem := kind_problem(path):
        raise FileError(path.name, None, problem)
