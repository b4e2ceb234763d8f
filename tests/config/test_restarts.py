"""Restarts and updates of the web server refuse no request, and its units start what exists."""

import http.client
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.test import RequestFactory

from config.environment.model import secret_names
from config.static_files import NewStaticFilesMiddleware
from tests import environment
from tests.operations.units import BIN, UNITS, sections_of


class Proxy:
    """Send POST requests in threads, as a proxy that checks the site's health does.

    It waits while the site is down, and repeats only what no site can have seen: refused connections.
    """

    CHECK_SECONDS = 0.2
    FAILURES = 2
    # Between two requests of a thread. Without it, the threads and the site would use all processors.
    PAUSE_SECONDS = 0.01

    def __init__(self, port: int, *, checks_health: bool) -> None:
        self.statuses: list[int] = []
        self.errors: list[str] = []
        self._port, self._checks_health = port, checks_health
        self._is_up, self._ended = True, threading.Event()
        work = [self._check] if checks_health else []
        self._threads = [threading.Thread(target=run) for run in [*work, *[self._load] * 4]]

    def __enter__(self) -> "Proxy":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _check(self) -> None:
        failures = 0
        while not self._ended.wait(self.CHECK_SECONDS):
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=5)
            try:
                connection.request("GET", "/health/traffic")
                is_good = connection.getresponse().status == 200
            except OSError:
                is_good = False
            finally:
                connection.close()
            failures = 0 if is_good else failures + 1
            self._is_up = failures < self.FAILURES

    def _load(self) -> None:
        connection = self._connection()
        while not self._ended.is_set():
            if not self._is_up:
                connection.close()
                time.sleep(0.05)
                continue
            try:
                connection.request("POST", "/mturk/", body=b"{}" * 500)
                response = connection.getresponse()
                response.read()
                self.statuses.append(response.status)
            except ConnectionRefusedError:
                connection.close()
                time.sleep(0.05)
            except (OSError, http.client.HTTPException) as error:
                self.errors.append(repr(error))
                connection.close()
            if not self._checks_health:  # each request on a new connection
                connection.close()
            time.sleep(self.PAUSE_SECONDS)

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=40)


@pytest.fixture
def site(embedded_site, migrate) -> dict[str, str]:
    migrate(embedded_site)
    return embedded_site


@pytest.fixture
def web(site, free_port, start_process, tmp_path, wait_for):
    """Return the port of the site, and a function that starts its web server."""
    env = {
        **site,
        "PATH": f"{BIN}:{site['PATH']}",
        "DRAIN_SECONDS": "2",
        "SITE_URL": f"http://127.0.0.1:{free_port}",
    }

    def start(**more: str) -> subprocess.Popen[bytes]:
        command = ["sh", "deploy/web", "--bind", f"127.0.0.1:{free_port}", "--workers", "2"]
        process = start_process(command, env={**env, **more}, log=tmp_path / "web.log")
        wait_for(lambda: answers(free_port), seconds=90)
        return process

    return free_port, start


def answers(port: int, path: str = "/health/live") -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.mark.system
def test_restarts_under_load_refuse_nothing(web, collected):
    port, start = web
    process = start()
    with Proxy(port, checks_health=True) as proxy:
        for _ in range(3):
            time.sleep(1)
            process.terminate()
            assert process.wait(timeout=40) == 0
            process = start()
        time.sleep(1)
    assert proxy.errors == []
    assert len(proxy.statuses) > 100
    assert max(proxy.statuses) < 500


@pytest.mark.system
def test_reloads_under_load_refuse_nothing(web, collected):
    port, start = web
    process = start()
    with Proxy(port, checks_health=False) as proxy:
        for _ in range(3):
            time.sleep(1)
            process.send_signal(signal.SIGHUP)
            time.sleep(5)
    assert proxy.errors == []
    assert len(proxy.statuses) > 100
    assert max(proxy.statuses) < 500
    process.terminate()
    assert process.wait(timeout=40) == 0


