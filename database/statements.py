"""Run the SQL of the requests that workers send most often.

The ORM would compile each statement again for each request. PostgreSQL parses and plans each
statement once per connection, as a prepared statement.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection
from django.db.models import Model

# The prepared statements' names by SQL, of each connection of psycopg.
_names: WeakKeyDictionary[Any, dict[str, str]] = WeakKeyDictionary()


def fetch(model: type[Model], sql: str, *parameters: Any) -> Any | None:
    """Return the first row as an instance of the model, or None. Further columns become attributes."""
    statement = _prepare(sql, len(parameters))
    return next(iter(list(model._default_manager.raw(statement, _adapt(parameters)))), None)


def fetch_rows(sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Return the rows as the database's driver returns them."""
    with connection.cursor() as cursor:
        cursor.execute(_prepare(sql, len(parameters)), _adapt(parameters))
        return cursor.fetchall()


def execute(sql: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_prepare(sql, len(parameters)), _adapt(parameters))


def lock_clause(*tables: str, skip_locked: bool = False) -> str:
    """Return the clause that locks the rows of a query, where the database locks rows."""
    if not connection.features.has_select_for_update:
        return ""
    return connection.ops.for_update_sql(skip_locked=skip_locked, of=tables)


def _adapt(parameters: Sequence[Any]) -> list[Any]:
    adapt = connection.ops.adapt_datetimefield_value
    return [adapt(value) if isinstance(value, datetime) else value for value in parameters]


def _prepare(sql: str, count: int) -> str:
    """Return the statement that runs `sql`. On PostgreSQL, prepare it first if necessary."""
    if connection.vendor != "postgresql":
        return sql
    connection.ensure_connection()
    names = _names.setdefault(connection.connection, {})
    if sql not in names:
        name = f"touchstone_{len(names)}"
        numbered = sql % tuple(f"${number}" for number in range(1, count + 1))
        # psycopg's own cursor, so that the number of logged queries is the same for each request.
        with connection.wrap_database_errors, connection.connection.cursor() as cursor:
            cursor.execute(f"PREPARE {name} AS {numbered}")
        names[sql] = name
    return f"EXECUTE {names[sql]} ({', '.join(['%s'] * count)})"
