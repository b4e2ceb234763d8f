"""An SQLite database with the tables of a new site, which a wheel contains.

To migrate an empty database takes most of a site's first start. The file is used only if the migrations
are those that it was made from.
"""

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import django
from django.apps import apps
from django.conf import settings

_TABLES, _RECORD = "tables.sqlite3", "tables-from"


def store_tables(database: Path, folder: Path, *, at: datetime) -> None:
    """Store a migrated database, the same bytes each time. `at` replaces the time of its migrations."""
    target = folder / _TABLES
    with closing(sqlite3.connect(database)) as connection:
        _set_time_of_migrations(connection, at)
        connection.execute("VACUUM INTO ?", [str(target)])
    (folder / _RECORD).write_text(_migrations_digest())


def copy_tables(database: Path) -> bool:
    """Create the database from the wheel's tables.

    Return False if the database exists, or if there are no tables of these migrations.
    """
    record = settings.PREPARED_DIR / _RECORD
    if database.exists() or not record.exists() or record.read_text() != _migrations_digest():
        return False
    unfinished = database.with_name(f"{database.name}.{os.getpid()}")
    shutil.copyfile(settings.PREPARED_DIR / _TABLES, unfinished)
    try:
        with closing(sqlite3.connect(unfinished)) as connection:
            _set_time_of_migrations(connection, datetime.now(UTC))
        database.hardlink_to(unfinished)  # fails if another process was faster
    except FileExistsError:
        return False
    finally:
        unfinished.unlink()
    return True


def _set_time_of_migrations(connection: sqlite3.Connection, at: datetime) -> None:
    text = at.strftime("%Y-%m-%d %H:%M:%S")
    with connection:
        connection.execute("UPDATE django_migrations SET applied = ?", [text])


def _migrations_digest() -> str:
    """Return a digest of what decides on the tables: all migrations and the modules of our models.

    Other versions of packages with the same migrations are as good: an upgrade would change nothing.
    """
    digest = hashlib.sha256(".".join(map(str, django.VERSION[:2])).encode())
    for app in sorted(apps.get_app_configs(), key=lambda app: app.name):
        folder = Path(app.path).resolve()
        files = {*folder.glob("migrations/*.py")}
        if folder.parent == settings.BASE_DIR.resolve():
            files |= {*folder.glob("*.py"), *folder.glob("models/**/*.py")}
        for file in sorted(files):
            digest.update(f"{app.name}/{file.relative_to(folder)}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
