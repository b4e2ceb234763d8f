"""Checks of ZIP archives whose directory lacks files or names them otherwise.

Python reads a damaged directory as far as it can. The other files would be missing without a message.
"""

import lzma
import zipfile
import zlib
from pathlib import Path

from schemes.contract.errors import FileError

# What reading a damaged member raises. An unknown compression is a RuntimeError.
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, OSError)
_END = b"PK\x05\x06"
_MAX_END = (1 << 16) + 22
# The number of files, if it is in another record
_ELSEWHERE = 0xFFFF
_ADVICE = "Copy or download it again."


def check_directory(archive: zipfile.ZipFile, path: Path) -> None:
    """Raise FileError if an archive doesn't list as many files as it says, each with a name."""
    entries = archive.infolist()
    stated, listed = _stated_number(path), len(entries)
    # Some programs write the last 16 bits of larger numbers.
    if stated not in (_ELSEWHERE, listed & _ELSEWHERE):
        message = f"is damaged: it lists {listed:,} files, but should have {stated:,}. {_ADVICE}"
        raise FileError(path.name, None, message)
    if not all(entry.filename for entry in entries):
        raise FileError(path.name, None, f"is damaged: a file has no name. {_ADVICE}")


def _stated_number(path: Path) -> int:
    """Return the number of files in the last record of an archive, as it is written there."""
    with path.open("rb") as file:
        file.seek(-min(_MAX_END, path.stat().st_size), 2)
        end = file.read()
    at = end.rfind(_END)
    return int.from_bytes(end[at + 10 : at + 12], "little") if at >= 0 else _ELSEWHERE


def check_members(archive: zipfile.ZipFile, path: Path) -> None:
    """Raise FileError if a member has another name in the directory than where it is stored.

    A changed letter may hide a member, because readers choose files by their names.
    """
    for entry in archive.infolist():
        try:
            archive.open(entry).close()
        except (zipfile.BadZipFile, OSError, EOFError, ValueError) as error:
            message = f"is damaged at {entry.filename[-200:]!r}. {_ADVICE}"
            raise FileError(path.name, None, message) from error
        except RuntimeError:
            continue  # encrypted, or in an unknown compression
