"""Store uploaded files for a job, and open them again as UTF-8 text under their original names."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, cast

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import get_valid_filename

from annotation.domain.text_encodings import UTF_8, detect_encoding, is_packed, write_as_utf_8
from jobs.domain.stored_files import delete_files, local_paths
from schemes.base import FileError

ERRORS_STORED = 100
# A stored file: its original name, its path in the storage, its bytes and its text encoding
StoredFile = dict[str, Any]


def store_uploads(files: "Sequence[UploadedFile[bytes]]") -> list[StoredFile]:
    """Store files, all or none. Their encodings are detected."""
    stored: list[StoredFile] = []
    try:
        for file in files:
            stored.append(_store(file))
    except BaseException:
        delete_uploads(stored)
        raise
    return stored


def _store(file: "UploadedFile[bytes]") -> StoredFile:
    # In a folder of its own under its own name, from which readers derive the format and ids.
    name = PurePath(file.name or "upload").name[-100:]
    encoding = detect_encoding(cast(Any, file))
    path = _storage().save(f"{uuid.uuid4().hex}/{get_valid_filename(name)}", file)
    return {"name": name, "path": path, "bytes": file.size, "encoding": encoding}


def delete_uploads(stored: Iterable[StoredFile]) -> None:
    delete_files(_storage(), [file["path"] for file in stored])


@contextmanager
def open_uploads(stored: Sequence[StoredFile]) -> Iterator[tuple[list[Path], dict[str, str]]]:
    """Yield the paths of the files, and their original names by path and by file name."""
    with ExitStack() as stack:
        local = stack.enter_context(local_paths(_storage(), [file["path"] for file in stored]))
        prefix = TemporaryDirectory(prefix="utf-8-", dir=settings.VAR_DIR)
        folder = Path(stack.enter_context(prefix))
        paths = [
            _as_utf_8(path, file.get("encoding", UTF_8), folder / str(number))
            for number, (path, file) in enumerate(zip(local, stored, strict=True))
        ]
        names = {
            key: file["name"]
            for path, file in zip(paths, stored, strict=True)
            for key in (str(path), path.name)
        }
        yield paths, names


def _as_utf_8(path: Path, encoding: str, folder: Path) -> Path:
    """Return the path, or that of a copy with the same name if the file is not UTF-8."""
    if encoding == UTF_8 or is_packed(path):
        return path
    folder.mkdir()
    copy = folder / path.name
    write_as_utf_8(path, copy, encoding)
    return copy


def describe_error(error: Exception, names: Mapping[str, str]) -> str:
    """Return the error's message with the original file names."""
    if isinstance(error, FileError):
        file = _original(error.file, names)
        return str(FileError(file, error.line, error.message, field=error.field))
    message = str(error)
    for path, name in names.items():
        message = message.replace(path, name)
    return message


def _original(file: str, names: Mapping[str, str]) -> str:
    """Return the original names of a file, or of several that are separated by commas."""
    return ", ".join(names.get(name, name) for name in file.split(", "))


def stored_errors(errors: Sequence[FileError], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the first errors as the result of a job stores them."""
    return [
        {
            "file": _original(error.file, names),
            "line": error.line,
            "field": error.field,
            "message": error.message,
        }
        for error in errors[:ERRORS_STORED]
    ]


def _storage() -> Storage:
    return storages["uploads"]
