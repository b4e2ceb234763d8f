"""The command `upgrade` migrates a stopped site, or leaves its data as they were."""

import json
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import DATABASE
from tests.operations.manage import manage
from tests.starts import starter

pytestmark = [pytest.mark.slow, pytest.mark.system]


@pytest.fixture
def site(embedded_site, migrate, collected, free_port) -> dict[str, str]:
    """Return the environment of a site whose newest migration is not applied."""
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    migrate(env)
    manage(env, "migrate", "-v0", "web", "zero")
    return env


def rows(env: dict[str, str], statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(Path(env["VAR_DIR"]) / DATABASE)) as connection, connection:
        return connection.execute(statement).fetchall()


TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'web_%'"
APPLIED = "SELECT count(*) FROM django_migrations WHERE app = 'web'"


def test_upgrade_applies_migrations_and_keeps_a_copy(site):
    assert rows(site, TABLES) == []
    facts = json.loads(manage(site, "upgrade", "--json"))
    assert facts["migrations"] == 1
    assert rows(site, TABLES) == [("web_answeredrequest",)]
    copy = Path(facts["copy"])
    assert copy.parent == Path(site["VAR_DIR"]) / "before-upgrade"
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute(TABLES).fetchall() == []
    again = json.loads(manage(site, "upgrade", "--json"))
    assert (again["migrations"], again["copy"]) == (0, None)


def test_failed_migration_leaves_the_database_as_it_was(site):
    rows(site, "CREATE TABLE web_answeredrequest (id)")
    rows(site, "INSERT INTO web_answeredrequest VALUES (7)")
    before = rows(site, "SELECT name, sql FROM sqlite_master ORDER BY name")
    process = starter().run("manage.py", "upgrade", env=site)
    assert process.returncode == 2
    assert "the database is as before. Start the former version." in process.stderr
    assert "already exists" in process.stderr
    assert rows(site, "SELECT name, sql FROM sqlite_master ORDER BY name") == before
    assert rows(site, "SELECT * FROM web_answeredrequest") == [(7,)]
    assert rows(site, APPLIED) == [(0,)]


def test_row_without_the_row_it_refers_to_stops_the_upgrade(site):
    rows(site, "INSERT INTO auth_user_groups (user_id, group_id) VALUES (1, 1)")
    process = starter().run("manage.py", "upgrade", env=site)
    assert process.returncode == 2
    assert "the database is as before." in process.stderr
    assert "The row in table 'auth_user_groups'" in process.stderr
    assert rows(site, APPLIED) == [(0,)]


def test_running_site_is_not_upgraded(site):
    port = int(site["SITE_URL"].rpartition(":")[2])
    with socket.create_server(("127.0.0.1", port)):
        process = starter().run("manage.py", "upgrade", env=site)
    assert process.returncode == 2
    assert f"A server answers on {site['SITE_URL']}. Stop the site" in process.stderr
    assert rows(site, APPLIED) == [(0,)]
