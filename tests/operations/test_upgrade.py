"""The command `upgrade` migrates a stopped site, or leaves its data as they were."""

import fcntl
import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg2
import pytest
from django.conf import settings

from audit.domain import data_version
from rehearsal.domain.site import MARK
from tests.conftest import DATABASE
from tests.operations.manage import manage
from tests.starts import starter
from tests.upgrades.stored import BACKUP, FOLDER, versions

pytestmark = [pytest.mark.slow, pytest.mark.system]


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request, embedded_site, migrate, collected, free_port) -> dict[str, str]:
    """Return the environment of a site whose newest migration is not applied."""
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    if request.param == "postgresql":
        env["DATABASE_URL"] = request.getfixturevalue("postgres_url")
    migrate(env)
    # As `migrate web zero` does, which takes seconds
    run(env, "DROP TABLE web_answeredrequest", "DELETE FROM django_migrations WHERE app = 'web'")
    return env


def is_sqlite(env: dict[str, str]) -> bool:
    return "DATABASE_URL" not in env


def connect(env: dict[str, str]) -> Any:
    if is_sqlite(env):
        return sqlite3.connect(Path(env["VAR_DIR"]) / DATABASE, timeout=30)
    return psycopg2.connect(env["DATABASE_URL"])


def run(env: dict[str, str], *statements: str) -> list[tuple[Any, ...]]:
    """Run the statements in a transaction, and return the rows of the last one."""
    with closing(connect(env)) as connection, connection:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def columns(env: dict[str, str]) -> list[tuple[Any, ...]]:
    if is_sqlite(env):
        return run(env, "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return run(
        env,
        "SELECT table_name, column_name, data_type FROM information_schema.columns "
        "WHERE table_schema = 'public' ORDER BY 1, 2",
    )


APPLIED = "SELECT count(*) FROM django_migrations WHERE app = 'web'"


def before_each_migration(env: dict[str, str], sqlite: str, postgresql: str) -> None:
    """Run a statement when a migration is recorded, as part of it."""
    if is_sqlite(env):
        trigger = "CREATE TRIGGER fault AFTER INSERT ON django_migrations"
        run(env, f"{trigger} BEGIN {sqlite}; END")
        return
    run(
        env,
        "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql "
        f"AS $$ BEGIN {postgresql}; RETURN NEW; END $$",
        "CREATE TRIGGER fault AFTER INSERT ON django_migrations "
        "FOR EACH ROW EXECUTE FUNCTION fault()",
    )


def without_fault(env: dict[str, str]) -> None:
    run(env, "DROP TRIGGER fault" + ("" if is_sqlite(env) else " ON django_migrations"))


def slow_migration(env: dict[str, str], *, millions: int, seconds: float) -> None:
    before_each_migration(
        env,
        "INSERT INTO auth_group (name) SELECT 'x' || count(*) FROM (WITH RECURSIVE numbers (x) AS "
        f"(SELECT 1 UNION ALL SELECT x + 1 FROM numbers WHERE x < {millions}000000) "
        "SELECT x FROM numbers)",
        f"PERFORM pg_sleep({seconds})",
    )


def test_upgrade_backs_up_and_applies_migrations(site):
    earlier = columns(site)
    facts = json.loads(manage(site, "upgrade", "--json"))
    assert facts["migrations"] == 1
    assert run(site, APPLIED) == [(1,)]
    added = {row[0] for row in columns(site)} - {row[0] for row in earlier}
    assert added == {"web_answeredrequest"}
    again = json.loads(manage(site, "upgrade", "--json"))
    assert (again["migrations"], again["copy"], again["backup"]) == (0, None, None)
    if is_sqlite(site):
        copy = Path(facts["copy"])
        assert copy.parent == Path(site["VAR_DIR"]) / "before-upgrade"
        assert copy.stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(copy)) as connection:
            tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name"
            assert connection.execute(tables).fetchall() == earlier


def test_backup_before_an_upgrade_is_restored_and_migrated(site, tmp_path):
    if is_sqlite(site):
        pytest.skip("the database is copied")
    run(site, "INSERT INTO auth_group (name) VALUES ('annotators')")
    facts = json.loads(manage(site, "upgrade", "--json"))
    backup = tmp_path / "backup.zip"
    manage(site, "fetch_backup", facts["backup"], "--out", backup)
    with zipfile.ZipFile(backup) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert "web" not in manifest["migrations"]
    assert "data/web.AnsweredRequest.jsonl" not in manifest["members"]
    elsewhere = {**site, "VAR_DIR": str(tmp_path / "elsewhere")}
    del elsewhere["DATABASE_URL"]
    manage(elsewhere, "restore", backup)
    assert run(elsewhere, "SELECT name FROM auth_group") == [("annotators",)]
    assert run(elsewhere, APPLIED) == [(1,)]
    manage(site, "restore_drill", backup)


