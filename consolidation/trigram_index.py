"""Trigram indexes, with which PostgreSQL can search for any part of a text."""

import logging

from django.apps.registry import Apps
from django.db import DatabaseError, migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def index_by_trigrams(*, name: str, table: str, expressions: list[str]) -> migrations.RunPython:
    """Return a migration operation that creates a trigram index on PostgreSQL.

    If the database user may not create the extension pg_trgm, searches read the whole table.
    """
    columns = ", ".join(f"{expression} gin_trgm_ops" for expression in expressions)
    statement = f"CREATE INDEX {name} ON {table} USING gin ({columns})"

    def create(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor != "postgresql":
            return
        try:
            with transaction.atomic(using=editor.connection.alias):
                editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
                editor.execute(statement)
        except DatabaseError as error:
            message = "No trigram index for searches in %s: %s"
            logging.getLogger(__name__).warning(message, table, str(error).strip())

    def drop(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "postgresql":
            editor.execute(f"DROP INDEX IF EXISTS {name}")

    return migrations.RunPython(create, drop)
