"""The site's processes, as in production, started and supervised for a demo or rehearsal."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from django.conf import settings
from django.core.management import call_command

from audit.errors import TouchstoneError
from jobs.domain.end_with_parent import end_with_parent
from web.collected_static import are_collected

START_SECONDS = 60
WATCH_SECONDS = 0.5
# A file that a running site has locked. The kernel ends the lock with the process.
MARK = "lock"
# The C library gives each thread its own pool of memory, of which it returns little.
MEMORY = {"MALLOC_ARENA_MAX": "2"}


class SiteError(TouchstoneError):
    """The site cannot be started. The message contains the remedy."""


def process_commands(host: str, port: int) -> dict[str, list[str]]:
    """Return the command of each process by name."""
    python = sys.executable
    return {
        "web": [
            *(python, "-m", "gunicorn", "config.wsgi", "--bind", f"{host}:{port}"),
            *_content_binding(port),
            *("--workers", "2", "--threads", "4", "--preload"),
            *("--keep-alive", "30", "--backlog", "512", "--log-level", "warning"),
            # A machine that was stopped or is swapping must not lose its processes.
            *("--timeout", "120"),
        ],
        # The worker also sends the schedule.
        "worker": worker_command("--beat-thread", "--loglevel", "WARNING"),
    }


def worker_command(*options: str, concurrency: int = 2) -> list[str]:
    """Return the command of a process for background work."""
    return [
        # The checks load all pages. The web server's start and `manage.py check` run them.
        *(sys.executable, "-m", "celery", "-A", "config", "--skip-checks", "worker", *options),
        # Threads of one process need less memory than processes. A rehearsal occupies one of them.
        *("--pool", "threads", "--concurrency", str(concurrency)),
        *("--without-gossip", "--without-mingle"),
    ]


def add_port(parser: ArgumentParser) -> None:
    """Declare the option that `config.environment.start` reads before the settings."""
    parser.add_argument(
        "--port", type=int, help="listen on this port of 127.0.0.1, instead of SITE_URL"
    )


def check_ports() -> None:
    """Raise SiteError if a port of the site is in use, before anything is prepared."""
    if address := answering_address():
        port = urlsplit(settings.SITE_URL).port or 80
        raise SiteError(
            f"Another server answers on {address}. If it is this site, use it. Otherwise stop it, or "
            f"choose another port, such as --port {port + 10}."
        )


def answering_address() -> str:
    """Return an address of the site that a server answers, or an empty string."""
    site, content = urlsplit(settings.SITE_URL), urlsplit(settings.MARKETPLACE_CONTENT_URL)
    addresses = [(str(site.hostname), site.port or 80)]
    if _content_binding(site.port or 80):
        addresses.append(("127.0.0.1", content.port or 80))
    taken = (f"http://{host}:{port}" for host, port in addresses if _answers(host, port))
    return next(taken, "")


def _content_binding(site_port: int) -> list[str]:
    """Return the option to listen on the port of HTMLQuestions, if it is another one here."""
    content = urlsplit(settings.MARKETPLACE_CONTENT_URL)
    if content.hostname != "localhost" or content.port in (None, site_port):
        return []
    return ["--bind", f"127.0.0.1:{content.port}"]


def is_running_here() -> bool:
    """Return True if a `Site` runs with these data, at any address."""
    try:
        with (_run_folder() / MARK).open() as mark:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


class Site:
    """A context manager that runs the processes, and stops them with their children."""

    def __init__(self, **environment: str) -> None:
        self._environment = environment
        parts = urlsplit(settings.SITE_URL)
        self._host, self._port = str(parts.hostname), parts.port or 80
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._closing = threading.Event()
        self._watch = threading.Thread(target=self._watch_over, daemon=True)

    def __enter__(self) -> "Site":
        if _answers(self._host, self._port):
            raise SiteError(
                f"Another server answers on {settings.SITE_URL}. If it is this site, pass its URL as "
                "--url. Otherwise stop it, or set SITE_URL to a free port."
            )
        if not are_collected():
            call_in_child("collect_static")
        for folder in (_log_folder(), _run_folder()):
            folder.mkdir(parents=True, exist_ok=True)
        self._mark = (_run_folder() / MARK).open("w")
        fcntl.flock(self._mark, fcntl.LOCK_SH)
        self._start("web")
        try:
            wait_until_up(settings.SITE_URL, seconds=START_SECONDS)
        except BaseException:
            self._stop()
            self._mark.close()
            raise
        # Started together, they would share the processors, and the first page would come later.
        self._start("worker")
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        if self._watch.is_alive():
            self._watch.join()
        self._stop()
        self._mark.close()

    def restart(self, environment: dict[str, str]) -> None:
        """Replace the processes to free their memory. The worker gets the given environment.

        The web server replaces its own processes, so that it refuses no request.
        """
        self._environment = environment
        self._processes["web"].send_signal(signal.SIGHUP)
        self._processes["worker"].terminate()

    def _start(self, name: str) -> None:
        with (_log_folder() / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(  # noqa: S603
                process_commands(self._host, self._port)[name],
                cwd=settings.BASE_DIR,
                env={**os.environ, **MEMORY, **self._environment, "SITE_URL": settings.SITE_URL},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 - system calls, no Python lock
            )
        (_run_folder() / f"{name}.pid").write_text(str(self._processes[name].pid))

    def _watch_over(self) -> None:
        while not self._closing.wait(WATCH_SECONDS):
            for name, process in list(self._processes.items()):
                if process.poll() is not None:
                    _kill_group(process)
                    self._start(name)

    def _stop(self) -> None:
        for process in self._processes.values():
            process.terminate()  # the parent stops its children once they finish
        for name, process in self._processes.items():
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            _kill_group(process)
            (_run_folder() / f"{name}.pid").unlink(missing_ok=True)


def call_in_child(command: str, **options: Any) -> None:
    """Run a management command in a forked process, so that this one does not keep its memory."""
    with ProcessPoolExecutor(1, get_context("fork")) as process:
        process.submit(call_command, command, verbosity=0, **options).result()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group, which includes children that the process left behind."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _log_folder() -> Path:
    return Path(settings.VAR_DIR) / "log"


def _run_folder() -> Path:
    return Path(settings.VAR_DIR) / "run"


def _answers(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def wait_until_up(url: str, *, seconds: float) -> None:
    """Wait until the site answers. Raise SiteError after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if requests.get(f"{url}/hits/", timeout=5).status_code < 500:
                return
        except (requests.ConnectionError, requests.Timeout):
            pass  # still starting
        time.sleep(0.2)
    raise SiteError(f"{url} does not answer. See its log in {_log_folder()}.")


@contextmanager
def running_site(url: str | None, environment: dict[str, str]) -> Iterator[str]:
    """Yield the URL of a running site, which is `url` or a site started for the context."""
    if url:
        wait_until_up(url.rstrip("/"), seconds=10)
        yield url.rstrip("/")
        return
    with Site(**environment):
        yield settings.SITE_URL