def failed_upgrade(env: dict[str, str]) -> str:
    """Return the last line of an upgrade that failed and changed nothing."""
    before = columns(env)
    process = starter().run("manage.py", "upgrade", env=env)
    assert process.returncode == 2
    assert columns(env) == before
    assert run(env, APPLIED) == [(0,)]
    return process.stderr.splitlines()[-1]


def test_failed_migration_leaves_the_database_as_it_was(site):
    run(
        site,
        "CREATE TABLE web_answeredrequest (id integer)",
        "INSERT INTO web_answeredrequest VALUES (7)",
    )
    line = failed_upgrade(site)
    assert "The database is as before. Start the former version." in line
    assert "already exists" in line
    assert run(site, "SELECT * FROM web_answeredrequest") == [(7,)]


def test_lost_rows_stop_the_upgrade(site):
    run(site, "INSERT INTO auth_group (name) VALUES ('a'), ('b')")
    fault = "DELETE FROM auth_group WHERE name = 'a'"
    before_each_migration(site, fault, fault)
    assert "auth_group has lost 1 rows." in failed_upgrade(site)
    assert run(site, "SELECT name FROM auth_group ORDER BY name") == [("a",), ("b",)]
    without_fault(site)
    manage(site, "upgrade")
    assert run(site, APPLIED) == [(1,)]


def test_changed_sums_of_money_stop_the_upgrade(site):
    run(
        site,
        "INSERT INTO crowd_budget (key, reserved_cents, spent_cents) VALUES ('one', 10, 20)",
    )
    fault = "UPDATE crowd_budget SET spent_cents = 21"
    before_each_migration(site, fault, fault)
    assert "crowd_budget.spent_cents adds up to 21, not 20." in failed_upgrade(site)
    assert run(site, "SELECT spent_cents FROM crowd_budget") == [(20,)]


def test_row_without_the_row_it_refers_to_stops_the_upgrade(site):
    orphan = "INSERT INTO auth_user_groups (user_id, group_id) VALUES (1, 1)"
    before_each_migration(site, orphan, orphan)
    assert "auth_user_groups" in failed_upgrade(site)


@pytest.mark.parametrize("line", ["Backing up", "Applying"])
def test_killed_upgrade_changes_nothing_and_is_repeated(
    site, line, start_process, wait_for, tmp_path
):
    slow_migration(site, millions=500, seconds=4)
    before, log = columns(site), tmp_path / "log"
    process = start_process([sys.executable, "manage.py", "upgrade"], env=site, log=log)
    wait_for(lambda: line in log.read_text())
    time.sleep(0.5 if line == "Applying" else 0)
    process.kill()
    process.wait()
    without_fault(site)  # waits until PostgreSQL has noticed
    assert columns(site) == before
    assert run(site, APPLIED) == [(0,)]
    manage(site, "upgrade")
    assert run(site, APPLIED) == [(1,)]
    assert not list(Path(site["VAR_DIR"]).glob("before-upgrade/*.part*"))


def test_interrupted_upgrade_changes_nothing(site, start_process, wait_for, tmp_path):
    slow_migration(site, millions=8, seconds=3)
    log = tmp_path / "log"
    process = start_process([sys.executable, "manage.py", "upgrade"], env=site, log=log)
    wait_for(lambda: "Applying" in log.read_text())
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 2
    assert "The upgrade was interrupted. The database is as before." in log.read_text()
    assert run(site, APPLIED) == [(0,)]


def test_full_disk_gets_no_part_of_a_copy(site):
    if not is_sqlite(site):
        pytest.skip("a backup is stored")
    folder = Path(site["VAR_DIR"]) / "before-upgrade"
    command = f"ulimit -f 64; exec {sys.executable} manage.py upgrade"  # blocks of 1 KiB
    process = subprocess.run(
        ["bash", "-c", command], env=site, capture_output=True, text=True, timeout=60, check=False
    )
    assert process.returncode == 2
    assert "The upgrade failed. The database is as before." in process.stderr
    assert list(folder.iterdir()) == []
    manage(site, "upgrade")


