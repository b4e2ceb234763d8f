"""Pass thousands of values to a query as one parameter.

Django's `IN` takes long to build, and a long list of constants can make PostgreSQL scan the whole table.
"""

import json
from collections.abc import Collection

from django.db import connection
from django.db.models.expressions import RawSQL


def value_list(values: Collection[str] | Collection[int]) -> RawSQL:
    """Return the values for a filter with `__in`."""
    kind = "bigint" if all(isinstance(value, int) for value in values) else "text"
    rows = {
        "postgresql": f"SELECT value::{kind} FROM jsonb_array_elements_text(%s::jsonb)",  # noqa: S608
        "sqlite": "SELECT value FROM json_each(%s)",
    }
    return RawSQL(rows[connection.vendor], [json.dumps(list(values))])  # noqa: S611
