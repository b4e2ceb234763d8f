"""Every process of docker-compose.yml starts with its own command and settings, works and stops.

They run the installed wheel, as in the image. The containers are missing. Their addresses and paths are
replaced by those of the test.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest
import requests

from tests import environment
from tests.config.test_deploy import OURS, compose, created_secrets, settings_of

__all__ = ["compose"]
pytestmark = [pytest.mark.system, pytest.mark.slow]
WORKERS = ("worker", "outside-worker", "job-worker", "backup")
BIN = environment.ROOT / ".venv" / "bin"
UNDO_A_MIGRATION = """
DROP TABLE django_session;
DELETE FROM django_migrations WHERE app = 'sessions'
"""
HEADERS = {"Host": "touchstone.example", "X-Forwarded-Proto": "https"}


@pytest.fixture
def older_site(server_site, migrate) -> dict[str, str]:
    """Return a site that lacks one migration. All of them would take most of the test's time."""
    migrate(server_site)
    connection = psycopg2.connect(server_site["DATABASE_URL"])
    with connection, connection.cursor() as cursor:
        cursor.execute(UNDO_A_MIGRATION)
    connection.close()
    return server_site


@pytest.fixture
def image(installed_package, tmp_path) -> dict[str, str]:
    """Return variables with which the package and its program are found, as in the image."""
    script = tmp_path / "bin" / "touchstone"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m touchstone "$@"\n')
    script.chmod(0o755)
    path = f"{script.parent}:{BIN}:{os.environ['PATH']}"
    return {"PATH": path, "PYTHONPATH": str(installed_package)}


@pytest.fixture(scope="module")
def workdir(installed_package) -> Path:
    """Return the current folder of the image's processes, as in the Dockerfile."""
    return installed_package / "touchstone" / "_site"


@pytest.fixture
def site(compose, older_site, image, free_port, tmp_path) -> dict[str, dict[str, str]]:
    """Return the environment of each of our services."""
    database, redis = older_site["DATABASE_URL"], older_site["REDIS_URL"]
    created_secrets(tmp_path)
    (tmp_path / "secrets" / "database_url").write_text(database)
    archive = tmp_path / "archive"
    (archive / "wal").mkdir(parents=True)
    (archive / "id").write_text("one\n")
    (archive / "wal" / "000000010000000000000001.gz").write_bytes(b"wal")
    replaced = {
        "/run/secrets": str(tmp_path / "secrets"),
        "/archive": str(archive),
        "redis://redis:6379/0": redis,
        "http://web:8000": f"http://127.0.0.1:{free_port}",
    }
    inherited = {
        name: value
        for name, value in older_site.items()
        if name not in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")
    }
    inherited |= {
        **image,
        "STATIC_ROOT": str(tmp_path / "static"),
        "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{free_port}",
        "DRAIN_SECONDS": "1",
    }
    return {
        service: inherited | {name: _replace(value, replaced) for name, value in settings.items()}
        for service in OURS
        if (settings := settings_of(compose, service))
    }


def _replace(value: str, replaced: Mapping[str, str]) -> str:
    for ours, of_test in replaced.items():
        value = value.replace(ours, of_test)
    return value


def command_of(compose: dict, service: str) -> list[str]:
    if command := compose["services"][service].get("command"):
        return [re.sub(r"\$\{\w+:-(\w+)\}", r"\1", part) for part in command]
    [line] = re.findall(
        r"^CMD \[(.*)\]$", (environment.ROOT / "Dockerfile").read_text(), re.MULTILINE
    )
    return re.findall(r'"([^"]+)"', line)


class Containers:
    """The services, without containers."""

    def __init__(self, site: dict[str, dict[str, str]], workdir: Path, logs: Path, start) -> None:
        self._site, self._workdir, self._logs, self._start = site, workdir, logs, start

    def run(self, service: str, *command: str) -> str:
        """Return the output of a command, like `docker compose exec`."""
        env = self._site[service]
        done = subprocess.run(
            command, cwd=self._workdir, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def start(self, service: str, command: list[str]) -> subprocess.Popen[bytes]:
        log = self._logs / f"{service}.log"
        return self._start(command, env=self._site[service], log=log, cwd=self._workdir)

    def log(self, service: str) -> str:
        return (self._logs / f"{service}.log").read_text()


@pytest.fixture
def containers(site, workdir, tmp_path, start_process) -> Containers:
    return Containers(site, workdir, tmp_path, start_process)


def test_processes_start_work_and_stop(compose, site, containers, wait_for):
    containers.run("setup", *command_of(compose, "setup"))
    processes = {
        service: containers.start(service, command_of(compose, service))
        for service in ("web", *WORKERS, "beat")
    }
    url = f"http://{urlsplit(site['web']['MARKETPLACE_INTERNAL_URL']).netloc}"

    def health(page: str) -> dict[str, str]:
        try:
            return requests.get(f"{url}/health/{page}", headers=HEADERS, timeout=20).json()
        except requests.RequestException:
            return {"web": "starting"}

    wait_for(lambda: set(health("web").values()) == {"OK"}, seconds=90)
    for service in WORKERS:
        wait_for(lambda name=service: "ready." in containers.log(name), seconds=90)
    # The site calls its marketplace from the inside, past the redirect to https.
    check = "from crowd.providers.mturk.client import connect; print(connect().balance_cents())"
    balance = containers.run("worker", "touchstone", "shell", "-v0", "-c", check)
    assert balance.strip() == "10000000"
    # Beat's first heartbeat reaches the worker, which finds the marketplace.
    wait_for(lambda: health("ready").get("marketplace") == "OK", seconds=90)
    # The backup worker does what beat sends it.
    send = [*("celery", "-A", "config", "call"), "operations.tasks.back_up", "--queue", "backups"]
    containers.run("beat", *send)
    wait_for(
        lambda: ".zip.enc" in containers.run("backup", "touchstone", "stored_backups"), seconds=60
    )
    assert health("ready")["backups"] == "OK"
    for service, process in reversed(processes.items()):
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        assert process.wait(timeout=40) == 0, containers.log(service)[-3000:]
        assert time.monotonic() - begin < 30, service
