"""Image files of a corpus, in a folder or a ZIP archive."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Protocol

from annotation.domain.decode_image import MAX_BYTES
from schemes.base import FileError


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
        path = PurePosixPath(name)
        if not path.name or "\0" in name:
            raise _missing(name)
        if path.is_absolute() or ".." in path.parts:
            raise FileError(name, None, "is outside the folder of images.")
        return self._folder / path


class _Archive:
    """The files of an archive by their names, whatever folder of it they are in.

    Names with folders count as well.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in archive.infolist():
            if not member.is_dir():
                self._members.setdefault(PurePosixPath(member.filename).name, member)
                self._members[member.filename] = member

    def read(self, name: str) -> bytes:
        member = self._member(name)
        if member is None:
            raise _missing(name)
        try:
            # A member may be larger than its header says.
            with self._archive.open(member) as file:
                return file.read(MAX_BYTES + 1)
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError):
            raise FileError(name, None, "can't be read from the archive.") from None

    def has(self, name: str) -> bool:
        return self._member(name) is not None

    def _member(self, name: str) -> zipfile.ZipInfo | None:
        return self._members.get(name) or self._members.get(PurePosixPath(name).name)


def _missing(name: str) -> FileError:
    return FileError(name or "the image", None, "is not among the images.")
