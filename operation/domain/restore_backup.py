"""A backup put into an empty installation: all of it or nothing."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from django.apps.registry import Apps
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from crowd.domain.hold_publishing import hold_publishing
from crowd.models import PublishingHold
from operation.domain.backup_file import (
    DATA,
    EXPORTS,
    MEDIA,
    SECRET_KEY,
    BackupFile,
    BadBackup,
    Manifest,
)
from operation.domain.write_backup import columns, key_fingerprint

ROWS_AT_ONCE = 1000
Node = tuple[str, str]  # a migration: its app and its name
# Rows that Django itself writes when tables are made; the backup's take their places.
MADE_WITH_THE_TABLES = {"contenttypes.ContentType", "auth.Permission"}


class CanNotRestore(Exception):
    """This installation can't take the backup; nothing was changed. One line says why."""


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    same_secret_key: bool
    has_secret_key: bool


def restore_backup(
    *,
    path: Path,
    now: datetime,
    migrate: Callable[[], object],
    progress: Callable[[int], object] = lambda rows: None,
) -> Restored:
    """Fill this installation from the backup, and hold publishing until `recover_hits` has run.

    The database must be empty: without tables (then they are made as the backup knew them, filled,
    and brought up to this version by `migrate`), or with tables at the backup's migrations and
    without rows. Every checksum is looked at before anything is written; rows and files come in
    together, or neither do. Raises BadBackup and CanNotRestore.
    """
    with BackupFile(path) as backup:
        backup.verify()
        executor = MigrationExecutor(connection)
        _check_migrations(executor, backup.manifest)
        _check_empty_folders(backup.manifest)
        tables = _tables_as_then(executor, backup.manifest)
        _check_empty(tables.values())
        _check_columns(backup, tables)

        def hold() -> None:
            hold_publishing(reason=_hold_reason(backup.manifest), actor="restore", now=now)

        # With the rows, so that nothing can be published between the two; a backup from before
        # there were holds gets its hold as soon as there is a table for it.
        knows_holds = PublishingHold._meta.label in tables
        _fill(backup, tables, progress, finish=hold if knows_holds else lambda: None)
        migrate()  # to this version's tables; what Django makes along with them is made here
        ContentType.objects.clear_cache()
        hold()
        return Restored(
            manifest=backup.manifest,
            same_secret_key=backup.manifest.key_fingerprint == key_fingerprint(settings.SECRET_KEY),
            has_secret_key=SECRET_KEY in backup.manifest.members,
        )


def _hold_reason(manifest: Manifest) -> str:
    return f"Restored from the backup of {manifest.made_at[:16].replace('T', ' ')} UTC."


# --- may it? -----------------------------------------------------------------------------------


def _applied(manifest: Manifest) -> set[Node]:
    return {(app, name) for app, names in manifest.migrations.items() for name in names}


def _check_migrations(executor: MigrationExecutor, manifest: Manifest) -> None:
    known = executor.loader.disk_migrations
    theirs, ours = _applied(manifest), set(executor.loader.applied_migrations)
    if unknown := sorted(theirs - set(known)):
        raise CanNotRestore(
            f"The backup was made by version {manifest.version} and knows the migration "
            f"{'.'.join(unknown[0])}, which this version {settings.VERSION} does not: restore it "
            "with that version or a later one."
        )
    if ours and _with_squashed(ours, known) != _with_squashed(theirs, known):
        raise CanNotRestore(
            "This database's tables are of another version than the backup's: restore into a "
            "database without tables."
        )
    if not ours and (found := connection.introspection.table_names()):
        raise CanNotRestore(
            f"This database holds tables that are not ours, such as {found[0]}: restore into an "
            "empty one."
        )


def _with_squashed(applied: set[Node], known: Mapping[Node, Migration]) -> set[Node]:
    """A database that has all that a squashed migration stands for has it too, told or not."""
    return applied | {
        node for node, one in known.items() if one.replaces and applied.issuperset(one.replaces)
    }


class LoaderOf(MigrationLoader):
    """Takes squashed migrations, or what they stand for, as a database does that has `applied`."""

    def __init__(self, applied: set[Node]) -> None:
        self._applied: dict[Node, Any] = dict.fromkeys(applied)
        super().__init__(connection)

    @property
    def applied_migrations(self) -> dict[Node, Any]:
        return self._applied

    @applied_migrations.setter
    def applied_migrations(self, read_from_the_database: object) -> None: ...


