"""Scheduled backups are stored, encrypted, restored in a drill, and missed when they stop."""

import os
import signal
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from jobs.models import SweepFailure
from operations.domain import scheduled_backups, stored_archive
from operations.domain.alerts import current_problems
from operations.domain.backup_store import scratch_folder, stored_names
from operations.domain.encrypted_file import FORMAT
from operations.domain.scheduled_backups import ages, expect_backups, overdue, record_success
from operations.domain.snapshot import superfluous, take_snapshot
from operations.enums import BackupKind
from operations.models import BackupRecord, Heartbeat
from tests.annotation.image_bucket import forget_storages, images_in_bucket
from tests.forked import in_fork

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KEY = b"k" * 32


@pytest.fixture
def store(settings, tmp_path):
    """Store backups in a folder of the test."""
    options = {"location": tmp_path / "stored", "allow_overwrite": True}
    backend = "django.core.files.storage.FileSystemStorage"
    settings.STORAGES = settings.STORAGES | {"backups": {"BACKEND": backend, "OPTIONS": options}}
    settings.BACKUP_EVERY, settings.SNAPSHOT_EVERY, settings.ARCHIVE_DIR = DAY, None, None
    settings.BACKUP_KEY, settings.BACKUP_KEEP_DAYS = None, 14
    forget_storages()
    yield tmp_path / "stored"
    forget_storages()


@pytest.fixture
def site_folders(settings, tmp_path):
    settings.MEDIA_ROOT, settings.IMAGE_DIR = tmp_path / "media", tmp_path / "images"
    settings.UPLOAD_DIR = tmp_path / "uploads"


def back_up(now: datetime) -> None:
    scheduled_backups.back_up(clock=lambda: now)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.django_db
@pytest.mark.usefixtures("site_folders")
def test_backup_is_stored_once_a_day_drilled_and_deleted_after_two_weeks(store, settings):
    settings.BACKUP_KEY = KEY
    for hours in (0, 1, 23, 24):
        back_up(NOW + hours * HOUR)
        expect_no_drill_before(NOW + 9 * DAY)
    folder = store / "backups"
    assert names(folder) == [
        "touchstone-20261121T120000Z.zip.enc",
        "touchstone-20261122T120000Z.zip.enc",
    ]
    for path in folder.iterdir():
        assert path.read_bytes().startswith(FORMAT)
    assert not BackupRecord.objects.filter(kind=BackupKind.DRILL).exists()
    late = NOW + 15 * DAY + HOUR
    back_up(late)
    assert names(folder) == ["touchstone-20261206T130000Z.zip.enc"]
    drill = BackupRecord.objects.get(kind=BackupKind.DRILL)
    assert (drill.succeeded_at, drill.problem) == (late, "")


def expect_no_drill_before(moment: datetime) -> None:
    BackupRecord.objects.filter(kind=BackupKind.BACKUP).update(since=moment)


@pytest.mark.django_db
@pytest.mark.usefixtures("site_folders")
def test_failed_backup_is_repeated_after_an_hour_and_becomes_overdue(store):
    store.parent.mkdir(exist_ok=True)
    store.write_text("a file in place of the folder")
    for minutes in (0, 30, 59):
        back_up(NOW + timedelta(minutes=minutes))
    record = BackupRecord.objects.get(kind=BackupKind.BACKUP)
    assert (record.tried_at, record.leased_until, record.succeeded_at) == (NOW, None, None)
    assert "stored" in record.problem
    back_up(NOW + HOUR)
    record.refresh_from_db()
    assert record.tried_at == NOW + HOUR
    assert overdue(now=NOW + 2 * DAY) == {}
    [sentence] = overdue(now=NOW + 2 * DAY + HOUR).values()
    assert sentence == f"Backup: there is none. {record.problem}"
    assert f"backup {BackupKind.BACKUP}" in {
        problem.key for problem in current_problems(now=NOW + 3 * DAY)
    }
    store.unlink()
    expect_no_drill_before(NOW + 3 * DAY)
    back_up(NOW + 3 * DAY)
    assert overdue(now=NOW + 3 * DAY) == {}


@pytest.mark.django_db
@pytest.mark.usefixtures("site_folders")
def test_backup_that_takes_long_runs_once(store):
    with scheduled_backups._lock(BackupKind.BACKUP) as is_free:
        assert is_free
        back_up(NOW)
    assert stored_names("backups") == []
    back_up(NOW)
    assert len(stored_names("backups")) == 1


def lease() -> datetime | None:
    return BackupRecord.objects.get().leased_until


@pytest.mark.django_db(transaction=True)
def test_run_renews_its_lease_until_it_ends(store, settings):
    settings.LEASE = timedelta(seconds=0.4)

    def work(record: BackupRecord, now: datetime) -> None:
        first, deadline = lease(), time.monotonic() + 20
        while lease() == first:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    scheduled_backups._run(BackupKind.BACKUP, work, timezone.now)
    record = BackupRecord.objects.get()
    assert (record.leased_until, record.problem) == (None, "")


