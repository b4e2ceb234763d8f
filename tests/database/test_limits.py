"""A locked table, a long transaction and a restart of PostgreSQL do not stop the site."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg2
import pytest
import requests

from tests import environment
from tests.operations.manage import is_up, manage

pytestmark = pytest.mark.system
TOKEN = "a-token-of-enough-letters"
AUTHORIZATION = {"Authorization": f"Bearer {TOKEN}"}
SHOW = """
from database.limits import limit_database
from django.db import connection
limit_database({role!r})
with connection.cursor() as cursor:
    for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        cursor.execute(f"SHOW {{name}}")
        print(cursor.fetchone()[0])
"""


@pytest.fixture
def site(embedded_site, postgres_url, migrate, collected, free_port) -> dict[str, str]:
    """Return the environment of a site on PostgreSQL without Redis."""
    migrate({"DATABASE_URL": postgres_url})
    return {
        **embedded_site,
        "DATABASE_URL": postgres_url,
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "STATIC_ROOT": collected,
        "METRICS_TOKEN": TOKEN,
        "WEB_LOCK_SECONDS": "1",
        "WORKER_LOCK_SECONDS": "1",
        "MIGRATION_LOCK_SECONDS": "1",
    }


@pytest.fixture
def web(site, start_process, wait_for, tmp_path) -> str:
    url = site["SITE_URL"]
    server = (sys.executable, "-m", "gunicorn", "config.wsgi", "--threads", "4")
    start_process([*server, "--bind", urlsplit(url).netloc], env=site, log=tmp_path / "web.log")
    wait_for(lambda: is_up(url))
    return url


@contextmanager
def session(site: dict[str, str], *statements: str) -> Iterator[Any]:
    """Run the statements in a transaction of another program, which stays open."""
    connection = psycopg2.connect(site["DATABASE_URL"], application_name="psql of an admin")
    try:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            yield cursor
        connection.rollback()
    finally:
        connection.close()


def get(url: str) -> requests.Response:
    # Pages look up the session, which is unknown, and then lead to the login.
    return requests.get(url, headers={"Cookie": f"sessionid={'0' * 32}"}, timeout=20)


def test_locked_table_is_answered_logged_and_reported(site, web, tmp_path):
    lock = "LOCK TABLE django_session, crowd_hit, jobs_sweepfailure"
    with session(site, f"{lock} IN ACCESS EXCLUSIVE MODE"):
        start = time.monotonic()
        page = get(f"{web}/")
        assert time.monotonic() - start < 5
        assert (page.status_code, page.headers["Retry-After"]) == (503, "10")
        assert "database is busy" in page.text
        assert "exceeded the lock limit" in (tmp_path / "web.log").read_text()
        assert requests.get(f"{web}/health/web", timeout=20).status_code == 200
        time.sleep(10)
        ready = requests.get(f"{web}/health/ready", timeout=20).json()
        assert "psql of an admin) has locked" in ready["locks"]
        assert "crowd_hit" in ready["locks"]
        watch = "from operations.tasks import watch; watch('celery')"
        role = "from database.limits import limit_database as l; l('worker'); "
        manage(site, "shell", "-v0", "-c", role + watch)
        show = "from operations.models import Alert; print([a.key for a in Alert.objects.all()])"
        assert {"'locks'", "'database'"} <= set(
            manage(site, "shell", "-v0", "-c", show).strip("[]\n").split(", ")
        )
    assert get(f"{web}/").status_code == 200
    metrics = requests.get(f"{web}/metrics", headers=AUTHORIZATION, timeout=20).text
    assert 'touchstone_database_timeouts_total{limit="lock"} ' in metrics
    # Without the zero, Prometheus would not see the first increase.
    assert 'touchstone_database_timeouts_total{limit="statement"} 0.0' in metrics


def test_requests_outlast_a_restart_of_the_database(site, web):
    for _ in range(8):
        assert get(f"{web}/").status_code == 200
    name = urlsplit(site["DATABASE_URL"]).path.lstrip("/")
    connection = psycopg2.connect(environment.postgres_server())
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = %s",
            [name],
        )
        assert cursor.fetchone()[0] > 0
    connection.close()
    assert {get(f"{web}/").status_code for _ in range(12)} == {200}


@pytest.mark.parametrize(
    ("role", "limits"), [("web", ["30s", "1s", "10min"]), ("worker", ["15min", "1s", "10min"])]
)
def test_processes_have_limits(site, role, limits):
    assert manage(site, "shell", "-v0", "-c", SHOW.format(role=role)).split() == limits


def start_migration(site: dict[str, str], **env: str) -> subprocess.Popen[str]:
    # Drops a table that others read.
    command = [sys.executable, "manage.py", "migrate", "sessions", "zero"]
    return subprocess.Popen(
        command, cwd=environment.ROOT, env={**site, **env}, text=True, stderr=subprocess.PIPE
    )


def test_migration_during_a_backup_lets_pages_read(site):
    reading = ("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SELECT * FROM django_session")
    with session(site, *reading):
        migration = start_migration(site)
        longest, end = 0.0, time.monotonic() + 15
        while time.monotonic() < end:
            start = time.monotonic()
            with session(site, "SELECT count(*) FROM django_session"):
                longest = max(longest, time.monotonic() - start)
            time.sleep(0.1)
        assert migration.poll() is None
        assert longest < 3
    _, errors = migration.communicate(timeout=60)
    assert migration.returncode == 0, errors
    assert "A table is in use." in errors
    assert "psql of an admin" in errors


def test_migration_gives_up_with_the_reason(site):
    with session(site, "SELECT * FROM django_session"):
        migration = start_migration(site, MIGRATION_WAIT_SECONDS="0")
        _, errors = migration.communicate(timeout=60)
    assert migration.returncode == 1
    assert "A table stayed in use" in errors
    assert "Traceback" not in errors
