"""Database triggers that make the ledger append-only.

SQLite allows a DELETE, because test databases are emptied by it. The model refuses both operations.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

MESSAGE = "Ledger entries cannot be changed. Add a correcting entry instead."

POSTGRESQL = f"""
CREATE FUNCTION marketplace_ledgerentry_append_only() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '{MESSAGE}'; END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER marketplace_ledgerentry_append_only BEFORE UPDATE OR DELETE ON marketplace_ledgerentry
FOR EACH ROW EXECUTE FUNCTION marketplace_ledgerentry_append_only();
"""
POSTGRESQL_BACK = """
DROP TRIGGER marketplace_ledgerentry_append_only ON marketplace_ledgerentry;
DROP FUNCTION marketplace_ledgerentry_append_only();
"""
SQLITE = f"""
CREATE TRIGGER marketplace_ledgerentry_append_only BEFORE UPDATE ON marketplace_ledgerentry
BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END
"""
SQLITE_BACK = "DROP TRIGGER marketplace_ledgerentry_append_only"


def ledger_is_append_only() -> migrations.RunPython:
    """Return the migration operation that creates the triggers."""

    def create(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        postgresql = editor.connection.vendor == "postgresql"
        editor.execute(POSTGRESQL if postgresql else SQLITE, params=None)

    def drop(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        postgresql = editor.connection.vendor == "postgresql"
        editor.execute(POSTGRESQL_BACK if postgresql else SQLITE_BACK, params=None)

    return migrations.RunPython(create, drop)
