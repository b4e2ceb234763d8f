"""Snapshots of an SQLite database, a few minutes apart, so that little is lost with it."""

import gzip
import hashlib
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from django.apps import apps

from operations.domain.backup_store import (
    SNAPSHOTS,
    delete_stored,
    encrypt_and_store,
    scratch_folder,
    stamp,
    stored_names,
    time_of,
)

NEWEST_KEPT = 6
HOURS_KEPT = 6
# SQLite counts writes in these bytes of the first page.
COUNTERS = ((24, 28), (92, 100))
HEADER_BYTES = 100


def take_snapshot(*, database: str, now: datetime, last_digest: str) -> str:
    """Store a snapshot of the database at a path unless nothing has changed, and delete old ones.

    Return the digest of the database.
    """
    with scratch_folder() as folder:
        copy = Path(folder) / "copy"
        _copy_database(database, copy)
        digest = _digest(copy)
        if digest != last_digest:
            packed = Path(folder) / "packed"
            with copy.open("rb") as source, gzip.open(packed, "wb", compresslevel=1) as target:
                shutil.copyfileobj(source, target, 2**20)
            encrypt_and_store(packed, f"{SNAPSHOTS}/touchstone-{stamp(now)}.sqlite3.gz")
            for name in superfluous(stored_names(SNAPSHOTS), now=now):
                delete_stored(name)
    return digest


def _copy_database(database: str, path: Path) -> None:
    """Copy the database while the site writes to it, without monitoring, which always changes.

    Nothing is synced to disk, so that the copy of an unchanged database causes no writes.
    """
    with (
        closing(sqlite3.connect(database, timeout=30)) as site,
        closing(sqlite3.connect(path, isolation_level=None)) as copy,
    ):
        site.backup(copy)
        for pragma in ("journal_mode = DELETE", "synchronous = OFF", "secure_delete = ON"):
            copy.execute(f"PRAGMA {pragma}")
        for model in apps.get_app_config("operations").get_models():
            copy.execute(f'DELETE FROM "{model._meta.db_table}"')  # noqa: S608 - our own name
            copy.execute("DELETE FROM sqlite_sequence WHERE name = ?", [model._meta.db_table])


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        header = bytearray(file.read(HEADER_BYTES))
        for start, end in COUNTERS:
            header[start:end] = bytes(end - start)
        digest.update(header)
        while chunk := file.read(2**20):
            digest.update(chunk)
    return digest.hexdigest()


def superfluous(names: list[str], *, now: datetime) -> list[str]:
    """Return the snapshots that are neither among the newest nor the newest of one of the last hours."""
    kept = set(names[-NEWEST_KEPT:])
    newest_of_hour = {time_of(name).replace(minute=0, second=0): name for name in names}
    limit = now - timedelta(hours=HOURS_KEPT)
    kept |= {name for hour, name in newest_of_hour.items() if hour >= limit}
    return [name for name in names if name not in kept]