def test_newest_copy_is_kept_after_the_clock_was_set_back(site):
    if not is_sqlite(site):
        pytest.skip("a backup is stored")
    folder = Path(site["VAR_DIR"]) / "before-upgrade"
    folder.mkdir()
    for year in range(2091, 2095):
        (folder / f"{year}0101T000000.sqlite3").touch()
    copy = Path(json.loads(manage(site, "upgrade", "--json"))["copy"])
    kept = [copy.name, "20930101T000000.sqlite3", "20940101T000000.sqlite3"]
    assert sorted(path.name for path in folder.iterdir()) == kept


def test_second_upgrade_at_the_same_time_changes_nothing(site, start_process, wait_for, tmp_path):
    slow_migration(site, millions=8, seconds=4)
    log = tmp_path / "log"
    process = start_process([sys.executable, "manage.py", "upgrade"], env=site, log=log)
    wait_for(lambda: "Applying" in log.read_text())
    second = starter().run("manage.py", "upgrade", "--json", env=site)
    assert process.wait(timeout=60) == 0
    facts = json.loads(second.stdout)  # it has waited
    assert (facts["migrations"], facts["copy"], facts["backup"]) == (0, None, None)
    copies = "before-upgrade/*" if is_sqlite(site) else "backups/backups/*"
    assert len(list(Path(site["VAR_DIR"]).glob(copies))) == 1
    assert run(site, APPLIED) == [(1,)]


def test_running_site_is_not_upgraded(site):
    if is_sqlite(site):
        port = int(site["SITE_URL"].rpartition(":")[2])
        with socket.create_server(("127.0.0.1", port)):
            line = failed_upgrade(site)
        assert f"A server answers on {site['SITE_URL']}. Stop the site" in line
        return
    name = "touchstone web"
    with closing(psycopg2.connect(site["DATABASE_URL"], application_name=name)):
        line = failed_upgrade(site)
    assert "Processes of the site are connected to the database: touchstone web." in line


def test_site_at_another_address_is_not_upgraded(site):
    if not is_sqlite(site):
        pytest.skip("connections show it")
    mark = Path(site["VAR_DIR"]) / "run" / MARK
    mark.parent.mkdir()
    with mark.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        assert f"A site runs with the data in {site['VAR_DIR']}." in failed_upgrade(site)
    manage(site, "upgrade")  # the file stays, as after kill -9


def test_session_that_uses_a_table_is_named(site):
    if is_sqlite(site):
        pytest.skip("SQLite doesn't list its connections")
    with closing(psycopg2.connect(site["DATABASE_URL"], application_name="reports")) as other:
        other.cursor().execute("SELECT count(*) FROM auth_group")
        line = failed_upgrade(site)
    assert re.search(r"A table is in use\. Database session \d+ \(reports\) has a", line)
    assert line.endswith("End the session, and run this again.")


def test_tables_of_another_user_are_left_alone(site):
    if is_sqlite(site):
        pytest.skip("SQLite has no users")
    url, user = urlsplit(site["DATABASE_URL"]), f"owner_{uuid4().hex[:12]}"
    password = f"'{user}'"
    run(
        site,
        f"CREATE ROLE {user} LOGIN PASSWORD {password}",
        f"GRANT ALL ON SCHEMA public TO {user}",
        "DO $$ DECLARE name text; BEGIN FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = "
        f"'public' LOOP EXECUTE format('ALTER TABLE public.%I OWNER TO {user}', name); END LOOP; END $$",
        "CREATE TABLE notes_of_administrators (id integer)",
    )
    try:
        owned = url._replace(netloc=f"{user}:{user}@{url.hostname}:{url.port}").geturl()
        manage({**site, "DATABASE_URL": owned}, "upgrade")
        assert run(site, APPLIED) == [(1,)]
    finally:
        run(site, f"REASSIGN OWNED BY {user} TO CURRENT_USER")
        run(site, f"DROP OWNED BY {user}", f"DROP ROLE {user}")


def test_file_that_is_no_database_is_named_in_one_line(site):
    if not is_sqlite(site):
        pytest.skip("a database of SQLite is a file")
    (Path(site["VAR_DIR"]) / DATABASE).write_text("These bytes are not those of a database." * 100)
    for command in (["upgrade"], ["serve"], ["backup"]):
        process = starter().run("manage.py", *command, env=site)
        assert process.returncode == 2
        [line] = process.stderr.splitlines()
        assert line.endswith("The database can't be used: file is not a database.")
    assert "Traceback" not in start(site, *WEB).stderr


