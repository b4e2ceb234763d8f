"""Rows and sums of money of each table, compared before and after migrations."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection
from django.db.backends.utils import CursorWrapper

_CENTS = "_cents"
_OWN_TABLES = """
    SELECT relname FROM pg_class
    WHERE relkind IN ('r', 'p') AND pg_table_is_visible(oid) AND pg_has_role(relowner, 'USAGE')
        AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    ORDER BY relname
"""


@dataclass(frozen=True, slots=True)
class TableFigures:
    """The number of rows of a table, and the sum of each column of cents."""

    rows: int
    cents: dict[str, int]


Figures = dict[str, TableFigures]


def own_tables() -> list[str]:
    """Return the tables that migrations could change, also those without a model.

    On PostgreSQL, an administrator may have put tables of others into the database.
    """
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            return sorted(connection.introspection.table_names(cursor))
        cursor.execute(_OWN_TABLES)
        return [name for (name,) in cursor.fetchall()]


def table_figures() -> Figures:
    """Return the figures of each of the `own_tables`."""
    names = own_tables()
    with connection.cursor() as cursor:
        return {name: _figures_of(name, cursor) for name in names}


def _figures_of(table: str, cursor: CursorWrapper) -> TableFigures:
    quote = connection.ops.quote_name
    described = connection.introspection.get_table_description(cursor, table)
    columns = [
        column.name
        for column in described
        if column.name.endswith(_CENTS)
        and "Integer" in str(connection.introspection.get_field_type(column.type_code, column))
    ]
    sums = "".join(f", SUM({quote(column)})" for column in columns)
    # Names of tables from the database itself, also of those that have no model any more
    cursor.execute(f"SELECT COUNT(*){sums} FROM {quote(table)}")  # noqa: S608
    rows, *values = cursor.fetchone()
    cents = {column: int(value or 0) for column, value in zip(columns, values, strict=True)}
    return TableFigures(rows, cents)


def lost(before: Figures, after: Figures) -> Iterator[str]:
    """Yield a sentence for each table that has fewer rows, and each changed sum of money.

    Tables and columns that a migration removed are left out, as old code no longer used them.
    """
    for table in before.keys() & after.keys():
        old, new = before[table], after[table]
        if new.rows < old.rows:
            yield f"{table} has lost {old.rows - new.rows} rows."
        for column in old.cents.keys() & new.cents.keys():
            if old.cents[column] != new.cents[column]:
                yield f"{table}.{column} adds up to {new.cents[column]}, not {old.cents[column]}."
