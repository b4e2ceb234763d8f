"""PostgreSQL's archive restores the database to a moment, and the drill proves it."""

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.testbed.processes import server_identity
from tests.operations.cluster import Cluster, new_cluster
from tests.operations.manage import manage

pytestmark = pytest.mark.system
PROJECT = """
from django.utils import timezone
from projects.domain.create_project import create_project
for slug in {slugs}:
    create_project(slug=slug, title=slug, scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now())
"""
BEAT = (
    "INSERT INTO operations_heartbeat (queue, at, marketplace_problem) "
    "VALUES (left(gen_random_uuid()::text, 20), now(), '')"
)


@pytest.fixture
def cluster(tmp_path) -> Iterator[Cluster]:
    with new_cluster(tmp_path / "record") as cluster:
        yield cluster


def succeed(process: subprocess.CompletedProcess[str]) -> str:
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def moment(cluster: Cluster, commit: str = BEAT) -> str:
    """Return the present time, with commits of other seconds before and after it."""
    cluster.run_sql(commit)
    time.sleep(1.1)
    [(now,)] = cluster.run_sql(
        "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"
    )
    time.sleep(1.1)
    cluster.run_sql(commit)
    return f"{now} UTC"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_database_is_restored_to_a_moment(cluster, embedded_site, migrate):
    site = {**embedded_site, "DATABASE_URL": cluster.url()}
    migrate(site)
    succeed(cluster.script("base_backup"))
    manage(site, "shell", "-v0", "-c", PROJECT.format(slugs=["one", "two"]))
    before = moment(cluster)
    manage(site, "shell", "-v0", "-c", PROJECT.format(slugs=["three"]))
    cluster.run_sql("DELETE FROM operations_heartbeat")
    cluster.archive_everything()
    # The newest WAL file is too new for the default moment.
    output = succeed(cluster.script("drill", before))
    assert re.search(r"can be read. Its last heartbeat was at 20\d\d-", output)
    assert (cluster.archive / "drill").read_text().startswith("20")
    assert not (cluster.archive / ".drill").exists()

    # Others than the server and the site's user are kept out by the folder around the archive.
    for path in (cluster.archive / "wal", cluster.archive / "base"):
        assert {file.stat().st_mode & 0o044 for file in path.rglob("*")} == {0o044}

    for moment_, slugs in ((before, ["one", "two"]), ("latest", ["one", "three", "two"])):
        data = cluster.folder / f"restored-{len(slugs)}"
        succeed(cluster.script("restore_to", moment_, str(data)))
        with Cluster(cluster.folder, cluster.programs, data) as restored:
            rows = restored.run_sql("SELECT slug FROM projects_project ORDER BY slug")
            assert [slug for (slug,) in rows] == slugs
            backup = cluster.folder / f"{len(slugs)}.zip"
            if moment_ == before:  # the whole site can be read and goes on
                manage({**site, "DATABASE_URL": restored.url()}, "backup", "--out", backup)


def test_data_folder_is_restored_in_place(cluster):
    succeed(cluster.script("base_backup"))
    cluster.run_sql("CREATE TABLE one AS SELECT 1")
    before = moment(cluster, "CREATE OR REPLACE VIEW two AS SELECT 2")
    cluster.run_sql("DROP TABLE one")
    cluster.archive_everything()
    running = cluster.script("restore_in_place", before, PGDATA=str(cluster.data))
    assert "stop PostgreSQL first" in running.stderr
    cluster.stop()
    succeed(cluster.script("restore_in_place", before, PGDATA=str(cluster.data)))
    again = cluster.script("restore_in_place", before, PGDATA=str(cluster.data))
    assert "former away first" in again.stderr
    with Cluster(cluster.folder, cluster.programs, cluster.data) as restored:
        assert restored.run_sql("SELECT * FROM one") == [(1,)]
    assert (cluster.data / "former" / "PG_VERSION").exists()


def test_moment_outside_the_archive_is_refused(cluster, tmp_path):
    succeed(cluster.script("base_backup"))
    early = cluster.script("restore_to", "2026-01-01 00:00 UTC", str(cluster.folder / "early"))
    assert (early.returncode, early.stdout) == (1, "")
    assert "no base backup from before 2026-01-01" in early.stderr
    used = cluster.script("restore_to", "latest", str(cluster.data))
    assert "is not empty" in used.stderr
    late = cluster.script("drill", "2099-01-01 00:00 UTC")
    assert late.returncode == 1
    assert "before configured recovery target" in late.stderr
    assert not (cluster.archive / "drill").exists()
    assert not (cluster.archive / ".drill").exists()


def test_wal_file_is_stored_once_and_never_replaced(cluster):
    file = cluster.folder / "000000010000000000000009"
    file.write_bytes(b"one")
    for _ in range(2):
        succeed(cluster.script("archive_wal", str(file), file.name))
    file.write_bytes(b"two")
    refused = cluster.script("archive_wal", str(file), file.name)
    assert refused.returncode == 1
    assert "another cluster" in refused.stderr


def test_base_backup_deletes_what_no_restore_of_the_last_days_needs(cluster):
    for _ in range(3):
        cluster.archive_everything()
        succeed(cluster.script("base_backup"))
        time.sleep(1.1)
    first, second, third = names(cluster.archive / "base")
    assert min(names(cluster.archive / "wal")) < f"{first.partition('_')[2]}.gz"
    # The second backup is now older than the limit, and the newest of those.
    for name, stamp in ((first, "20260101T000000Z"), (second, "20260102T000000Z")):
        old = cluster.archive / "base" / name
        old.rename(old.with_name(f"{stamp}_{name.partition('_')[2]}"))
    succeed(cluster.script("base_backup", KEEP_DAYS="7"))
    left = names(cluster.archive / "base")
    assert left[:2] == [f"20260102T000000Z_{second.partition('_')[2]}", third]
    assert len(left) == 3
    segments = [name for name in names(cluster.archive / "wal") if re.fullmatch(r"\w{24}.gz", name)]
    assert segments[0] == f"{second.partition('_')[2]}.gz"


def test_archive_keeper_writes_the_first_backup_and_ends_at_once(cluster, wait_for, tmp_path):
    process = subprocess.Popen(
        ["sh", str(cluster.folder / "scripts" / "keep_archive")],
        env=cluster.environment(),
        **server_identity(),
    )
    try:
        wait_for(lambda: bool(names(cluster.archive / "base")))
        process.terminate()
        assert process.wait(timeout=5) == 0
    finally:
        process.kill()
        process.wait()
    assert len(names(cluster.archive / "base")) == 1