def test_no_process_can_write_during_the_upgrade(site, start_process, wait_for, tmp_path):
    """Not even one that the checks have not seen."""
    slow_migration(site, millions=20, seconds=4)
    log = tmp_path / "log"
    process = start_process([sys.executable, "manage.py", "upgrade"], env=site, log=log)
    wait_for(lambda: "Applying" in log.read_text())
    with closing(connect(site)) as other:
        cursor = other.cursor()
        cursor.execute(
            "PRAGMA busy_timeout = 100" if is_sqlite(site) else "SET lock_timeout = '100ms'"
        )
        with pytest.raises((sqlite3.OperationalError, psycopg2.OperationalError)) as refusal:
            cursor.execute("INSERT INTO auth_group (name) VALUES ('late')")
    assert "lock" in str(refusal.value)
    assert process.wait(timeout=60) == 0
    assert run(site, "SELECT count(*) FROM auth_group WHERE name = 'late'") == [(0,)]


def start(env: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", *command)
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


OLDER = "The data belong to version"
WEB = ("gunicorn", "config.wsgi")
WORKER = ("celery", "-A", "config", "worker", "--pool", "solo")
BEAT = ("celery", "-A", "config", "beat")


@pytest.mark.parametrize("command", [WEB, WORKER, BEAT], ids=["web", "worker", "beat"])
def test_processes_do_not_start_on_older_or_newer_data(site, command, tmp_path):
    env = {**site, "GUNICORN_CMD_ARGS": f"--bind {site['SITE_URL'].removeprefix('http://')}"}
    process = start(env, *command)
    assert process.returncode in (1, 3)
    lines = [line for line in process.stderr.splitlines() if OLDER in line]
    assert lines
    assert all("Stop the site and run `manage.py upgrade`." in line for line in lines)
    assert "Traceback" not in process.stderr

    run(
        site,
        "INSERT INTO django_migrations (app, name, applied) "
        "VALUES ('web', '0999_later', '2030-01-01')",
        "INSERT INTO audit_dataversion (version, oldest, at) VALUES ('9.0.0', '8.0.0', '2030-01-01')",
    )
    process = start(env, *command)
    assert process.returncode in (1, 3)
    assert "The data belong to version 9.0.0 (migration web.0999_later)" in process.stderr
    assert "Install version 8.0.0 or later" in process.stderr
    assert "Traceback" not in process.stderr


def test_commands_and_serve_refuse_older_data_in_one_line(site):
    for command in (["create_project", "news", "--scheme", "qasrl"], ["serve"]):
        process = starter().run("manage.py", *command, env=site)
        assert process.returncode == 2
        [line] = process.stderr.splitlines()
        assert OLDER in line
    assert run(site, APPLIED) == [(0,)]


def test_data_without_tables_are_not_upgraded(embedded_site):
    process = starter().run("manage.py", "upgrade", env=embedded_site)
    assert process.returncode == 2
    assert "The database has no tables yet." in process.stderr


def test_version_works_on_its_own_tables():
    assert data_version._number(data_version.OLDEST_VERSION) <= data_version._number(
        settings.VERSION
    )


def test_version_before_works_on_the_tables_of_a_compatible_one(site):
    manage(site, "upgrade")
    run(
        site,
        "INSERT INTO django_migrations (app, name, applied) "
        "VALUES ('web', '0999_later', '2030-01-01')",
        "INSERT INTO audit_dataversion (version, oldest, at) VALUES ('9.0.0', '1.0.0', '2030-01-01')",
    )
    manage(site, "create_project", "news", "--scheme", "qasrl")
    assert "The data are those of version 9.0.0." in manage(site, "upgrade")
    manage(site, "migrate", "-v0")  # as when an older version is started again
    versions = run(site, "SELECT version FROM audit_dataversion ORDER BY id")
    assert versions[-1] == ("9.0.0",)


@pytest.mark.parametrize("server", ["sqlite", "postgresql"])
def test_second_restore_at_the_same_time_deletes_no_file_of_the_first(
    embedded_site, server, request, start_process, tmp_path
):
    env = dict(embedded_site)
    if server == "postgresql":
        env["DATABASE_URL"] = request.getfixturevalue("postgres_url")
    log = tmp_path / "log"
    command = [sys.executable, "manage.py", "restore", FOLDER / versions()[-1] / BACKUP]
    both = [start_process(list(map(str, command)), env=env, log=log) for _ in range(2)]
    assert sorted(process.wait(timeout=120) for process in both) == [0, 2]
    [done] = [line for line in log.read_text().splitlines() if " files are restored" in line]
    files = re.search(r"and (\d+) files are restored", done)
    folders = (Path(env["VAR_DIR"]) / name for name in ("images", "uploads", "media"))
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert len(found) == int(files[1]) > 0
