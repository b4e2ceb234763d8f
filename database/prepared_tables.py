"""An SQLite database with the tables of a new site, which a wheel contains.

To migrate an empty database takes most of a site's first start. The file is used only if the migrations
are those that it was made from.
"""

import fcntl
import hashlib
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
    """Fill a new database with the wheel's tables.

    Return False if it has tables, or if there are none of these migrations.
    """
    record = settings.PREPARED_DIR / _RECORD
    if not record.exists() or record.read_text() != _migrations_digest():
        return False
    lock = database.with_name(f"{database.name}.lock")
    with lock.open("w") as file, closing(sqlite3.connect(database)) as target:
        fcntl.flock(file, fcntl.LOCK_EX)  # another process may start the same site
        if target.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
            return False
        with closing(sqlite3.connect(settings.PREPARED_DIR / _TABLES)) as tables:
            tables.backup(target)
        _set_time_of_migrations(target, datetime.now(UTC))
    return True


def _set_time_of_migrations(connection: sqlite3.Connection, at: datetime) -> None:
    text = at.strftime("%Y-%m-%d %H:%M:%S")
    with connection:
        connection.execute("UPDATE django_migrations SET applied = ?", [text])
        connection.execute("UPDATE audit_dataversion SET at = ?", [text])


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
