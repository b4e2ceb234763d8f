"""The content of a backup, and the files and installations that `restore` refuses."""

import hashlib
import json
import tracemalloc
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from annotation.models import Item, Sentence, Submission
from audit.models import StateChange
from consolidation.models import Gold
from crowd.domain.provider.hold_publishing import active_hold
from crowd.models import LedgerEntry
from operations.domain.backup_file import MANIFEST, BackupFile, BadBackupError
from operations.domain.restore_backup import RestoreError, restore_backup
from operations.domain.write_backup import key_fingerprint, write_backup
from projects.models import Project
from tests.dashboard.campaign import Campaign, make_project, make_user

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
COUNTED = (Project, Sentence, Item, Submission, Gold, LedgerEntry)


@pytest.fixture(autouse=True)
def folders(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.EXPORT_DIR = tmp_path / "exports"
    settings.IMAGE_DIR = tmp_path / "images"
    settings.UPLOAD_DIR = tmp_path / "uploads"
    return tmp_path


def empty_database() -> None:
    """Empty the database as `restore` expects it.

    Some tables refuse DELETE but allow TRUNCATE.
    """
    call_command("flush", interactive=False, verbosity=0)


def counts() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in COUNTED}


def restore(path: Path):
    return restore_backup(path=path, now=NOW)


def rewritten(path: Path, name: str, change) -> Path:
    """Return a backup with one member's bytes changed, and a manifest that matches."""
    out = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(out, "w") as after:
        manifest = json.loads(before.read(MANIFEST))
        for member in before.namelist():
            data = before.read(member)
            if member == name:
                data = change(data)
                manifest["members"][member] |= {
                    "sha256": hashlib.sha256(data).hexdigest(),
                    "size": len(data),
                }
            if member != MANIFEST:
                after.writestr(member, data)
        after.writestr(MANIFEST, json.dumps(manifest))
    return out


@pytest.fixture
def backup(transactional_db, folders) -> Path:
    """Back up a running campaign with a picture, then empty the database."""
    Campaign(make_project(), 8)
    (folders / "media").mkdir()
    (folders / "media" / "picture.png").write_bytes(b"\x89PNG" * 1000)
    (folders / "images" / "ab").mkdir(parents=True)
    (folders / "images" / "ab" / "abc").write_bytes(b"RIFF" * 1000)
    (folders / "uploads" / "cd").mkdir(parents=True)
    (folders / "uploads" / "cd" / "system.csv").write_text("for a job that waits")
    path = folders / "backup.zip"
    write_backup(path=path, now=NOW)
    (folders / "media" / "picture.png").unlink()
    (folders / "images" / "ab" / "abc").unlink()
    (folders / "uploads" / "cd" / "system.csv").unlink()
    empty_database()
    return path


def test_restore_brings_back_rows_and_files_and_holds_publishing(backup, folders, settings):
    assert counts() == dict.fromkeys(counts(), 0)
    manifest = restore(backup)
    assert manifest.key_fingerprint == key_fingerprint(settings.SECRET_KEY)
    assert Item.objects.count() == 8
    assert Gold.objects.count() == 2
    assert (folders / "media" / "picture.png").read_bytes() == b"\x89PNG" * 1000
    assert (folders / "images" / "ab" / "abc").read_bytes() == b"RIFF" * 1000
    assert (folders / "uploads" / "cd" / "system.csv").read_text() == "for a job that waits"
    assert active_hold().reason == "Restored from the backup of 2026-11-21 12:00 UTC."
    # New rows get new ids.
    make_project("second")
    assert Project.objects.count() == 2


def test_backup_of_a_restored_site_has_the_same_rows(backup, folders):
    restore(backup)
    again = folders / "again.zip"
    write_backup(path=again, now=NOW)
    changed = {
        "data/audit.DataVersion.jsonl",  # an earlier test has emptied it
        "data/audit.StateChange.jsonl",
        "data/crowd.PublishingHold.jsonl",
    }
    with BackupFile(backup) as first, BackupFile(again) as second:
        different = {
            name
            for name in first.manifest.members
            if name.startswith("data/") and list(first.lines(name)) != list(second.lines(name))
        }
        assert different == changed
        lines = [list(file.lines("data/audit.StateChange.jsonl")) for file in (first, second)]
    assert lines[1][:-1] == lines[0]


