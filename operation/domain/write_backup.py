"""A whole installation in one file: every table, the uploaded files, and nothing that lets one in."""

import base64
import hashlib
import hmac
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils.duration import duration_iso_string

from operation.domain.backup_file import (
    CHUNK_BYTES,
    DATA,
    EXPORTS,
    MEDIA,
    SECRET_KEY,
    Archive,
    Manifest,
)

ROWS_AT_ONCE = 2000
# Who is signed in, who failed to, how the processes did: of no use to another installation or day.
PASSING = {
    "accounts.UserSession",
    "sessions.Session",
    "axes.AccessAttempt",
    "axes.AccessAttemptExpiration",
    "axes.AccessLog",
    "axes.AccessFailureLog",
    "marketplace.WorkerSession",
    "marketplace.LoginFailure",
    "operation.Sign",
    "operation.TaskTally",
}
# Rows that are secrets in themselves; they come along only where that is asked for.
SECRETS = {"otp_totp.TOTPDevice"}


@dataclass(frozen=True, slots=True)
class BackupOptions:
    exports: bool = False
    secrets: bool = False


def write_backup(
    *,
    path: Path,
    options: BackupOptions,
    now: datetime,
    progress: Callable[[int], object] = lambda rows: None,
) -> Manifest:
    """Write the backup to `path`, readable by its owner alone; it appears there when it is whole.

    The database is read as it is at one moment, while the site goes on. Raises OSError, and
    FileExistsError where there is something under that name.
    """
    if path.exists():
        raise FileExistsError(f"{path} is there already; name a file that is not")
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w+b") as file:
            manifest = _write(Archive(file), options, now, progress)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
    return manifest


def _write(
    archive: Archive, options: BackupOptions, now: datetime, progress: Callable[[int], object]
) -> Manifest:
    with one_moment():
        applied = MigrationRecorder(connection).applied_migrations()
        for model in tables(options):
            archive.add(f"{DATA}{model._meta.label}.jsonl", _rows(model, progress), is_table=True)
    _add_folder(archive, MEDIA, Path(settings.MEDIA_ROOT))
    if options.exports:
        _add_folder(archive, EXPORTS, Path(settings.EXPORT_DIR))
    if options.secrets:
        archive.add(SECRET_KEY, iter([settings.SECRET_KEY.encode()]))
    manifest = Manifest(
        version=settings.VERSION,
        made_at=now.isoformat(),
        engine=connection.vendor,
        migrations=_by_app(applied),
        key_fingerprint=key_fingerprint(settings.SECRET_KEY),
        members=archive.members,
    )
    archive.close(manifest)
    return manifest


def tables(options: BackupOptions) -> list[type[models.Model]]:
    """The models whose rows a backup holds, in the order of their names."""
    left_out = PASSING | (set() if options.secrets else SECRETS)
    known = apps.get_models(include_auto_created=True)
    kept = [
        one
        for one in known
        if one._meta.managed and not one._meta.proxy and one._meta.label not in left_out
    ]
    return sorted(kept, key=lambda one: one._meta.label)


@contextmanager
def one_moment() -> Iterator[None]:
    """All reading inside sees the database as it was when the first read began; nobody waits."""
    if connection.in_atomic_block:  # the caller's transaction it is, then
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Not atomic(), which begins a writing transaction here and would keep everyone waiting.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")


def columns(model: type[models.Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def _rows(model: type[models.Model], progress: Callable[[int], object]) -> Iterator[bytes]:
    yield _line(columns(model))
    rows = model._base_manager.order_by("pk").values_list(*columns(model))
    for row in rows.iterator(chunk_size=ROWS_AT_ONCE):
        yield _line(row)
        progress(1)


def _line(values: object) -> bytes:
    return (json.dumps(values, default=_plain, ensure_ascii=False) + "\n").encode()


def _plain(value: Any) -> str:
    """What JSON has no word for, as the text that the field's own `to_python` reads."""
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | UUID():
            return str(value)
        case timedelta():
            return duration_iso_string(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(bytes(value)).decode()
    raise TypeError(f"a backup has no form for {type(value).__name__}")


def _add_folder(archive: Archive, prefix: str, folder: Path) -> None:
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        archive.add(f"{prefix}{path.relative_to(folder).as_posix()}", _read(path))


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _by_app(applied: Any) -> dict[str, list[str]]:
    known: dict[str, list[str]] = {}
    for app, name in sorted(applied):
        known.setdefault(app, []).append(name)
    return known


def key_fingerprint(key: str) -> str:
    """Tells whether two installations have the same SECRET_KEY, without telling the key."""
    return hmac.new(key.encode(), b"operation.backup", hashlib.sha256).hexdigest()[:16]
