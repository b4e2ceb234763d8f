"""Image files of a corpus, in a folder or a ZIP archive."""

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Protocol

from annotation.domain.corpus.decode_image import MAX_BYTES
from schemes.archives import check_directory
from schemes.contract.errors import FileError
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
        check_directory(archive, path)
        yield _Archive(archive)


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # The names in a folder by their Unicode normal form
        self._names: dict[Path, dict[str, list[str]]] = {}

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
        return self._folder / path if str(path).isascii() else self._spelled(path)

    def _spelled(self, path: PurePosixPath) -> Path:
        """Return the path whose parts may be in other Unicode normal forms. Raise FileError."""
        found = self._folder
        for part in path.parts:
            names = self._names_in(found).get(part, [part])
            if len(names) > 1:
                message = f"is in the folder {len(names)} times, spelled in other Unicode forms."
                raise FileError(str(path), None, f"{message} Leave one of them in it.")
            found /= names[0]
        return found

    def _names_in(self, folder: Path) -> dict[str, list[str]]:
        if folder not in self._names:
            try:
                names = [entry.name for entry in os.scandir(folder)]
            except OSError:
                names = []
            spelled = self._names.setdefault(folder, {})
            for name in names:
                spelled.setdefault(file_name(name), []).append(name)
        return self._names[folder]


class _Archive:
    """The files of an archive by their paths.

    The folder that all files are in may be left out, and all folders if the name is unique.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        members = [
            (PurePosixPath(file_name(member.filename)), member)
            for member in archive.infolist()
            if not member.is_dir() and not _is_hidden(member.filename)
        ]
        self._members: dict[str, list[zipfile.ZipInfo]] = {}
        tops = {path.parts[0] if len(path.parts) > 1 else "" for path, _ in members}
        for path, member in members:
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
        wanted = _path_of(name)
        found = self._members.get(wanted, [])
        if not found:
            raise _missing(name)
        whole = [member for member in found if _path_of(member.filename) == wanted]
        candidates = whole or found
        if len(candidates) > 1:
            paths = ", ".join(member.filename for member in candidates[:3])
            is_repeated = len({_path_of(member.filename) for member in candidates}) == 1
            advice = "Leave one of them in it." if is_repeated else "Name its folder."
            message = f"is in the archive {len(candidates)} times ({paths}). {advice}"
            raise FileError(name, None, message)
        return candidates[0]


def _path_of(name: str) -> str:
    """Return the path of a file in the spelling in which paths are compared."""
    return str(PurePosixPath(file_name(name)))


def _is_hidden(name: str) -> bool:
    """Return True for files that macOS adds to archives."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name.startswith("._")


def _missing(name: str) -> FileError:
    return FileError(name or "the image", None, "is not among the images.")
