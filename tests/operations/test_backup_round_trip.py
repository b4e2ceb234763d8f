"""A rehearsed campaign is backed up, wiped and restored, and its export has the same bytes.

This runs on SQLite and on PostgreSQL, and from each to the other, in separate processes.
"""

import json
import shutil
import zipfile
from pathlib import Path

import psycopg2
import pytest

from operations.domain.backup_file import MANIFEST
from tests.operations.manage import manage

pytestmark = [pytest.mark.system, pytest.mark.long]

IMPORT = """
from django.utils import timezone
from projects.domain.create_project import create_project
from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from annotation.models import Item
from consolidation.domain.gold.import_gold import import_gold
from schemes.qasrl.scheme import SCHEME
project = create_project(slug="demo", scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now())
options = CorpusOptions(fmt="qasrl-csv", items=SCHEME.sample.gold, strict=True)
Import(project=project, options=options).run([SCHEME.sample.sentences])
late = project.items.order_by("-pk").values_list("pk", flat=True)[:135]
Item.objects.filter(pk__in=list(late)).delete()
import_gold(project=project, paths=SCHEME.sample.gold, fmt="qasrl-csv", source="expert",
            on_error=lambda _: None, now=timezone.now())
"""


def export(env: dict[str, str], folder: Path) -> dict[str, bytes]:
    manage(env, "export_gold", "demo", "--format", "qasrl-csv", "--out", folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def wipe(env: dict[str, str]) -> None:
    """Delete everything but the settings and the secret key, as after a failed disk."""
    var = Path(env["VAR_DIR"])
    for path in var.iterdir():
        if path.name != "secret_key":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    if url := env.get("DATABASE_URL"):
        connection = psycopg2.connect(url)
        with connection, connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        connection.close()


def with_earlier_migration(file: Path) -> Path:
    """Return the backup as it was before a migration of a table that backups exclude."""
    out = file.with_name("earlier.zip")
    with zipfile.ZipFile(file) as before, zipfile.ZipFile(out, "w") as after:
        manifest = json.loads(before.read(MANIFEST))
        manifest["migrations"]["axes"] = "0009_add_session_hash"
        for name in before.namelist():
            is_manifest = name == MANIFEST
            after.writestr(name, json.dumps(manifest) if is_manifest else before.read(name))
    return out


def test_export_after_wipe_and_restore_has_the_same_bytes(
    either_site, postgres_url, free_port, tmp_path, migrate
):
    env = {**either_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    migrate(env)
    manage(env, "shell", "-v0", "-c", IMPORT)
    manage(env, "rehearse", "demo", "--workers", "4", "--json")
    before = export(env, tmp_path / "before")
    assert len(before) >= 3
    picture = Path(env["VAR_DIR"]) / "media" / "captions" / "one.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"\x89PNG" * 300)
    file = tmp_path / "backup.zip"
    facts = json.loads(manage(env, "backup", "--out", file, "--json"))
    assert facts["files"] == 1

    wipe(env)
    summary = json.loads(manage(env, "restore", file, "--json"))
    assert (summary["rows"], summary["same_secret_key"]) == (facts["rows"], True)
    assert export(env, tmp_path / "after") == before
    assert picture.read_bytes() == b"\x89PNG" * 300

    elsewhere = {**env, "VAR_DIR": str(tmp_path / "elsewhere")}
    if elsewhere.pop("DATABASE_URL", None) is None:
        elsewhere["DATABASE_URL"] = postgres_url
    earlier = with_earlier_migration(file)
    summary = json.loads(manage(elsewhere, "restore", earlier, "--json"))
    assert (summary["rows"], summary["same_secret_key"]) == (facts["rows"], False)
    assert export(elsewhere, tmp_path / "elsewhere-export") == before
    manage(elsewhere, "makemigrations", "--check", "--dry-run")
    manage(elsewhere, "migrate", "--check")
