"""Backups, snapshots and drills that run when they are due, and how old the last good ones are."""

import base64
import fcntl
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection

from audit.errors import TouchstoneError
from jobs.domain.lease import renewing
from operations.domain.backup_store import (
    BACKUPS,
    ENCRYPTED,
    NoSuchBackupError,
    delete_stored,
    fetch,
    scratch_folder,
    stamp,
    store_file,
    stored_names,
    time_of,
)
from operations.domain.restore_drill import Drill, drill
from operations.domain.snapshot import take_snapshot
from operations.domain.stored_archive import archive_times, store_archive
from operations.domain.write_backup import write_backup
from operations.enums import BackupKind
from operations.models import BackupRecord

log = logging.getLogger("touchstone.backups")

WEEK, DAY = timedelta(days=7), timedelta(days=1)
# A WAL file is archived every minute, and each pass copies what is new.
ARCHIVE_PASS = timedelta(minutes=1)
# Of the lease of a run, the time after which the run renews it.
RENEWAL_SHARE = 4
# Of its interval, how long a failed run waits until it is repeated.
RETRY_SHARE = 24


@dataclass(frozen=True, slots=True)
class Expected:
    """How often a kind of backup runs, and the age at which the last good one is too old."""

    every: timedelta
    max_age: timedelta


def expected_backups() -> dict[BackupKind, Expected]:
    """Return what this site should have, according to its settings."""
    expected = {}
    if every := settings.BACKUP_EVERY:
        expected[BackupKind.BACKUP] = Expected(every, 2 * every)
        expected[BackupKind.DRILL] = Expected(WEEK, 2 * WEEK)
    if (every := settings.SNAPSHOT_EVERY) and connection.vendor == "sqlite":
        expected[BackupKind.SNAPSHOT] = Expected(every, max(6 * every, timedelta(minutes=30)))
    if settings.ARCHIVE_DIR:
        expected[BackupKind.ARCHIVE] = Expected(ARCHIVE_PASS, timedelta(minutes=15))
        expected[BackupKind.BASE] = Expected(DAY, 2 * DAY)
        expected[BackupKind.MOMENT_DRILL] = Expected(WEEK, 2 * WEEK)
    return expected


def back_up(*, clock: Callable[[], datetime]) -> None:
    """Run the backup, the copy of PostgreSQL's archive and the drill that are due."""
    if settings.ARCHIVE_DIR:
        _run(BackupKind.ARCHIVE, _store_archive, clock)
    _run(BackupKind.BACKUP, lambda record, now: store_backup(now=now), clock)
    # A new site has other things to do, and hardly anything to restore.
    if BackupRecord.objects.filter(kind=BackupKind.BACKUP, since__lte=clock() - DAY).exists():
        _run(BackupKind.DRILL, lambda record, now: drill_newest(now=now), clock)


def snapshot(*, clock: Callable[[], datetime]) -> None:
    """Take a snapshot of an SQLite database if one is due."""
    _run(BackupKind.SNAPSHOT, _store_snapshot, clock)


def record_success(kind: BackupKind, *, now: datetime) -> None:
    BackupRecord.objects.update_or_create(
        kind=kind,
        defaults={"succeeded_at": now, "problem": ""},
        create_defaults={"since": now, "succeeded_at": now},
    )


def ages(*, now: datetime) -> dict[BackupKind, timedelta | None]:
    """Return the age of the last good backup of each expected kind, None if there is none."""
    done = dict(BackupRecord.objects.values_list("kind", "succeeded_at"))
    return {kind: now - at if (at := done.get(kind)) else None for kind in expected_backups()}


def overdue(*, now: datetime) -> dict[BackupKind, str]:
    """Return a sentence for each kind whose last good backup is too old.

    A kind that is expected for the first time has as long as any other.
    """
    records = {record.kind: record for record in BackupRecord.objects.all()}
    sentences = {}
    for kind, expected in expected_backups().items():
        record = records.get(kind)
        if record and now - (record.succeeded_at or record.since) > expected.max_age:
            at = record.succeeded_at
            last = f"the last good one is of {at:%Y-%m-%d %H:%M} UTC" if at else "there is none"
            sentences[kind] = f"{kind.label}: {last}. {record.problem}".strip()
    return sentences


def expect_backups(*, now: datetime) -> None:
    """Record since when each kind is expected."""
    known = set(BackupRecord.objects.values_list("kind", flat=True))
    for kind in expected_backups().keys() - known:
        BackupRecord.objects.get_or_create(kind=kind, defaults={"since": now})


