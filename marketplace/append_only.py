"""The books refuse to be rewritten, whoever tries: an UPDATE fails in the database itself.

PostgreSQL also refuses a DELETE. SQLite does not, because emptying a test database deletes there
(PostgreSQL truncates); the model refuses it on both.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SAYS = "Book entries are never changed: write a new one that corrects it."

POSTGRESQL = f"""
CREATE FUNCTION marketplace_keep_book_entry() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '{SAYS}'; END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER marketplace_keep_book_entry BEFORE UPDATE OR DELETE ON marketplace_bookentry
FOR EACH ROW EXECUTE FUNCTION marketplace_keep_book_entry();
"""
POSTGRESQL_BACK = """
DROP TRIGGER marketplace_keep_book_entry ON marketplace_bookentry;
DROP FUNCTION marketplace_keep_book_entry();
"""
SQLITE = f"""
CREATE TRIGGER marketplace_keep_book_entry BEFORE UPDATE ON marketplace_bookentry
BEGIN SELECT RAISE(ABORT, '{SAYS}'); END
"""
SQLITE_BACK = "DROP TRIGGER marketplace_keep_book_entry"


def books_are_append_only() -> migrations.RunPython:
    """A migration step: entries of the books may be added, not changed (nor deleted, on PostgreSQL)."""
    return migrations.RunPython(_guard, _unguard)


def _guard(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    postgresql = editor.connection.vendor == "postgresql"
    editor.execute(POSTGRESQL if postgresql else SQLITE, params=None)


def _unguard(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    postgresql = editor.connection.vendor == "postgresql"
    editor.execute(POSTGRESQL_BACK if postgresql else SQLITE_BACK, params=None)
