"""Tables that a wheel contains equal those that migrations create."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.apps import apps

from database.prepared_tables import copy_tables, store_tables
from operations.management.commands import migrate
from tests.conftest import _migrated_sqlite

AT = datetime(2026, 11, 29, 8, 0, tzinfo=UTC)


def contents(database: Path) -> tuple[list[str], dict[str, list[tuple[object, ...]]]]:
    """Return the schema and the rows, except the times of the migrations and of the version."""
    with closing(sqlite3.connect(database)) as connection:
        schema = [
            row[0]
            for row in connection.execute(
                "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name"
            )
        ]
        tables = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        rows = {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in tables
        }
    for table in ("django_migrations", "audit_dataversion"):
        rows[table] = [row[:-1] for row in rows[table]]
    return schema, rows


@pytest.fixture
def prepared(tmp_path, settings) -> Path:
    """Store the tables of a database that was migrated, and return it."""
    migrated = tmp_path / "migrated.sqlite3"
    shutil.copy(_migrated_sqlite(), migrated)
    settings.PREPARED_DIR = tmp_path / "prepared"
    settings.PREPARED_DIR.mkdir()
    store_tables(migrated, settings.PREPARED_DIR, at=AT)
    return migrated


def test_copied_tables_equal_migrated_ones(prepared, tmp_path):
    database = tmp_path / "site.sqlite3"
    assert copy_tables(database)
    schema, rows = contents(database)
    assert (schema, rows) == contents(prepared)
    assert len(schema) > 200
    assert len(rows["auth_permission"]) > 100
    with closing(sqlite3.connect(database)) as connection:
        [(applied,)] = connection.execute("SELECT DISTINCT applied FROM django_migrations")
    age = datetime.now(UTC) - datetime.fromisoformat(applied).replace(tzinfo=UTC)
    assert age.total_seconds() < 600


def test_same_tables_are_the_same_bytes(prepared, tmp_path, settings):
    again = tmp_path / "again"
    again.mkdir()
    store_tables(prepared, again, at=AT)
    names = ["tables-from", "tables.sqlite3"]
    assert [(again / name).read_bytes() for name in names] == [
        (settings.PREPARED_DIR / name).read_bytes() for name in names
    ]


def test_database_with_tables_stays(prepared, tmp_path):
    database = tmp_path / "site.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE kept (id)")
    assert not copy_tables(database)
    with closing(sqlite3.connect(database)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert names == [("kept",)]


def test_database_that_a_connection_created_is_filled(prepared, tmp_path):
    """Django's checks open the database before the command runs."""
    database = tmp_path / "site.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        assert copy_tables(database)
        [(count,)] = connection.execute("SELECT count(*) FROM django_migrations")
        assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert count > 30
    assert contents(database) == contents(prepared)


def test_tables_of_other_migrations_are_not_used(prepared, tmp_path, monkeypatch):
    changed = tmp_path / "annotation"
    shutil.copytree(
        Path(apps.get_app_config("annotation").path) / "migrations", changed / "migrations"
    )
    [first] = changed.glob("migrations/0001_*.py")
    first.write_text(first.read_text() + "\n# changed\n")
    monkeypatch.setattr(apps.get_app_config("annotation"), "path", str(changed))
    assert not copy_tables(tmp_path / "site.sqlite3")


def test_checkout_has_no_prepared_tables(tmp_path, settings):
    assert not settings.PREPARED_DIR.exists()
    assert not copy_tables(tmp_path / "site.sqlite3")


@pytest.mark.parametrize("name", ["app_label", "fake", "plan", "check_unapplied"])
def test_special_migrations_are_run_by_django(name):
    options = dict.fromkeys(migrate.SPECIAL)
    assert migrate._migrates_everything(options)
    assert not migrate._migrates_everything({**options, name: True})


def test_options_of_migrate_are_known():
    parser = migrate.Command().create_parser("manage.py", "migrate")
    known = {action.dest for action in parser._actions}
    assert set(migrate.SPECIAL) <= known