def _tables_as_then(
    executor: MigrationExecutor, manifest: Manifest
) -> dict[str, type[models.Model]]:
    """Label -> model, as the backup's migrations describe it; makes the tables where there are none."""
    graph = LoaderOf(_applied(manifest)).graph
    theirs = _with_squashed(_applied(manifest), executor.loader.disk_migrations) & set(graph.nodes)
    last = sorted(
        node
        for node in theirs
        if not any(
            child.key in theirs and child.key[0] == node[0]
            for child in graph.node_map[node].children
        )
    )
    if not executor.loader.applied_migrations:
        executor.loader.graph = graph
        executor.migrate(last)
        executor.loader.build_graph()
    then: Apps = executor.loader.project_state(last).apps
    return {
        one._meta.label: one
        for one in then.get_models(include_auto_created=True)
        if one._meta.managed and not one._meta.proxy
    }


def _check_empty(tables: Any) -> None:
    for model in tables:
        if model._meta.label not in MADE_WITH_THE_TABLES and model._base_manager.exists():
            raise CanNotRestore(
                f"This installation is not empty: it has {model._meta.verbose_name_plural}. A backup "
                "is restored into an empty one only."
            )


def _check_empty_folders(manifest: Manifest) -> None:
    for prefix, folder in _folders(manifest):
        if folder.is_dir() and any(folder.iterdir()):
            raise CanNotRestore(
                f"{folder} is not empty, and the backup holds {prefix}: move it away first."
            )


def _folders(manifest: Manifest) -> list[tuple[str, Path]]:
    """The folders that the backup has files for."""
    places = ((MEDIA, Path(settings.MEDIA_ROOT)), (EXPORTS, Path(settings.EXPORT_DIR)))
    return [one for one in places if any(name.startswith(one[0]) for name in manifest.members)]


def _check_columns(backup: BackupFile, tables: Mapping[str, type[models.Model]]) -> None:
    for name in _data(backup.manifest):
        model = tables.get(_label(name))
        if model is None:
            raise BadBackup(f"{backup.path}: there is no table for {name}.")
        if sorted(next(backup.lines(name), [])) != sorted(columns(model)):
            raise BadBackup(f"{backup.path}: {name} has other columns than its table.")


def _data(manifest: Manifest) -> list[str]:
    return [name for name in manifest.members if name.startswith(DATA)]


def _label(member: str) -> str:
    return member.removeprefix(DATA).removesuffix(".jsonl")


# --- all or nothing ----------------------------------------------------------------------------


def _fill(
    backup: BackupFile,
    tables: Mapping[str, type[models.Model]],
    progress: Callable[[int], object],
    *,
    finish: Callable[[], None],
) -> None:
    moved: list[Path] = []
    unpacked = _unpack(backup)
    try:
        # Foreign keys are looked at when the transaction ends: the order of tables is free.
        with transaction.atomic():
            for label in sorted(MADE_WITH_THE_TABLES, reverse=True):
                if label in tables:
                    tables[label]._base_manager.all().delete()
            for name in _data(backup.manifest):
                _load(tables[_label(name)], backup.lines(name), progress)
            connection.check_constraints()
            _reset_sequences(list(tables.values()))
            finish()
            for source, folder in unpacked:
                shutil.rmtree(folder, ignore_errors=True)  # empty: it was looked at
                source.rename(folder)
                moved.append(folder)
    except (DatabaseError, ValidationError, ValueError, TypeError) as error:
        _remove(moved)
        line = " ".join(str(error).split())
        raise BadBackup(f"{backup.path}: the database refused a row: {line}") from error
    except BaseException:
        _remove(moved)
        raise
    finally:
        _remove([source for source, _ in unpacked])


def _unpack(backup: BackupFile) -> list[tuple[Path, Path]]:
    """The files, written beside the folders that they are meant for."""
    unpacked = []
    for prefix, folder in _folders(backup.manifest):
        beside = folder.with_name(folder.name + ".restored")
        shutil.rmtree(beside, ignore_errors=True)
        for name in backup.manifest.members:
            if name.startswith(prefix):
                path = beside / name.removeprefix(prefix)
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as file:
                    file.writelines(backup.chunks(name))
        unpacked.append((beside, folder))
    return unpacked


def _remove(folders: list[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _load(
    model: type[models.Model], lines: Iterator[Any], progress: Callable[[int], object]
) -> None:
    fields = [model._meta.get_field(_field_of(model, name)) for name in next(lines)]
    for field in fields:  # the rows keep the times that they have
        field.auto_now = field.auto_now_add = False  # type: ignore[union-attr]
    while rows := list(islice(lines, ROWS_AT_ONCE)):
        model._base_manager.bulk_create(
            [
                model(
                    **{
                        field.attname: field.to_python(value)  # type: ignore[union-attr]
                        for field, value in zip(fields, row, strict=True)
                    }
                )
                for row in rows
            ]
        )
        progress(len(rows))


def _field_of(model: type[models.Model], attname: str) -> str:
    return next(one.name for one in model._meta.concrete_fields if one.attname == attname)


def _reset_sequences(tables: list[type[models.Model]]) -> None:
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
