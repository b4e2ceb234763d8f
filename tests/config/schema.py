"""The schema and the rows of a database, in a form that two databases can be compared by."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

POSTGRESQL = {
    "columns": """
        SELECT format('%s.%s', c.relname, a.attname), format_type(a.atttypid, a.atttypmod),
               a.attnotnull, a.attidentity, pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
          AND a.attnum > 0 AND NOT a.attisdropped""",
    "constraints": """
        SELECT format('%s.%s', conrelid::regclass, conname), pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace""",
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "triggers": """
        SELECT format('%s.%s', tgrelid::regclass, tgname), pg_get_triggerdef(oid)
        FROM pg_trigger WHERE NOT tgisinternal""",
    "functions": """
        SELECT proname, prosrc FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = p.oid AND deptype = 'e')""",
    "extensions": "SELECT extname, extversion FROM pg_extension",
}


def schema(connection: BaseDatabaseWrapper) -> dict[str, dict[str, Any]]:
    """Return kind -> name -> definition.

    The order of columns is ignored, because no code depends on it.
    """
    if connection.vendor == "postgresql":
        return {kind: _read(connection, query) for kind, query in POSTGRESQL.items()}
    definitions = _read(
        connection, "SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL"
    )
    kinds: dict[str, dict[str, Any]] = {}
    for name, (kind, sql) in definitions.items():
        kinds.setdefault(kind, {})[name] = _parts(sql) if kind == "table" else sql
    return kinds


def rows(connection: BaseDatabaseWrapper) -> dict[str, list[dict[str, Any]]]:
    """Return table -> its rows, by column."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        rows_by_table = {}
        for table in tables:
            cursor.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            rows_by_table[table] = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return rows_by_table


def _read(connection: BaseDatabaseWrapper, query: str) -> dict[str, tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return {row[0]: row[1:] for row in cursor.fetchall()}


def _parts(create_table: str) -> list[str]:
    """Return the columns and constraints between the outer brackets, sorted."""
    _, _, inside = create_table.partition("(")
    parts, depth, quoted = [""], 0, False
    for letter in inside.rpartition(")")[0]:
        quoted ^= letter == "'"
        depth += 0 if quoted else {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return sorted(part.strip() for part in parts)
