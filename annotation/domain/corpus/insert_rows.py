"""Insert thousands of rows of plain values in one statement.

`bulk_create` uses more than twice the CPU time, which is too slow for large imports.
"""

import csv
import io
from collections.abc import Iterable, Sequence

from django.db import connection, models


def insert_rows(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[str | int]]
) -> None:
    """Insert rows of text, numbers, and JSON as text. Raise IntegrityError for a duplicate."""
    table = connection.ops.quote_name(model._meta.db_table)
    names = ", ".join(connection.ops.quote_name(name) for name in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Django's cursor wrapper has no method for COPY.
            with connection.wrap_database_errors:
                text = io.StringIO()
                # PostgreSQL reads an unquoted empty field as NULL.
                csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
                text.seek(0)
                cursor.cursor.copy_expert(f"COPY {table} ({names}) FROM STDIN CSV", text)
        else:
            placeholders = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({placeholders})", list(rows))  # noqa: S608
