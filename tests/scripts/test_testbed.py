"""The private servers of `make test`, which are removed however the run ends."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest
from redis import Redis

from scripts.testbed import postgres, redis
from scripts.testbed.processes import clear_leftovers
from tests import conftest, environment

BRING_UP = """
import sys, time
from contextlib import ExitStack
from pathlib import Path
from scripts.testbed import postgres, redis
record = Path(sys.argv[1])
with ExitStack() as stack:
    print(postgres.bring_up(stack, own=True, durable=False, record=record))
    print(redis.bring_up(stack, own=True, record=record), flush=True)
    sys.stdin.read()
"""
have_programs = pytest.mark.skipif(
    not (postgres.find_programs() and redis.shutil.which("redis-server")),
    reason="PostgreSQL or Redis is not installed",
)


def bring_up(record: Path) -> tuple[subprocess.Popen[str], list[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", BRING_UP, str(record)],
        cwd=environment.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    return process, [process.stdout.readline().strip(), process.stdout.readline().strip()]


def is_open(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", urlsplit(url).port or 0)) == 0


def wait_until_closed(urls: list[str]) -> None:
    deadline = time.monotonic() + 20
    while any(map(is_open, urls)):
        assert time.monotonic() < deadline, "A server is still running after the end of its run."
        time.sleep(0.1)


@have_programs
def test_private_servers_require_their_password(tmp_path):
    process, urls = bring_up(tmp_path / "folders")
    with psycopg2.connect(urls[0]) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (True,)
    with Redis.from_url(urls[1]) as client:
        assert client.ping()
    for url in urls:
        stranger = url.replace(str(urlsplit(url).password), "guess")
        assert postgres._refusal(stranger) if "postgres" in url else not redis._answers(stranger)
    process.communicate("")
    assert process.returncode == 0
    wait_until_closed(urls)
    folders = (tmp_path / "folders").read_text().splitlines()
    assert [folder for folder in folders if Path(folder).exists()] == []


@have_programs
def test_private_servers_die_with_a_killed_run(tmp_path):
    record = tmp_path / "folders"
    process, urls = bring_up(record)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    wait_until_closed(urls)
    folders = [Path(line) for line in record.read_text().splitlines()]
    assert len(folders) == 2
    clear_leftovers(record)
    assert [folder for folder in folders if folder.exists()] == []


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("postgres://u@127.0.0.1:5432/x", True),
        ("postgres://u@localhost/x", True),
        ("postgres://u@/x?host=/var/run/postgresql", True),
        ("postgres://u@database.example/x", False),
        ("postgres://u@/x?host=database.example", False),
    ],
)
def test_only_a_local_database_is_used(url, here):
    assert postgres._is_local(url) is here


def test_redis_database_with_a_users_keys_is_left_alone(redis_url):
    with Redis.from_url(redis_url) as client:
        client.flushdb()
        client.set("somebody's", "value")
        assert not conftest._claim(client)
        assert client.keys() == [b"somebody's"]


def test_redis_database_of_an_ended_run_is_reused(redis_url):
    with Redis.from_url(redis_url) as client:
        client.flushdb()
        client.mset({conftest.CLAIM: f"{environment.ROOT}:{2**22 + 1}", "left": "over"})
        assert conftest._claim(client)
        assert client.keys() == [conftest.CLAIM.encode()]


def test_redis_database_of_an_active_run_is_left_alone(redis_url):
    with Redis.from_url(redis_url) as client:
        assert not conftest._claim(client)


def test_connection_to_another_machine_is_refused():
    with pytest.raises(conftest.OutsideConnectionError, match="not to 'touchstone"):
        socket.create_connection(("touchstone.example", 80))
    with socket.socket() as outside, pytest.raises(conftest.OutsideConnectionError):
        outside.connect(("192.0.2.1", 80))
