"""The disks of the site's files and of its database, as far as this machine can see them."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection

GIB = 1 << 30
# A disk is nearly full if it has less free space than both.
MIN_FREE = GIB
FREE_SHARE = 0.05
# The share of DATABASE_DISK_GB above which the database is too large.
DATABASE_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk with the site's `files` or with its `database`."""

    name: str
    total: int
    free: int

    @property
    def is_low(self) -> bool:
        return self.free < min(MIN_FREE, FREE_SHARE * self.total)


def disks() -> Iterator[Disk]:
    """Yield the disks of this machine. The database's is missing if it is on another machine."""
    folders = {"files": Path(settings.VAR_DIR), "database": _database_folder()}
    for name, folder in folders.items():
        if folder and folder.is_dir():
            usage = shutil.disk_usage(folder)
            yield Disk(name, usage.total, usage.free)


def database_bytes() -> int:
    if connection.vendor == "sqlite":
        path = Path(connection.settings_dict["NAME"])
        return path.stat().st_size if path.exists() else 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def database_is_large() -> bool:
    """Return True if the database nearly fills DATABASE_DISK_GB."""
    allowed = settings.DATABASE_DISK_GB * GIB
    return bool(allowed) and database_bytes() > DATABASE_SHARE * allowed


def _database_folder() -> Path | None:
    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).parent
    with connection.cursor() as cursor:
        # Only some roles can see it.
        cursor.execute("SELECT setting FROM pg_settings WHERE name = 'data_directory'")
        row = cursor.fetchone()
    return Path(row[0]) if row and row[0] else None
