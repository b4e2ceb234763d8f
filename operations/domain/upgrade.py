"""Back up a stopped site, migrate it and check it, in one transaction."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection

from audit.domain.data_version import (
    has_tables,
    missing_migrations,
    problem_of_data,
    problem_of_newer_data,
    record_version,
)
from audit.errors import TouchstoneError
from database.limits import exceeded_limit
from operations.domain.locks import open_transactions
from operations.domain.scheduled_backups import store_unrecorded
from operations.domain.schema_transaction import (
    BusyError,
    migrate_all,
    missing_without_transaction,
    schema_transaction,
)
from operations.domain.table_figures import Figures, lost, own_tables, table_figures

FOLDER = "before-upgrade"
# Older copies are deleted by the next upgrade.
KEPT_COPIES = 3
UNFINISHED = ".part"
# The names with which the site's processes connect.
_SESSIONS = """
    SELECT DISTINCT application_name FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND application_name LIKE 'touchstone %%'
    ORDER BY 1
"""
MAX_ERROR = 1000
AS_BEFORE = "The database is as before."


class UpgradeError(TouchstoneError):
    """The site cannot be upgraded. Its data are as before."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A finished upgrade.

    `copy` is the database before it on SQLite, and `backup` the name of a stored backup on PostgreSQL.
    """

    migrations: int
    copy: Path | None = None
    backup: str | None = None


def upgrade(*, now: datetime, log: Callable[[str], None] = lambda text: None) -> Upgrade:
    """Back up the site, apply all missing migrations, and check the result.

    No other process can write meanwhile. If anything fails, nothing has changed, also if this process is
    killed. Raise UpgradeError or BusyError.
    """
    if not has_tables() or problem_of_newer_data():
        raise UpgradeError(problem_of_data())
    if not missing_migrations():
        record_version(now=now)
        return Upgrade(0)
    if names := missing_without_transaction():
        raise UpgradeError(f"{names[0]} can't be undone. Make a backup, and run migrate instead.")
    _check_sessions()
    try:
        with schema_transaction():
            _lock_tables()
            count = missing_migrations()
            if not count:  # another process has upgraded the site meanwhile
                return Upgrade(0)
            log("Backing up ...")
            done = _backed_up(count, now)
            before = table_figures()
            log(f"Applying {count} migrations ...")
            migrate_all(now=now)
            log("Checking ...")
            _check(before)
    except KeyboardInterrupt:
        raise UpgradeError(f"The upgrade was interrupted. {AS_BEFORE}") from None
    except BusyError:
        raise
    except Exception as error:
        if exceeded_limit(error) == "lock":
            # The sessions couldn't be listed in the failed transaction.
            sessions = " ".join(map(str, open_transactions(seconds=0)))
            text = f"A table is in use. {sessions} End the session, and run this again."
            raise UpgradeError(text) from error
        # Errors of the ORM can list thousands of rows.
        text = f"The upgrade failed. {AS_BEFORE} Start the former version. {str(error)[:MAX_ERROR]}"
        raise UpgradeError(text) from error
    return done


def _check_sessions() -> None:
    """Raise UpgradeError if processes of the site are connected to PostgreSQL.

    Those that have no connection now can't write during the upgrade, because its tables are locked.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(_SESSIONS)
        names = [name for (name,) in cursor.fetchall()]
    if names:
        raise UpgradeError(
            f"Processes of the site are connected to the database: {', '.join(names)}. Stop web, workers "
            "and beat, and run this again."
        )


def _lock_tables() -> None:
    """Keep all others from the tables. On SQLite, the transaction has done so."""
    if connection.vendor != "postgresql":
        return
    tables = ", ".join(map(connection.ops.quote_name, own_tables()))
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {round(settings.MIGRATION_LOCK_SECONDS * 1000)}")
        cursor.execute(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE")
        cursor.execute("SET LOCAL lock_timeout = 0")


def _backed_up(count: int, now: datetime) -> Upgrade:
    if connection.vendor == "postgresql":
        return Upgrade(count, backup=store_unrecorded(now=now, is_upgrade=True))
    return Upgrade(count, copy=_copy_of(Path(connection.settings_dict["NAME"]), now))


def _copy_of(database: Path, now: datetime) -> Path:
    """Copy the database into a folder of copies, which keeps the newest ones."""
    folder = Path(settings.VAR_DIR) / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    _delete_unfinished(folder)
    path = folder / f"{now:%Y%m%dT%H%M%S}.sqlite3"
    part = path.with_name(path.name + UNFINISHED)
    part.touch(mode=0o600)
    try:
        with (
            closing(sqlite3.connect(database)) as reading,
            closing(sqlite3.connect(part)) as writing,
        ):
            reading.backup(writing)
        part.rename(path)
    except BaseException:  # the disk may be full
        _delete_unfinished(folder)
        raise
    # The clock may have been set back, so the new copy need not be the last one.
    former = sorted(copy for copy in folder.glob("*.sqlite3") if copy != path)
    for old in former[: -KEPT_COPIES + 1]:
        old.unlink()
    return path


def _delete_unfinished(folder: Path) -> None:
    """Delete unfinished copies and their journals."""
    for path in folder.glob(f"*{UNFINISHED}*"):
        path.unlink()


def _check(before: Figures) -> None:
    """Raise UpgradeError if the database is damaged, or rows or money are missing."""
    if problems := list(_problems(before)):
        raise UpgradeError(" ".join(problems))


def _problems(before: Figures) -> Iterator[str]:
    connection.check_constraints()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            [(result,), *_] = cursor.execute("PRAGMA integrity_check").fetchall()
        if result != "ok":
            yield f"The file is damaged: {result}."
    if count := missing_migrations():
        yield f"{count} migrations are not applied."
    yield from lost(before, table_figures())
