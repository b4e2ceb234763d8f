"""All migrations in one transaction, so that a failure or a kill leaves the database as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.core.management import call_command
from django.core.management.commands import migrate
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from audit.domain.data_version import record_version


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
    """Allow migrations inside a transaction.

    SQLite changes no table while it checks references, and can't stop checking within a transaction.
    """
    connection.disable_constraint_checking()
    try:
        with transaction.atomic():
            yield
    finally:
        connection.enable_constraint_checking()


def migrate_all(*, now: datetime) -> None:
    """Apply the migrations that are missing, and record the version. Call it in a schema_transaction."""
    call_command(_Migrate(), interactive=False, verbosity=0)
    record_version(now=now)


def missing_without_transaction() -> list[str]:
    """Return the missing migrations that can't be undone, because they run outside of transactions."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _ in plan if not migration.atomic]
