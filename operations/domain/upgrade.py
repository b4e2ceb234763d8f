"""Migrate a site on one machine, and go back to the former database if that fails."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from audit.errors import TouchstoneError

FOLDER = "before-upgrade"
# Older copies are deleted by the next upgrade.
KEPT_COPIES = 3


class UpgradeError(TouchstoneError):
    """The site cannot be upgraded. Its data are as before."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A finished upgrade. `copy` is the database before it, or None if nothing was to do."""

    migrations: int
    copy: Path | None = None


def upgrade(*, migrate: Callable[[], None], now: datetime) -> Upgrade:
    """Apply all migrations with `migrate`, and check the database.

    If that fails, put the former database back and raise UpgradeError. No process may use the database.
    """
    if not settings.USES_SQLITE:
        raise UpgradeError(
            "This site uses PostgreSQL. Back it up and run migrate, which applies each migration whole."
        )
    count = missing_migrations()
    if not count:
        return Upgrade(0)
    database = Path(connection.settings_dict["NAME"])
    connection.close()
    copy = _copy_of(database, now)
    try:
        migrate()
        _check(database)
    except Exception as error:
        connection.close()
        _copy(copy, database)
        raise UpgradeError(
            f"The upgrade failed, and the database is as before. Start the former version. {error}"
        ) from error
    return Upgrade(count, copy)


def missing_migrations() -> int:
    """Return the number of migrations that are not applied."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _copy_of(database: Path, now: datetime) -> Path:
    """Copy the database into a folder of copies, which keeps the newest ones."""
    folder = Path(settings.VAR_DIR) / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{now:%Y%m%dT%H%M%S}.sqlite3"
    path.touch(mode=0o600, exist_ok=False)
    try:
        _copy(database, path)
    except sqlite3.Error as error:
        path.unlink()
        raise UpgradeError(f"The database could not be copied. {error}") from error
    for old in sorted(folder.glob("*.sqlite3"))[:-KEPT_COPIES]:
        old.unlink()
    return path


def _copy(source: Path, target: Path) -> None:
    """Copy a database in one transaction. The target changes as a whole or not at all."""
    with closing(sqlite3.connect(source)) as reading, closing(sqlite3.connect(target)) as writing:
        reading.backup(writing)


def _check(database: Path) -> None:
    """Raise UpgradeError if the file is damaged or a migration is missing.

    Each migration has checked the references between its rows.
    """
    with closing(sqlite3.connect(database)) as opened:
        [(result,), *_] = opened.execute("PRAGMA integrity_check").fetchall()
    if result != "ok":
        raise UpgradeError(f"The file is damaged: {result}.")
    if count := missing_migrations():
        raise UpgradeError(f"{count} migrations are not applied.")