@pytest.mark.system
def test_start_collects_static_files_and_stop_warns_the_proxy(web, wait_for, tmp_path):
    port, start = web
    web_process = start(STATIC_ROOT=str(tmp_path / "static of this host"))
    assert answers(port, "/login/")  # needs the manifest of static files
    assert answers(port, "/health/traffic")
    web_process.terminate()
    wait_for(lambda: not answers(port, "/health/traffic"))
    assert answers(port, "/login/")
    assert "Control socket" not in (tmp_path / "web.log").read_text()
    assert web_process.wait(timeout=40) == 0


def test_files_of_a_new_version_are_served_by_an_old_process(settings, tmp_path):
    settings.STATIC_ROOT, settings.WHITENOISE_AUTOREFRESH = str(tmp_path), False
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = False  # as in production
    (tmp_path / "staticfiles.json").write_text("{}")
    (tmp_path / "old.0123456789ab.js").write_text("old")
    middleware = NewStaticFilesMiddleware(lambda request: None)

    def read(name: str) -> bytes | None:
        response = middleware(RequestFactory().get(f"/static/{name}"))
        return response and b"".join(response.streaming_content)

    new = tmp_path / "new.0123456789ab.js"
    assert read(new.name) is None
    new.write_text("new")
    assert read(new.name) is None  # the collection has not ended
    time.sleep(0.02)
    (tmp_path / "staticfiles.json").write_text('{"new": true}')
    assert read(new.name) == b"new"
    assert read("old.0123456789ab.js") == b"old"


@pytest.mark.parametrize("path", sorted(UNITS.iterdir()), ids=lambda path: path.name)
def test_unit_starts_a_program_of_the_checkout(path):
    service = sections_of(path)["Service"]
    assert service["Restart"] == "always"
    assert service["NoNewPrivileges"] == "yes"
    words = shlex.split(service["ExecStart"])
    for word in words:
        if word.startswith("/opt/touchstone/deploy") or word.startswith("deploy/"):
            assert (environment.ROOT / word.removeprefix("/opt/touchstone/")).is_file()
        if "/.venv/bin/" in word:
            assert (BIN / Path(word).name).is_file()


def example_settings() -> dict[str, str]:
    """Return the settings of the example for the units, with those that are commented out."""
    text = (environment.ROOT / "deploy" / "systemd.environment.example").read_text()
    return dict(re.findall(r"^(?:# )?([A-Z_]+)='?(.*?)'?$", text, re.MULTILINE))


def test_example_for_the_units_has_known_settings_that_are_safe(embedded_site):
    values = example_settings()
    known = environment.settings_variables() | {f"{name}_FILE" for name in secret_names()}
    assert set(values) - known == set()
    values |= {"SECRET_KEY": "0123456789abcdef" * 4, "VAR_DIR": embedded_site["VAR_DIR"]}
    for name in ("BACKUP_URL", "BACKUP_KEY_FILE", "METRICS_TOKEN"):
        del values[name]
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=environment.ROOT,
        env={**embedded_site, **values},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_commands_use_the_settings_and_the_user_of_the_units():
    script = (environment.ROOT / "deploy" / "manage").read_text()
    for path in UNITS.glob("touchstone-[!a]*.service"):
        service = sections_of(path)["Service"]
        assert f"\n. {service['EnvironmentFile']}\n" in script
        assert f"runuser -u {service['User']} " in script


def test_units_serve_every_queue():
    guide = (environment.ROOT / "docs" / "how-to" / "admin.md").read_text()
    [queues] = re.findall(r"systemctl enable --now .*touchstone-worker@\{([a-z,]+)\}", guide)
    assert sorted(queues.split(",")) == sorted(queue.name for queue in settings.CELERY_TASK_QUEUES)


@pytest.mark.parametrize("path", sorted(UNITS.iterdir()), ids=lambda path: path.name)
def test_systemd_accepts_the_unit(path, tmp_path):
    program = shutil.which("systemd-analyze")
    if not program:
        pytest.skip("no systemd here")
    text = path.read_text().replace("/opt/touchstone", str(environment.ROOT))
    text = re.sub(r"^(User|Group)=.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(After|Wants|Requires)=.*\n", "", text, flags=re.MULTILINE)
    copy = tmp_path / path.name.replace("@", "@celery")
    copy.write_text(text)
    done = subprocess.run(
        [program, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False
    )
    problems = [line for line in done.stderr.splitlines() if path.name.split("@")[0] in line]
    assert problems == []