@pytest.mark.django_db(transaction=True)
def test_killed_run_leaves_a_lease_that_expires(store, settings):
    def kill(record: BackupRecord, now: datetime) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    run = in_fork(lambda: scheduled_backups._run(BackupKind.BACKUP, kill, lambda: NOW))
    assert os.WTERMSIG(run) == signal.SIGKILL
    assert lease() == NOW + settings.LEASE


@pytest.mark.django_db
def test_kinds_that_never_ran_are_overdue_after_a_while(store, settings, tmp_path):
    settings.ARCHIVE_DIR = tmp_path
    expect_backups(now=NOW)
    assert overdue(now=NOW + timedelta(minutes=15)) == {}
    assert set(overdue(now=NOW + HOUR)) == {BackupKind.ARCHIVE}
    assert set(overdue(now=NOW + 3 * DAY)) == {
        BackupKind.ARCHIVE,
        BackupKind.BASE,
        BackupKind.BACKUP,
    }
    record_success(BackupKind.BACKUP, now=NOW + 3 * DAY)
    late = NOW + 15 * DAY
    assert overdue(now=late)[BackupKind.BACKUP] == (
        "Backup: the last good one is of 2026-11-24 12:00 UTC."
    )
    assert set(overdue(now=late)) == set(BackupKind) - {BackupKind.SNAPSHOT}
    assert ages(now=late)[BackupKind.BACKUP] == 12 * DAY


@pytest.mark.django_db
@pytest.mark.usefixtures("site_folders")
def test_manual_backup_counts(store, tmp_path, capsys):
    call_command("backup", out=tmp_path / "one.zip")
    assert BackupRecord.objects.get().kind == BackupKind.BACKUP
    call_command("backup")
    [name] = stored_names("backups")
    assert capsys.readouterr().out.splitlines()[-1] == f"The backup is stored as {name}."
    call_command("stored_backups")
    assert capsys.readouterr().out == f"{name}\n"
    call_command("fetch_backup", name, out=tmp_path / "fetched.zip")
    assert (tmp_path / "fetched.zip").read_bytes() == (store / name).read_bytes()
    with pytest.raises(CommandError, match=r"No stored backup is named backups/x"):
        call_command("fetch_backup", "backups/x", out=tmp_path / "x.zip")
    with pytest.raises(CommandError, match=r"fetched\.zip: File exists"):
        call_command("fetch_backup", name, out=tmp_path / "fetched.zip")
    with pytest.raises(CommandError, match="Give --out"):
        call_command("backup", with_exports=True)


@pytest.mark.django_db
@pytest.mark.usefixtures("site_folders")
def test_backups_and_archive_in_a_bucket(store, settings, monkeypatch, tmp_path):
    archive = tmp_path / "archive"
    base, wal = "base/20261121T110000Z_000000010000000000000002", "wal/00000001000000000000000"
    files = {
        f"{base}/base.tar.gz": b"b" * 100_000,
        **{f"{wal}{number}.gz": b"w%d" % number for number in (1, 2, 3)},
        "wal/.000000010000000000000004.part": b"unfinished",
        "id": b"one\n",
    }
    for name, data in files.items():
        (archive / name).parent.mkdir(parents=True, exist_ok=True)
        (archive / name).write_bytes(data)
    stored_at = NOW.timestamp()
    os.utime(archive / f"{wal}3.gz", (stored_at, stored_at))
    for name in (f"{wal}1.gz", f"{wal}2.gz"):
        os.utime(archive / name, (stored_at - 60, stored_at - 60))
    settings.BACKUP_KEY, settings.ARCHIVE_DIR, settings.BACKUP_URL = KEY, archive, "s3://bucket"
    monkeypatch.setattr(stored_archive, "_stored", set())
    with images_in_bucket(monkeypatch, "backups") as bucket:
        later = NOW + timedelta(seconds=30)
        back_up(later)
        keys = {item.key for item in bucket.objects.all()}
        assert keys == {
            "backups/touchstone-20261121T120030Z.zip.enc",
            f"archives/one/{base}/base.tar.gz.enc",
            f"archives/one/{wal}2.gz.enc",
            f"archives/one/{wal}3.gz.enc",
        }  # the first WAL file is older than every base backup
        for item in bucket.objects.all():
            assert item.get()["Body"].read(len(FORMAT)) == FORMAT
        record = BackupRecord.objects.get(kind=BackupKind.ARCHIVE)
        assert (record.tried_at, record.succeeded_at) == (later, NOW)
        # A new process finds the same, and an empty folder deletes nothing.
        for path in (archive / "wal").iterdir():
            path.unlink()
        stored_archive._stored.clear()
        back_up(NOW + HOUR)
        assert {item.key for item in bucket.objects.all()} == keys
        call_command("fetch_archive", out=tmp_path / "fetched")
        for name in (f"{base}/base.tar.gz", f"{wal}2.gz", f"{wal}3.gz"):
            assert (tmp_path / "fetched" / name).read_bytes() == files[name]


