"""All migrations in one transaction, so that a failure or a kill leaves the database as it was."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any

from django.core.management import call_command
from django.core.management.commands import migrate
from django.db import OperationalError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from audit.domain.data_version import record_version
from audit.errors import TouchstoneError

# The key of the advisory lock of PostgreSQL
_LOCK = 0x5C4E3A
_BUSY = "Another process is changing the database. Wait until it has finished, or stop it."


class BusyError(TouchstoneError):
    """Another process upgrades or restores the same database. Nothing has changed."""


class _Migrate(migrate.Command):
    """Django's command, which checks references between rows after each migration.

    PostgreSQL changes no table that has references to check.
    """

    def migration_progress_callback(
        self, action: str, migration: Any = None, fake: bool = False
    ) -> None:
        super().migration_progress_callback(action, migration, fake)
        if action == "apply_success":
            connection.check_constraints()


@contextmanager
def schema_transaction() -> Iterator[None]:
    """Allow migrations inside a transaction, in one process at a time. Raise BusyError in others.

    SQLite changes no table while it checks references, and can't stop checking within a transaction.
    """
    connection.disable_constraint_checking()
    try:
        with ExitStack() as stack:
            try:
                stack.enter_context(transaction.atomic())
            except OperationalError as error:
                if connection.vendor != "sqlite" or "locked" not in str(error):
                    raise
                raise BusyError(_BUSY) from error
            if not _lock():
                raise BusyError(_BUSY)
            yield
    finally:
        connection.enable_constraint_checking()


def _lock() -> bool:
    """Return True unless another process has the lock. On SQLite, the transaction is a lock."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])


def migrate_all(*, now: datetime) -> None:
    """Apply the migrations that are missing, and record the version. Call it in a schema_transaction."""
    call_command(_Migrate(), interactive=False, verbosity=0)
    record_version(now=now)


def missing_without_transaction() -> list[str]:
    """Return the missing migrations that can't be undone, because they run outside of transactions."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _ in plan if not migration.atomic]
