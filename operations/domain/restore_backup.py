"""Restore a backup into an empty installation, completely or not at all."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models
from django.db.migrations.executor import MigrationExecutor

from audit.errors import TouchstoneError
from operations.domain.backup_file import DATA, BackupFile, BadBackupError, Manifest, folders
from operations.domain.schema_transaction import migrate_all, schema_transaction
from operations.domain.write_backup import Progress, columns, stored_models

ROWS_AT_ONCE = 1000
# Migrations insert these rows when they create the tables. The backup's rows replace them.
REPLACED = ("contenttypes.ContentType", "auth.Permission", "audit.DataVersion")
Tables = dict[str, type[models.Model]]


class RestoreError(TouchstoneError):
    """The backup cannot be restored here. The installation was not changed."""


def restore_backup(
    *,
    path: Path,
    now: datetime,
    key: bytes | None = None,
    progress: Progress = lambda rows: None,
) -> Manifest:
    """Restore the backup, and hold publishing until `recover_hits` has run.

    The database must have no tables, or this version's tables without rows. The backup and the
    installation are checked before any row is written. Raise BadBackupError, RestoreError or BusyError.
    """
    with BackupFile(path, key) as backup:
        backup.verify()
        manifest = backup.manifest
        is_unpacking = False
        try:
            # Checks are part of it, because another process may restore into the same installation.
            with schema_transaction():
                executor = MigrationExecutor(connection)
                _check_migrations(executor, manifest)
                _check_folders(manifest)
                targets = list(manifest.migrations.items())
                tables = stored_models(executor.loader.project_state(targets).apps)
                _check_columns(backup, tables)
                if executor.loader.applied_migrations:
                    _check_empty(tables)
                else:
                    executor.migrate(targets)
                    connection.check_constraints()  # later rows may come in any order again
                _fill(backup, tables, now, progress)
                migrate_all(now=now)
                is_unpacking = True
                _unpack(backup)
        except BaseException:
            if is_unpacking:
                _delete_unpacked(backup)
            raise
        ContentType.objects.clear_cache()
    return manifest


def _check_migrations(executor: MigrationExecutor, manifest: Manifest) -> None:
    loader, targets = executor.loader, set(manifest.migrations.items())
    if unknown := sorted(targets - set(loader.graph.nodes)):
        raise RestoreError(
            f"Version {manifest.version} made the backup, with the migration "
            f"{'.'.join(unknown[0])}, which is missing in this version {settings.VERSION}. Restore "
            "it with that version or a later one."
        )
    applied = set(loader.applied_migrations)
    leaves = set(loader.graph.leaf_nodes())
    is_current = leaves <= applied <= set(loader.disk_migrations)
    if applied and not (is_current and targets == leaves):
        raise RestoreError(
            "This database's tables are from another version than the backup's. Restore into a "
            "database without tables."
        )
    if not applied and (names := connection.introspection.table_names()):
        raise RestoreError(
            f"This database contains tables of another program, such as {names[0]}. Restore into an "
            "empty one."
        )


def _used_folders(manifest: Manifest) -> dict[str, Path]:
    return {prefix: path for prefix, path in folders().items() if manifest.under(prefix)}


def _check_folders(manifest: Manifest) -> None:
    for prefix, folder in _used_folders(manifest).items():
        if any(not path.is_dir() for path in folder.rglob("*")):
            raise RestoreError(
                f"{folder} is not empty, and the backup contains {prefix}. Move the folder first."
            )


def _label(member: str) -> str:
    return member.removeprefix(DATA).removesuffix(".jsonl")


def _check_columns(backup: BackupFile, tables: Tables) -> None:
    for name in backup.manifest.under(DATA):
        model = tables.get(_label(name))
        if model is None:
            raise BadBackupError(f"{backup.path}: no table matches {name}.")
        if sorted(next(backup.lines(name), [])) != sorted(columns(model)):
            raise BadBackupError(f"{backup.path}: the columns of {name} do not match its table.")


def _check_empty(tables: Tables) -> None:
    for label, model in tables.items():
        if label not in REPLACED and model._base_manager.exists():
            raise RestoreError(
                f"This installation is not empty: it has {model._meta.verbose_name_plural}. Restore "
                "the backup into an empty one."
            )


def _fill(backup: BackupFile, tables: Tables, now: datetime, progress: Progress) -> None:
    """Write the rows."""
    made_at = backup.manifest.made_at[:16].replace("T", " ")
    try:
        # Foreign keys are checked at the end, so tables may come in any order.
        for label in reversed(REPLACED):
            if label in tables:
                tables[label]._base_manager.all().delete()
        for name in backup.manifest.under(DATA):
            _load(tables[_label(name)], backup.lines(name), progress)
        connection.check_constraints()
        with connection.cursor() as cursor:
            for sql in connection.ops.sequence_reset_sql(no_style(), list(tables.values())):
                cursor.execute(sql)
        _hold_publishing(tables, f"Restored from the backup of {made_at} UTC.", now)
    except (DatabaseError, ValidationError, ValueError, TypeError) as error:
        line = " ".join(str(error).split())
        raise BadBackupError(f"{backup.path}: the database refused a row: {line}") from error


def _hold_publishing(tables: Tables, reason: str, now: datetime) -> None:
    """Hold publishing, as `hold_publishing` does, in the tables of the backup's version.

    It is in the same transaction as the rows, so that nothing can be published before.
    """
    hold, is_new = tables["crowd.PublishingHold"]._base_manager.get_or_create(
        lifted_at=None, defaults={"reason": reason, "since": now}
    )
    if is_new:
        tables["audit.StateChange"]._base_manager.create(
            aggregate="crowd.PublishingHold",
            object_id=hold.pk,
            old="none",
            new="held",
            actor="restore",
            reason=reason,
            at=now,
        )


def _load(model: type[models.Model], lines: Iterator[Any], progress: Progress) -> None:
    by_column = {field.attname: field for field in model._meta.concrete_fields}
    fields = [by_column[column] for column in next(lines)]
    for field in fields:  # preserve the rows' times
        field.auto_now = field.auto_now_add = False  # type: ignore[attr-defined]
    while rows := list(islice(lines, ROWS_AT_ONCE)):
        values = [
            {
                field.attname: field.to_python(value)
                for field, value in zip(fields, row, strict=True)
            }
            for row in rows
        ]
        model._base_manager.bulk_create(model(**row) for row in values)
        progress(len(rows))


def _unpack(backup: BackupFile) -> None:
    for prefix, folder in _used_folders(backup.manifest).items():
        for name in backup.manifest.under(prefix):
            path = backup.target(name, prefix, folder)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                file.writelines(backup.chunks(name))


def _delete_unpacked(backup: BackupFile) -> None:
    """Delete the backup's files, and nothing else. A folder may be a volume or a link, and stays."""
    for prefix, folder in _used_folders(backup.manifest).items():
        for name in backup.manifest.under(prefix):
            with suppress(OSError):
                backup.target(name, prefix, folder).unlink()
