"""The version that the data belong to, and whether the installed version can use them."""

import re
import sys
from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from pkgutil import iter_modules

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from audit.errors import TouchstoneError
from audit.models import DataVersion
from touchstone.program import as_called

# The oldest version that works on the tables of this one (docs/development/releasing.md).
OLDEST_VERSION = "1.0.0"


class DataVersionError(TouchstoneError):
    """The installed version can't use the data. The message says what to do."""


def record_version(*, now: datetime) -> None:
    """Record that the data belong to this version, unless a newer one has migrated them."""
    if _unknown_migrations(_applied()):
        return
    last = DataVersion.objects.order_by("pk").last()
    if last is None or (last.version, last.oldest) != (settings.VERSION, OLDEST_VERSION):
        DataVersion.objects.create(version=settings.VERSION, oldest=OLDEST_VERSION, at=now)


def check_data() -> None:
    """Raise DataVersionError if the database has no tables, or those of another version.

    A database that is out of reach raises nothing, because it may come back.
    """
    if problem := problem_of_data():
        raise DataVersionError(problem)


def exit_with_other_data(code: int) -> None:
    """End a process that is starting, with one line on stderr, if it can't use the data."""
    try:
        if problem := problem_of_data():
            sys.stderr.write(f"{problem}\n")
            raise SystemExit(code)
    finally:
        connection.close()


def problem_of_data() -> str:
    """Return why this version can't use the data, or an empty string."""
    try:
        applied = _applied()
        if not applied:
            return as_called("The database has no tables yet. Run `manage.py migrate` first.")
        return problem_of_newer_data() or _older(applied)
    except OperationalError:
        return ""
    except DatabaseError as error:
        return f"The database can't be used: {' '.join(str(error).split())}."


def recorded_version() -> str:
    """Return the version that the data belong to, which may be a newer one."""
    last = _last_version()
    return last.version if last else str(settings.VERSION)


def has_tables() -> bool:
    return bool(_applied())


def missing_migrations() -> int:
    """Return the number of migrations that are not applied."""
    return len(_missing(_applied()))


def problem_of_newer_data() -> str:
    """Return why data that a newer version has migrated can't be used, or an empty string."""
    unknown = _unknown_migrations(_applied())
    if not unknown:
        return ""
    last = _last_version()
    if last and _number(last.oldest) <= _number(settings.VERSION):
        return ""
    newer = f"version {last.version}" if last else "a newer version"
    needed = f"version {last.oldest} or later" if last else "that version"
    return (
        f"The data belong to {newer} (migration {'.'.join(unknown[0])}), which this version "
        f"{settings.VERSION} can't use. Install {needed}, or restore a backup made before the upgrade."
    )


def _older(applied: set[tuple[str, str]]) -> str:
    count = len(_missing(applied))
    if not count:
        return ""
    last = _last_version()
    of = f"version {last.version}" if last else "an older version"
    return as_called(
        f"The data belong to {of}, and this is {settings.VERSION} ({count} migrations to apply). "
        "Stop the site and run `manage.py upgrade`."
    )


def _applied() -> set[tuple[str, str]]:
    return set(MigrationRecorder(connection).applied_migrations())


def _missing(applied: set[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(set(_on_disk()) - applied)


def _unknown_migrations(applied: set[tuple[str, str]]) -> list[tuple[str, str]]:
    labels = {app.label for app in apps.get_app_configs()}
    return sorted({node for node in applied if node[0] in labels} - set(_on_disk()))


def _on_disk() -> Iterator[tuple[str, str]]:
    """Yield app and name of each migration, without the time to import it."""
    for app in apps.get_app_configs():
        name, _ = MigrationLoader.migrations_module(app.label)
        try:
            package = import_module(str(name))
        except ModuleNotFoundError:
            continue
        for module in iter_modules(package.__path__):
            if not module.ispkg and module.name[0] not in "_~":
                yield app.label, module.name


def _last_version() -> DataVersion | None:
    """Return the last record, or None. Tables of another version may lack it."""
    try:
        return DataVersion.objects.order_by("pk").last()
    except DatabaseError:
        return None


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))
