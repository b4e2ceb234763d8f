"""Store uploaded files for a job, and open them again under their original names."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import IO, Any, cast

from django.core.files.base import File
from django.core.files.storage import Storage, storages
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import get_valid_filename

from annotation.domain.corpus.source_files import with_names
from annotation.domain.corpus.text_encodings import marked_encoding
from jobs.domain.stored_files import delete_files, local_paths
from jobs.models import Job
from schemes.contract.errors import FileError

ERRORS_STORED = 100
BAD_ROWS = "bad-rows.csv"
# A stored file: its original name, its path in the storage, its bytes, and UTF-8 or the encoding that its
# byte-order mark names
StoredFile = dict[str, Any]


def store_uploads(files: "Sequence[UploadedFile[bytes]]") -> list[StoredFile]:
    """Store files, all or none."""
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
    encoding = marked_encoding(cast(Any, file))
    path = _storage().save(f"{uuid.uuid4().hex}/{get_valid_filename(name)}", file)
    return {"name": name, "path": path, "bytes": file.size, "encoding": encoding}


def delete_uploads(stored: Iterable[StoredFile]) -> None:
    delete_files(_storage(), [file["path"] for file in stored])


@contextmanager
def open_uploads(stored: Sequence[StoredFile]) -> Iterator[tuple[list[Path], dict[str, str]]]:
    """Yield the paths of the files, and their original names by path and by file name."""
    with local_paths(_storage(), [file["path"] for file in stored]) as paths:
        names = {
            key: file["name"]
            for path, file in zip(paths, stored, strict=True)
            for key in (str(path), path.name)
        }
        yield paths, names


def store_bad_rows(content: IO[bytes]) -> str:
    """Store the file with the bad rows of an import, and return its path."""
    return _storage().save(f"{uuid.uuid4().hex}/{BAD_ROWS}", File(content))


def open_bad_rows(job: Job) -> "File[bytes] | None":
    """Open the file with the bad rows of an import. Return None if it has none."""
    path = job.result.get("bad_rows")
    try:
        return _storage().open(path) if path else None
    except FileNotFoundError:
        return None


def describe_error(error: Exception, names: Mapping[str, str]) -> str:
    """Return the error's message with the original file names."""
    if isinstance(error, FileError):
        return str(with_names(error, names))
    message = str(error)
    for path, name in names.items():
        message = message.replace(path, name)
    return message


def stored_errors(errors: Sequence[FileError], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the first errors as the result of a job stores them."""
    return [
        {
            "file": with_names(error, names).file,
            "line": error.line,
            "field": error.field,
            "message": error.message,
        }
        for error in errors[:ERRORS_STORED]
    ]


def _storage() -> Storage:
    return storages["uploads"]