def test_backup_is_private_and_overwrites_nothing(backup):
    assert backup.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="already exists"):
        call_command("backup", out=backup)


@pytest.mark.parametrize("secrets", [False, True])
def test_secrets_are_included_only_on_request(transactional_db, folders, settings, client, secrets):
    client.force_login(make_user("rita"))
    path = folders / "backup.zip"
    write_backup(path=path, secrets=secrets, now=NOW)
    with zipfile.ZipFile(path) as archive:
        text = b"".join(archive.read(name) for name in archive.namelist())
    assert (settings.SECRET_KEY.encode() in text) is secrets
    session = Session.objects.get()
    assert session.session_key.encode() not in text
    assert session.session_data.encode() not in text


def test_truncated_backup_is_refused_and_changes_nothing(backup, folders):
    content = backup.read_bytes()
    part = folders / "part.zip"
    for length in [0, 1, 100, *range(1000, len(content), len(content) // 12), len(content) - 1]:
        part.write_bytes(content[:length])
        with pytest.raises(BadBackupError):
            restore(part)
    assert counts() == dict.fromkeys(counts(), 0)


def test_backup_with_a_changed_byte_is_refused_or_intact(backup, folders):
    content = backup.read_bytes()
    broken = folders / "broken.zip"
    refused = 0
    contents = content.index(b"PK\x01\x02")  # the start of the archive's table of contents
    anywhere = range(50, len(content), len(content) // 60)
    for at in [*anywhere, *range(contents, contents + 100)]:
        changed = bytearray(content)
        changed[at] ^= 0xFF
        broken.write_bytes(changed)
        try:
            with BackupFile(broken) as file, BackupFile(backup) as good:
                file.verify()
                # The byte does not affect content, such as a member's date.
                assert file.manifest == good.manifest
        except BadBackupError:
            refused += 1
    assert refused > 40
    assert counts() == dict.fromkeys(counts(), 0)


def test_damaged_member_is_named(backup, folders):
    broken = folders / "broken.zip"
    with zipfile.ZipFile(backup) as before, zipfile.ZipFile(broken, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            after.writestr(name, data + b"x" if name == "media/picture.png" else data)
    with pytest.raises(BadBackupError, match=r"media/picture\.png does not match"):
        restore(broken)
    assert counts() == dict.fromkeys(counts(), 0)


def test_database_with_missing_migrations_is_not_backed_up(transactional_db, folders):
    row = MigrationRecorder.Migration.objects.filter(app="auth").latest("pk")
    row.delete()
    try:
        with pytest.raises(CommandError, match="migrate first"):
            call_command("backup", out=folders / "backup.zip")
    finally:
        row.save(force_insert=True)
    assert not list(folders.glob("backup*"))


def test_command_refuses_other_files_with_a_one_line_error(db, folders, capsys):
    other = folders / "notes.zip"
    other.write_text("no archive")
    with pytest.raises(CommandError) as refusal:
        call_command("restore", other)
    assert refusal.value.returncode == 2
    assert "\n" not in str(refusal.value)
    with zipfile.ZipFile(folders / "other.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(CommandError, match="no manifest"):
        call_command("restore", folders / "other.zip")
    with pytest.raises(CommandError, match=r"absent.zip: No such file or directory\.$"):
        call_command("restore", folders / "absent.zip")


def test_installation_with_rows_is_refused(backup):
    make_project("present")
    with pytest.raises(RestoreError, match="not empty"):
        restore(backup)
    assert Project.objects.get().slug == "present"


def test_installation_with_users_only_is_refused(backup):
    get_user_model().objects.create_user("early")
    with pytest.raises(RestoreError, match="not empty"):
        restore(backup)


def test_folder_with_files_is_refused(backup, folders):
    (folders / "media" / "mine.png").write_bytes(b"mine")
    with pytest.raises(RestoreError, match="media"):
        restore(backup)
    assert counts() == dict.fromkeys(counts(), 0)


def test_row_refused_by_the_database_rolls_back_the_restore(backup, folders):
    def orphan(data: bytes) -> bytes:
        head, *rows = data.decode().splitlines()
        sentence = json.loads(head).index("sentence_id")
        broken = json.loads(rows[-1])
        broken[sentence] = 999_999
        return "\n".join([head, *rows[:-1], json.dumps(broken), ""]).encode()

    with pytest.raises(BadBackupError, match="refused a row"):
        restore(rewritten(backup, "data/annotation.Item.jsonl", orphan))
    assert counts() == dict.fromkeys(counts(), 0)
    assert not list((folders / "media").iterdir())
    assert active_hold() is None
    restore(backup)  # the intact backup can still be restored
    assert Item.objects.count() == 8


def test_failure_while_unpacking_deletes_the_backups_files_only(backup, folders):
    """The folder of images is a link here, as it may be a volume, which can't be removed."""
    (folders / "images").rename(folders / "disk")
    (folders / "images").symlink_to(folders / "disk")
    (folders / "uploads" / "cd" / "system.csv").mkdir()  # it can't be written
    with pytest.raises(IsADirectoryError):
        restore(backup)
    assert counts() == dict.fromkeys(counts(), 0)
    left = [path for name in ("media", "images") for path in (folders / name).rglob("*")]
    assert [path for path in left if path.is_file()] == []
    assert (folders / "images").is_symlink()
    (folders / "uploads" / "cd" / "system.csv").rmdir()
    restore(backup)
    assert (folders / "disk" / "ab" / "abc").read_bytes() == b"RIFF" * 1000


def with_manifest(backup: Path, change) -> Path:
    """Return the backup with its manifest changed."""
    out = backup.with_name("manifest.zip")
    with zipfile.ZipFile(backup) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            after.writestr(name, change(json.loads(data)) if name == MANIFEST else data)
    return out


@pytest.mark.parametrize(
    "values",
    [{"migrations": ["crowd"]}, {"migrations": {"crowd": 1}}, {"version": 7}, {"made_at": None}],
)
def test_manifest_with_values_of_other_types_is_refused(backup, values):
    changed = with_manifest(backup, lambda manifest: json.dumps(manifest | values))
    with pytest.raises(BadBackupError, match="no manifest"):
        restore(changed)


def test_backup_of_a_later_version_is_refused_with_its_version(backup):
    with BackupFile(backup) as file:
        file.manifest.migrations["annotation"] = "0999_from_the_future"
        text = file.manifest.as_json()
    with zipfile.ZipFile(backup) as before, zipfile.ZipFile(f"{backup}.later", "w") as after:
        for name in before.namelist():
            after.writestr(name, text if name == MANIFEST else before.read(name))
    with pytest.raises(RestoreError, match=r"annotation\.0999_from_the_future"):
        restore(Path(f"{backup}.later"))


def test_database_at_other_migrations_is_refused(backup):
    made_up = MigrationRecorder.Migration.objects.create(app="annotation", name="0998_other")
    try:
        with pytest.raises(RestoreError, match="another version"):
            restore(backup)
    finally:
        made_up.delete()


@pytest.mark.parametrize("name", ["media/../../picture.png", "media//etc/x", "media/a/../../x"])
def test_member_outside_its_folder_is_refused(backup, folders, name):
    with BackupFile(backup) as file:
        member = file.manifest.members.pop("media/picture.png")
        file.manifest.members[name] = member
        text = file.manifest.as_json()
    with zipfile.ZipFile(backup) as before, zipfile.ZipFile(folders / "out.zip", "w") as after:
        for member_name in before.namelist():
            renamed = name if member_name == "media/picture.png" else member_name
            after.writestr(renamed, text if member_name == MANIFEST else before.read(member_name))
    with pytest.raises(BadBackupError, match="is outside"):
        restore(folders / "out.zip")
    assert counts() == dict.fromkeys(counts(), 0)
    assert not list((folders / "media").iterdir())


def test_memory_does_not_grow_with_the_rows(transactional_db, folders):
    def peak(rows: int) -> int:
        StateChange.objects.bulk_create(
            StateChange(
                aggregate="annotation.Item", object_id=number, old="a", new="b", actor="x" * 100,
                at=timezone.now(),
            )
            for number in range(rows)
        )  # fmt: skip
        tracemalloc.start()
        write_backup(path=folders / f"{rows}.zip", now=NOW)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    few, many = peak(4000), peak(16_000)
    assert many - few < 2**18
