"""Write a backup of the whole installation."""

import base64
import errno
import hashlib
import hmac
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, cast
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction
from django.db.migrations.loader import MigrationLoader

from audit.errors import TouchstoneError
from audit.models import DataVersion
from crowd.domain.provider.site_key import site_key
from operations.domain.backup_file import (
    CHUNK_BYTES,
    DATA,
    EXPORTS,
    HEALTH,
    MANIFEST,
    SECRET_KEY,
    Manifest,
    Member,
    folders,
)
from operations.domain.encrypted_file import EncryptingWriter
from touchstone.program import as_called

Progress = Callable[[int], object]
ROWS_AT_ONCE = 2000
# Sessions, failed logins, password resets, notifications and monitoring, which a restored site
# does not need
EXCLUDED = {
    "sessions.Session",
    "usersessions.UserSession",
    "axes.AccessAttempt",
    "axes.AccessAttemptExpiration",
    "axes.AccessLog",
    "axes.AccessFailureLog",
    "accounts.PasswordResetRequest",
    "marketplace.RequesterSession",
    "marketplace.WorkerSession",
    "marketplace.LoginFailure",
    "operations.Alert",
    "operations.BackupRecord",
    "operations.Heartbeat",
    "operations.TaskStats",
    "projects.Digest",
    "projects.Notification",
    "projects.SavedFilter",
}
# Rows that contain secrets, included only on request
SECRETS = {"mfa.Authenticator"}


class BackupError(TouchstoneError):
    """The installation cannot be backed up."""


def write_backup(
    *,
    path: Path,
    now: datetime,
    exports: bool = False,
    secrets: bool = False,
    key: bytes | None = None,
    is_upgrade: bool = False,
    progress: Progress = lambda rows: None,
) -> Manifest:
    """Write a backup that only its owner can read, encrypted if there is a key.

    The file appears at `path` once it is complete. It contains the database at one moment, while the
    site stays in use. With `is_upgrade`, the database may lack migrations of this version, and the backup
    is of the version that it has. Raise FileExistsError if `path` exists, OSError if writing fails, and
    BackupError if migrations are missing otherwise.
    """
    if path.exists():
        raise FileExistsError(errno.EEXIST, "It already exists. Choose another file", str(path))
    if not is_upgrade:
        _check_migrations()
        site_key()  # stored now, because HITs published after the backup must have the same key
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    try:
        handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w+b") as file:
            with EncryptingWriter(file, key) if key else nullcontext(file) as out:
                manifest = _write(cast("IO[bytes]", out), exports, secrets, now, progress)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
    return manifest


def _files_in(folder: Path) -> list[Path]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in paths if HEALTH not in path.relative_to(folder).parts)


def _write(
    file: IO[bytes], exports: bool, secrets: bool, now: datetime, progress: Progress
) -> Manifest:
    members: dict[str, Member] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with one_moment():
            migrations, version = last_migrations(), _version()
            for model in tables(_stored_apps(migrations), secrets=secrets):
                name = f"{DATA}{model._meta.label}.jsonl"
                members[name] = _add(archive, name, _lines(model, progress))
        for prefix, folder in folders().items():
            if prefix != EXPORTS or exports:
                for path in _files_in(folder):
                    name = f"{prefix}{path.relative_to(folder).as_posix()}"
                    with suppress(FileNotFoundError):  # a job has read and deleted its upload
                        members[name] = _add_file(archive, name, path)
        if secrets:
            members[SECRET_KEY] = _add(archive, SECRET_KEY, [settings.SECRET_KEY.encode()])
        manifest = Manifest(
            version=version,
            made_at=now.isoformat(),
            migrations=migrations,
            key_fingerprint=key_fingerprint(settings.SECRET_KEY),
            members=members,
        )
        archive.writestr(MANIFEST, manifest.as_json())
    return manifest


def _check_migrations() -> None:
    loader = MigrationLoader(connection)
    leaves = loader.graph.leaf_nodes()
    if missing := [node for node in leaves if node not in loader.applied_migrations]:
        name = ".".join(missing[0])
        raise BackupError(as_called(f"{name} is not applied. Run manage.py migrate first"))


def last_migrations() -> dict[str, str]:
    """Return the last applied migration of each app."""
    loader = MigrationLoader(connection)
    applied = set(loader.applied_migrations)
    return {
        app: name
        for app, name in applied & set(loader.graph.nodes)
        if not any(
            child.key[0] == app and child.key in applied
            for child in loader.graph.node_map[app, name].children
        )
    }


def _stored_apps(migrations: dict[str, str]) -> Any:
    """Return the models as of these migrations."""
    loader = MigrationLoader(connection)
    if set(migrations.items()) == set(loader.graph.leaf_nodes()):
        return apps
    return loader.project_state(list(migrations.items())).apps


def _version() -> str:
    """Return the version that the data belong to."""
    last = DataVersion.objects.order_by("pk").last()
    return last.version if last else str(settings.VERSION)


def _add(archive: zipfile.ZipFile, name: str, chunks: Iterable[bytes]) -> Member:
    with archive.open(name, "w", force_zip64=True) as out:

        def written() -> Iterator[bytes]:
            for chunk in chunks:
                out.write(chunk)
                yield chunk

        return Member.of(written())


def tables(registry: Any, *, secrets: bool) -> list[type[models.Model]]:
    """Return the models whose rows a backup holds, sorted by label."""
    excluded = EXCLUDED if secrets else EXCLUDED | SECRETS
    known = stored_models(registry)
    return [known[label] for label in sorted(known.keys() - excluded)]


def stored_models(registry: Any) -> dict[str, type[models.Model]]:
    return {
        model._meta.label: model
        for model in registry.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }


@contextmanager
def one_moment() -> Iterator[None]:
    """Read the database as of the first query, without locking it."""
    if connection.in_atomic_block:  # the caller's transaction applies
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # On SQLite, atomic() starts a write transaction, which would block the site.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


def columns(model: type[models.Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def _lines(model: type[models.Model], progress: Progress) -> Iterator[bytes]:
    yield _line(columns(model))
    rows = model._base_manager.order_by("pk").values_list(*columns(model))
    for row in rows.iterator(chunk_size=ROWS_AT_ONCE):
        yield _line(row)
        progress(1)


def _line(values: object) -> bytes:
    return (json.dumps(values, default=_as_text, ensure_ascii=False) + "\n").encode()


def _as_text(value: Any) -> str:
    """Return text that the field's `to_python` can read."""
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | UUID() | timedelta():
            return str(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(bytes(value)).decode()
    raise TypeError(f"a backup has no form for {type(value).__name__}")


def _add_file(archive: zipfile.ZipFile, name: str, path: Path) -> Member:
    with path.open("rb") as file:
        return _add(archive, name, iter(lambda: file.read(CHUNK_BYTES), b""))


def key_fingerprint(key: str) -> str:
    """Return a value that identifies a SECRET_KEY and does not reveal it."""
    return hmac.new(key.encode(), b"operation.backup", hashlib.sha256).hexdigest()[:16]
