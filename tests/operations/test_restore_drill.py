"""A restore drill runs in a scratch database and reports backups that would not restore unchanged."""

import base64
import json
import zipfile
from pathlib import Path

import pytest

from operations.domain.backup_file import MANIFEST, BackupFile
from operations.domain.encrypted_file import read_key
from operations.domain.restore_drill import DrillError, drill
from operations.domain.write_backup import write_backup
from tests.dashboard.campaign import Campaign, make_project
from tests.operations.manage import manage
from tests.operations.test_backup import NOW, backup, folders, rewritten

__all__ = ["backup", "folders"]

PROJECT = """
from django.utils import timezone
from projects.domain.create_project import create_project
create_project(slug="one", title="One", scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now())
"""

HOLD = """
from django.utils import timezone
from crowd.domain.provider.hold_publishing import hold_publishing
hold_publishing(reason="A restore.", actor="test", now=timezone.now())
"""


@pytest.fixture
def site(embedded_site, migrate):
    migrate(embedded_site)
    manage(embedded_site, "shell", "-v0", "-c", PROJECT)
    picture = Path(embedded_site["VAR_DIR"]) / "media" / "one.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_bytes(b"\x89PNG" * 300)
    return embedded_site


@pytest.mark.system
def test_drill_compares_rows_and_files_without_changing_the_site(site, postgres_url, tmp_path):
    file = tmp_path / "backup.zip"
    backed_up = json.loads(manage(site, "backup", "--out", file, "--json"))
    facts = json.loads(
        manage(site, "restore_drill", file, "--json", "--database-url", postgres_url)
    )
    assert (facts["rows"], facts["files"]) == (backed_up["rows"], 1)
    again = tmp_path / "again.zip"
    manage(site, "backup", "--out", again)
    with BackupFile(file) as before, BackupFile(again) as after:
        assert after.manifest.members == before.manifest.members


@pytest.mark.system
def test_newest_stored_backup_of_a_site_on_hold_is_restored_in_a_drill(site, tmp_path):
    """The scratch site must ignore the database in a file of the site, or refuse both variables."""
    key, database, store = (tmp_path / name for name in ("backup.key", "database", "other-disk"))
    key.write_text(base64.b64encode(b"k" * 32).decode())
    database.write_text(f"sqlite:///{site['VAR_DIR']}/touchstone.sqlite3")
    files = {"BACKUP_KEY_FILE": str(key), "DATABASE_URL_FILE": str(database)}
    env = {**site, **files, "BACKUP_URL": f"file://{store}"}
    manage(env, "shell", "-v0", "-c", HOLD)
    stored = json.loads(manage(env, "backup", "--json"))
    assert stored["encrypted"]
    assert (store / stored["stored"]).stat().st_mode & 0o777 == 0o600
    facts = json.loads(manage(env, "restore_drill", "--json"))
    assert facts["rows"] > 0
    assert facts["files"] == 1
    assert not list(Path(env["VAR_DIR"]).glob("backup-*"))


def test_drill_names_the_member_that_differs(backup):
    # The number is in a text column. The database stores it as text, so its value changes.
    name = "data/projects.Project.jsonl"
    changed = rewritten(backup, name, lambda data: data.replace(b'"Project demo"', b"1", 1))
    with pytest.raises(DrillError, match=f"{name} differs"):
        drill(path=changed)


def test_drill_refuses_a_damaged_backup(backup, tmp_path):
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(backup) as source, zipfile.ZipFile(damaged, "w") as target:
        target.writestr(MANIFEST, source.read(MANIFEST))
    with pytest.raises(DrillError, match="restore failed"):
        drill(path=damaged)


@pytest.mark.long
def test_drill_reads_an_encrypted_backup(transactional_db, folders, tmp_path):
    file, key = tmp_path / "backup.zip.enc", tmp_path / "backup.key"
    key.write_text(base64.b64encode(b"k" * 32).decode())
    Campaign(make_project(), 8)
    (folders / "media").mkdir()
    (folders / "media" / "picture.png").write_bytes(b"\x89PNG" * 300)
    manifest = write_backup(path=file, now=NOW, key=read_key(key))
    result = drill(path=file, key_file=key)
    assert (result.rows, result.files) == (manifest.rows, 1)
    with pytest.raises(DrillError, match="is encrypted"):
        drill(path=file)
