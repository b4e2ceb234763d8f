"""Read the ZIP file of a release, which may come from anywhere."""

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from annotation.domain.corpus.storable import load_storable
from datasets.domain.exports.export_gold import MANIFEST
from schemes.archives import DAMAGED, check_directory, check_members
from schemes.contract.errors import FileError

# A line of items.jsonl, which has a text with its annotation.
MAX_LINE = 16 << 20
MAX_JSON = 256 << 20
_CHUNK = 1 << 20


class ReleaseArchive:
    """The files of a release in a ZIP file, checked against its manifest when they are read.

    All methods raise FileError for damaged, changed or missing files.
    """

    def __init__(self, archive: zipfile.ZipFile, file: str) -> None:
        self._archive = archive
        self._file = file
        manifests = [
            path
            for path in map(PurePosixPath, archive.namelist())
            if path.name == MANIFEST and len(path.parts) <= 2
        ]
        if len(manifests) != 1:
            raise FileError(file, None, f"is no release, because it has no {MANIFEST}.")
        self._folder = manifests[0].parent
        self.manifest: dict[str, Any] = _object(
            self._file, MANIFEST, self._whole(MANIFEST, MAX_JSON)
        )

    def json(self, name: str) -> dict[str, Any]:
        """Return a JSON object."""
        return _object(self._file, name, self.read(name, MAX_JSON))

    def lines(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the numbers and objects of a file of JSON Lines.

        The checksum is compared at the end, so what was read is only to be used in a transaction.
        """
        digest = hashlib.sha256()
        with self._open(name) as file:
            number = 0
            while line := self._checked(lambda: file.readline(MAX_LINE + 1)):
                number += 1
                if len(line) > MAX_LINE:
                    raise FileError(name, number, f"is longer than {MAX_LINE >> 20} MiB.")
                digest.update(line)
                yield number, _object(name, "", line, number)
        self._check(name, digest.hexdigest())

    def read(self, name: str, max_bytes: int) -> bytes:
        """Return the content of a file that has at most `max_bytes`."""
        content = self._whole(name, max_bytes)
        self._check(name, hashlib.sha256(content).hexdigest())
        return content

    def has(self, name: str) -> bool:
        return name in self.files

    @property
    def files(self) -> dict[str, Any]:
        """Return the files of the manifest by name."""
        files = self.manifest.get("files")
        if not isinstance(files, dict):
            raise FileError(self._file, None, f"is no release. {MANIFEST} names no files.")
        return files

    def _whole(self, name: str, max_bytes: int) -> bytes:
        with self._open(name) as file:
            content = self._checked(lambda: file.read(max_bytes + 1))
        if len(content) > max_bytes:
            raise FileError(self._file, None, f"{name} is larger than {max_bytes >> 20} MiB.")
        return content

    def _open(self, name: str) -> IO[bytes]:
        try:
            return self._archive.open((self._folder / name).as_posix())
        except KeyError:
            raise FileError(self._file, None, f"lacks {name}.") from None
        except (*DAMAGED, ValueError) as error:
            raise self._damaged(error) from error

    def _checked(self, read: Any) -> bytes:
        try:
            content: bytes = read()
        except (*DAMAGED, ValueError) as error:
            raise self._damaged(error) from error
        return content

    def _damaged(self, error: Exception) -> FileError:
        return FileError(self._file, None, f"is damaged or encrypted ({error}).")

    def _check(self, name: str, digest: str) -> None:
        facts = self.files.get(name)
        if not isinstance(facts, dict) or facts.get("sha256") != digest:
            message = f"{name} is not the file that {MANIFEST} describes."
            raise FileError(self._file, None, message)


@contextmanager
def open_release(path: Path) -> Iterator[ReleaseArchive]:
    """Yield the files of a release. Raise FileError."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise FileError(str(path), None, "does not exist.") from None
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise FileError(path.name, None, "is no ZIP file.") from None
    with archive:
        check_directory(archive, path)
        check_members(archive, path)
        yield ReleaseArchive(archive, path.name)


def _object(file: str, name: str, content: bytes, line: int | None = None) -> dict[str, Any]:
    try:
        value = load_storable(content.decode())
    except (ValueError, RecursionError) as error:
        raise FileError(file, line, f"{f'{name} ' * bool(name)}is no JSON ({error}).") from error
    if not isinstance(value, dict):
        raise FileError(file, line, f"{f'{name} ' * bool(name)}is no JSON object.")
    return value
