"""Where scheduled backups are stored: BACKUP_URL, encrypted if there is a BACKUP_KEY."""

import gzip
import shutil
import time
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, cast

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from audit.errors import TouchstoneError
from operations.domain.encrypted_file import (
    CHUNK_BYTES,
    DecryptingReader,
    EncryptingWriter,
    is_encrypted,
    read_key,
)

BACKUPS, SNAPSHOTS, ARCHIVES = "backups", "snapshots", "archives"
ENCRYPTED = ".enc"
SCRATCH, SCRATCH_SECONDS = "backup-", 86400
STAMP = "%Y%m%dT%H%M%SZ"


class NoSuchBackupError(TouchstoneError):
    """No stored backup has this name."""


class _FinishedFile(File):  # type: ignore[type-arg]
    """A file that a storage in a folder may move, so that it appears there as a whole."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def scratch_folder() -> TemporaryDirectory[str]:
    """Return a temporary folder on the disk of the site's data. /tmp may be in memory.

    Folders of processes that were killed are deleted after a day.
    """
    for folder in Path(settings.VAR_DIR).glob(f"{SCRATCH}*"):
        with suppress(FileNotFoundError):  # another process has just deleted its own
            if time.time() - folder.stat().st_mtime > SCRATCH_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
    return TemporaryDirectory(prefix=SCRATCH, dir=settings.VAR_DIR)


def store_file(path: Path, name: str) -> None:
    """Move a finished file to the store. It must be encrypted already if there is a key."""
    with path.open("rb") as file:
        _storage().save(name, _FinishedFile(file))


def encrypt_and_store(path: Path, name: str) -> str:
    """Store a copy of a file, encrypted if there is a key. Return its name."""
    key = settings.BACKUP_KEY
    with scratch_folder() as folder:
        copy = Path(folder) / "copy"
        with (
            path.open("rb") as source,
            copy.open("wb") as target,
            EncryptingWriter(target, key) if key else nullcontext(target) as out,
        ):
            shutil.copyfileobj(source, cast("IO[bytes]", out), CHUNK_BYTES)
        name = f"{name}{ENCRYPTED}" if key else name
        store_file(copy, name)
    return name


def stored_names(folder: str) -> list[str]:
    """Return the names under a folder of the store, sorted, which is by time for backups."""
    storage = _storage()
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:
        return []
    names = [f"{folder}/{file}" for file in files if file]
    for inner in folders:
        names += stored_names(f"{folder}/{inner}")
    return sorted(names)


def delete_stored(name: str) -> None:
    _storage().delete(name)


def fetch(name: str, out: Path, *, key_file: Path | None = None) -> None:
    """Write a stored file to `out`. Snapshots and archived files are decrypted, and snapshots unpacked.

    A backup stays encrypted, because `restore` reads it so. Raise NoSuchBackupError, OSError.
    """
    storage = _storage()
    if not storage.exists(name):
        raise NoSuchBackupError(f"No stored backup is named {name}.")
    key = read_key(key_file) if key_file else settings.BACKUP_KEY
    with storage.open(name) as stored:
        source: Any = stored
        if not name.startswith(f"{BACKUPS}/") and is_encrypted(cast("IO[bytes]", stored)):
            if key is None:
                raise NoSuchBackupError(f"{name} is encrypted. Set BACKUP_KEY, or give --key-file.")
            source = DecryptingReader(cast("IO[bytes]", stored), key)
        if name.startswith(f"{SNAPSHOTS}/"):
            source = gzip.GzipFile(fileobj=source)
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("xb") as target:
            out.chmod(0o600)
            shutil.copyfileobj(source, target, CHUNK_BYTES)


def stamp(now: datetime) -> str:
    """Return a moment as it stands in names, which sort by time."""
    return now.astimezone(UTC).strftime(STAMP)


def time_of(name: str) -> datetime:
    """Return the moment in a name that `stamp` began."""
    file = name.rpartition("/")[2]
    digits = file.removeprefix("touchstone-")[: len("20261121T120000Z")]
    return datetime.strptime(digits, STAMP).replace(tzinfo=UTC)


def _storage() -> Storage:
    return storages["backups"]