def _run(
    kind: BackupKind,
    work: Callable[[BackupRecord, datetime], object],
    clock: Callable[[], datetime],
) -> None:
    """Do the work if it is due, and record its result. Another worker may run at the same time."""
    now = clock()
    expected = expected_backups().get(kind)
    if expected is None:
        return
    record, _ = BackupRecord.objects.get_or_create(kind=kind, defaults={"since": now})
    if not _is_due(record, expected.every, now):
        return
    with _lock(kind) as is_free:
        unclaimed = BackupRecord.objects.filter(pk=record.pk, tried_at=record.tried_at)
        if is_free and unclaimed.update(tried_at=now):
            with _lease(record, clock):
                _attempt(kind, work, record, now)


@contextmanager
def _lease(record: BackupRecord, clock: Callable[[], datetime]) -> Iterator[None]:
    """Mark the run as going on. The mark of a killed process expires."""
    row = BackupRecord.objects.filter(pk=record.pk)

    def renew() -> None:
        row.update(leased_until=clock() + settings.LEASE)

    renew()
    try:
        with renewing(renew, seconds=settings.LEASE.total_seconds() / RENEWAL_SHARE):
            yield
    finally:
        row.update(leased_until=None)


@contextmanager
def _lock(kind: BackupKind) -> Iterator[bool]:
    """Yield True unless a process or thread of this host is in the block for the same kind."""
    with (settings.VAR_DIR / f"{kind}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _attempt(
    kind: BackupKind,
    work: Callable[[BackupRecord, datetime], object],
    record: BackupRecord,
    now: datetime,
) -> None:
    try:
        work(record, now)
    except (OSError, TouchstoneError) as error:
        log.warning("%s failed: %s", kind.label, error)
        BackupRecord.objects.filter(pk=record.pk).update(problem=str(error)[:300])
    except Exception as error:
        BackupRecord.objects.filter(pk=record.pk).update(problem=repr(error)[:300])
        raise


def _is_due(record: BackupRecord, every: timedelta, now: datetime) -> bool:
    """Return True if the last success is old enough. A clock that was set back delays nothing."""
    last, tried = record.succeeded_at, record.tried_at
    is_old = last is None or not timedelta() <= now - last < every
    has_waited = tried is None or not timedelta() <= now - tried < every / RETRY_SHARE
    return is_old and has_waited


def store_backup(*, now: datetime) -> str:
    """Store a backup, and delete those that are too old. Return its name."""
    name = store_unrecorded(now=now)
    record_success(BackupKind.BACKUP, now=now)
    limit = now - timedelta(days=settings.BACKUP_KEEP_DAYS)
    for old in stored_names(BACKUPS):
        if old != name and time_of(old) < limit:
            delete_stored(old)
    return name


def store_unrecorded(*, now: datetime, is_upgrade: bool = False) -> str:
    """Store a backup, and write nothing to the database. Return its name.

    `is_upgrade` is True for a database that lacks migrations.
    """
    name = f"{BACKUPS}/touchstone-{stamp(now)}.zip{ENCRYPTED if settings.BACKUP_KEY else ''}"
    with scratch_folder() as folder:
        path = Path(folder) / "backup"
        write_backup(path=path, now=now, key=settings.BACKUP_KEY, is_upgrade=is_upgrade)
        store_file(path, name)
    return name


def drill_newest(*, now: datetime) -> Drill:
    """Restore the newest stored backup into a scratch database. Raise DrillError, NoSuchBackupError."""
    names = stored_names(BACKUPS)
    if not names:
        raise NoSuchBackupError("No backup is stored yet.")
    with scratch_folder() as folder:
        path, key_file = Path(folder) / "backup", Path(folder) / "key"
        fetch(names[-1], path)
        if settings.BACKUP_KEY:
            key_file.touch(mode=0o600)
            key_file.write_bytes(base64.b64encode(settings.BACKUP_KEY))
        done = drill(path=path, key_file=key_file if settings.BACKUP_KEY else None)
    record_success(BackupKind.DRILL, now=now)
    return done


def _store_archive(record: BackupRecord, now: datetime) -> None:
    """Copy the archive to the store. Its age is that of the newest WAL file in it."""
    folder = Path(settings.ARCHIVE_DIR or "")
    times = archive_times(folder)
    if settings.BACKUP_URL:
        store_archive(folder, now=now)
    found = {
        BackupKind.ARCHIVE: times.wal,
        BackupKind.BASE: times.base,
        BackupKind.MOMENT_DRILL: times.drill,
    }
    for kind, at in found.items():
        if at:
            record_success(kind, now=at)


def _store_snapshot(record: BackupRecord, now: datetime) -> None:
    database = str(settings.DATABASES["default"]["NAME"])
    digest = take_snapshot(database=database, now=now, last_digest=record.digest)
    BackupRecord.objects.filter(pk=record.pk).update(digest=digest)
    record_success(BackupKind.SNAPSHOT, now=now)
