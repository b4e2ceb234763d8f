"""Image files of a corpus, in a folder or a ZIP archive."""

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Protocol

from annotation.domain.decode_image import MAX_BYTES
from schemes.base import FileError
from schemes.stated import file_name


class ImageFiles(Protocol):
    """Files by name. `read` raises FileError for a missing or unreadable file."""

    def read(self, name: str) -> bytes: ...

    def has(self, name: str) -> bool: ...


@contextmanager
def open_image_files(path: Path) -> Iterator[ImageFiles]:
    """Yield the files of a folder, or of an archive. Raise FileError for any other file."""
    if path.is_dir():
        yield _Folder(path)
        return
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise FileError(str(path), None, "does not exist.") from None
    except (zipfile.BadZipFile, OSError):
        raise FileError(path.name, None, "is neither a folder nor a ZIP archive.") from None
    with archive:
        yield _Archive(archive)


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> bytes:
        path = self._path(name)
        try:
            with path.open("rb") as file:
                return file.read(MAX_BYTES + 1)
        except OSError:
            raise _missing(name) from None

    def has(self, name: str) -> bool:
        try:
            return self._path(name).is_file()
        except FileError:
            return False

    def _path(self, name: str) -> Path:
        """Return the path of a file, which may be a link of the folder. Raise FileError."""
        path = PurePosixPath(file_name(name))
        if not path.name or "\0" in name:
            raise _missing(name)
        if path.is_absolute() or ".." in path.parts:
            raise FileError(name, None, "is outside the folder of images.")
        whole = self._folder / path
        return whole if whole.exists() else self._other_spelling(path)

    def _other_spelling(self, path: PurePosixPath) -> Path:
        """Return the path of which parts are in another Unicode normal form, if there is one."""
        found = self._folder
        for part in path.parts:
            try:
                names = [entry.name for entry in os.scandir(found)]
            except OSError:
                break
            found /= next((name for name in names if file_name(name) == part), part)
        return found


class _Archive:
    """The files of an archive by their paths.

    The folder that all files are in may be left out, and all folders if the name is unique.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        members = {
            PurePosixPath(file_name(member.filename)): member
            for member in archive.infolist()
            if not member.is_dir() and not _is_hidden(member.filename)
        }
        self._members: dict[str, list[zipfile.ZipInfo]] = {}
        tops = {path.parts[0] if len(path.parts) > 1 else "" for path in members}
        for path, member in members.items():
            names = {str(path), path.name}
            if len(tops) == 1 and "" not in tops:
                names.add(str(PurePosixPath(*path.parts[1:])))
            for name in names:
                self._members.setdefault(name, []).append(member)

    def read(self, name: str) -> bytes:
        member = self._member(name)
        try:
            # A member may be larger than its header says.
            with self._archive.open(member) as file:
                return file.read(MAX_BYTES + 1)
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError):
            raise FileError(name, None, "can't be read from the archive.") from None

    def has(self, name: str) -> bool:
        try:
            self._member(name)
        except FileError:
            return False
        return True

    def _member(self, name: str) -> zipfile.ZipInfo:
        """Return the only file with this path or name. Raise FileError."""
        wanted = file_name(name)
        found = self._members.get(wanted, [])
        whole = [member for member in found if file_name(member.filename) == wanted]
        if len(whole) == 1:
            return whole[0]
        if not found:
            raise _missing(name)
        if len(found) > 1:
            paths = ", ".join(member.filename for member in found[:3])
            message = f"is in the archive {len(found)} times ({paths}). Name its folder."
            raise FileError(name, None, message)
        return found[0]


def _is_hidden(name: str) -> bool:
    """Return True for files that macOS adds to archives."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name.startswith("._")


def _missing(name: str) -> FileError:
    return FileError(name or "the image", None, "is not among the images.")
