"""Make tables append-only with database triggers."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

POSTGRES = """
CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN {exception}RAISE EXCEPTION '{table} is append-only'; END $$;
CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_append_only();
"""
# No DELETE trigger on SQLite: the test runner empties tables there with DELETE.
SQLITE = """
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END;
"""


# Rows may be deleted in a transaction that has this setting: those of a deleted project, or old ones.
UNLESS = """IF TG_OP = 'DELETE' AND current_setting('{setting}', true) <> ''
THEN RETURN OLD; END IF; """
WITH_PROJECT = "touchstone.deleted_project"
EXPIRED = "touchstone.expired"


def append_only(table: str, *, unless: str = "") -> migrations.RunPython:
    """Return a migration operation that forbids updates and, on PostgreSQL, deletions.

    Rows can be deleted while the setting `unless` of the transaction has a value.
    """

    def create(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        script = POSTGRES if editor.connection.vendor == "postgresql" else SQLITE
        exception = UNLESS.format(setting=unless) if unless else ""
        editor.execute(script.format(table=table, exception=exception), params=None)

    def drop(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        postgres = editor.connection.vendor == "postgresql"
        editor.execute(f"DROP TRIGGER {table}_append_only" + (f" ON {table}" if postgres else ""))
        if postgres:
            editor.execute(f"DROP FUNCTION {table}_append_only")

    return migrations.RunPython(create, drop)
