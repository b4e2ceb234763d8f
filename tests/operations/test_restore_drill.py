"""A restore is rehearsed in a scratch database, and a backup that would come back changed is named."""

import base64
import json
import zipfile
from pathlib import Path

import pytest

from operations.domain.backup_file import MANIFEST
from tests.operations.manage import manage
from tests.operations.test_backup import rewritten

pytestmark = pytest.mark.system

PROJECT = """
from django.utils import timezone
from projects.domain.create_project import create_project
create_project(slug="one", title="One", scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now())
"""


@pytest.fixture
def site(embedded_site, migrate):
    migrate(embedded_site)
    manage(embedded_site, "shell", "-v0", "-c", PROJECT)
    picture = Path(embedded_site["VAR_DIR"]) / "media" / "one.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_bytes(b"\x89PNG" * 300)
    return embedded_site


def test_drill_compares_rows_and_files_and_leaves_the_site_alone(site, postgres_url, tmp_path):
    file = tmp_path / "backup.zip"
    backed_up = json.loads(manage(site, "backup", "--out", file, "--json"))
    database = Path(site["VAR_DIR"]) / "touchstone.sqlite3"
    before = database.read_bytes()
    for options in ([], ["--database-url", postgres_url]):
        facts = json.loads(manage(site, "restore_drill", file, "--json", *options))
        assert (facts["rows"], facts["files"]) == (backed_up["rows"], 1)
    assert database.read_bytes() == before


def test_drill_names_what_comes_back_changed(site, tmp_path):
    file = tmp_path / "backup.zip"
    manage(site, "backup", "--out", file)
    # A number in a text column: the database stores it as text, so it comes back as another value.
    name = "data/projects.Project.jsonl"
    changed = rewritten(file, name, lambda data: data.replace(b'"One"', b"1", 1))
    with pytest.raises(AssertionError, match=f"{name} differs"):
        manage(site, "restore_drill", changed)


def test_drill_refuses_a_damaged_backup(site, tmp_path):
    file = tmp_path / "backup.zip"
    manage(site, "backup", "--out", file)
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(file) as whole, zipfile.ZipFile(damaged, "w") as part:
        part.writestr(MANIFEST, whole.read(MANIFEST))
    with pytest.raises(AssertionError, match="restore failed"):
        manage(site, "restore_drill", damaged)


def test_drill_reads_an_encrypted_backup(site, tmp_path):
    file, key = tmp_path / "backup.zip.enc", tmp_path / "backup.key"
    key.write_text(base64.b64encode(b"k" * 32).decode())
    assert json.loads(manage(site, "backup", "--out", file, "--key-file", key, "--json"))[
        "encrypted"
    ]
    facts = json.loads(manage(site, "restore_drill", file, "--key-file", key, "--json"))
    assert facts["files"] == 1
    with pytest.raises(AssertionError, match="is encrypted"):
        manage(site, "restore_drill", file)