def test_folders_of_killed_processes_are_deleted(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    killed, running = tmp_path / "backup-killed", tmp_path / "backup-running"
    for folder in (killed, running):
        folder.mkdir()
        (folder / "copy").write_bytes(b"rows")
    os.utime(killed, (0, 0))
    with scratch_folder():
        assert not killed.exists()
    assert names(tmp_path) == ["backup-running"]


def test_stored_archive_keeps_what_restores_need():
    def base(day: int, wal: int) -> str:
        return (
            f"archives/one/base/202611{day:02}T120000Z_0000000100000000000000{wal:02}/base.tar.gz"
        )

    def wal(number: int, timeline: int = 1) -> str:
        return f"archives/one/wal/{timeline:08}00000000000000{number:02}.gz.enc"

    history = "archives/one/wal/00000002.history.gz.enc"
    stored = [base(1, 10), base(8, 20), base(15, 30), wal(9), wal(19), wal(20), wal(31, 2), history]
    # A restore to noon of the 10th begins with the backup of the 8th.
    assert stored_archive.superfluous(stored, limit="20261110T120000Z") == [
        base(1, 10),
        wal(9),
        wal(19),
    ]
    assert stored_archive.superfluous(stored, limit="20261101T000000Z") == [wal(9)]
    assert stored_archive.superfluous([wal(1)], limit="20261110T120000Z") == []


@pytest.fixture
def database(embedded_site, migrate) -> Path:
    """Return the path of a migrated SQLite database, whatever the tests run on."""
    migrate(embedded_site)
    return Path(embedded_site["VAR_DIR"]) / "touchstone.sqlite3"


def execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


BEAT = (
    f"REPLACE INTO {Heartbeat._meta.db_table} (id, queue, at, marketplace_problem) "
    "VALUES (1, 'celery', '%s', '')"
)
ROW = (
    f"INSERT INTO {SweepFailure._meta.db_table} (sweep, model, object_id, error, first_failed_at, "
    "retry_at, attempts, set_aside_by) VALUES ('s', 'm', %d, 'e', '2026-11-21', '2026-11-21', 1, '')"
)


def test_snapshot_of_an_unchanged_database_is_skipped(store, settings, database, tmp_path):
    settings.BACKUP_KEY = KEY
    execute(database, ROW % 1)
    execute(database, BEAT % "2026-11-21 12:00:00")
    digest = take_snapshot(database=str(database), now=NOW, last_digest="")
    for second in (1, 2, 3):
        execute(database, BEAT % f"2026-11-21 12:00:0{second}")
        assert (
            take_snapshot(database=str(database), now=NOW + second * HOUR, last_digest=digest)
            == digest
        )
    assert names(store / "snapshots") == ["touchstone-20261121T120000Z.sqlite3.gz.enc"]
    execute(database, ROW % 2)
    assert take_snapshot(database=str(database), now=NOW + HOUR, last_digest=digest) != digest
    name = "touchstone-20261121T130000Z.sqlite3.gz.enc"
    assert names(store / "snapshots")[1] == name
    assert (store / "snapshots" / name).stat().st_size < 400_000
    call_command("fetch_backup", f"snapshots/{name}", out=tmp_path / "restored.sqlite3")
    with closing(sqlite3.connect(tmp_path / "restored.sqlite3")) as restored:
        rows = restored.execute(f"SELECT object_id FROM {SweepFailure._meta.db_table} ORDER BY 1")
        assert rows.fetchall() == [(1,), (2,)]
        assert restored.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_snapshots_are_few():
    minutes = range(0, 3 * 24 * 60, 5)
    kept: list[str] = []
    for minute in minutes:
        now = NOW + timedelta(minutes=minute)
        kept.append(f"snapshots/touchstone-{now:%Y%m%dT%H%M%SZ}.sqlite3.gz")
        old = superfluous(kept, now=now)
        kept = [name for name in kept if name not in old]
        assert len(kept) <= 12
    # The newest half hour, and the last of each hour before
    assert [name[30:34] for name in kept] == [
        *("0655", "0755", "0855", "0955", "1055"),
        *("1130", "1135", "1140", "1145", "1150", "1155"),
    ]


@pytest.mark.django_db
def test_snapshot_belongs_to_sqlite(store, settings):
    settings.SNAPSHOT_EVERY = timedelta(minutes=5)
    scheduled_backups.snapshot(clock=lambda: NOW)
    assert BackupRecord.objects.count() == (connection.vendor == "sqlite")
