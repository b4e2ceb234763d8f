"""Fixtures for every test: the databases, the browser, and a site in processes of its own."""

import asyncio
import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fcntl import LOCK_EX, flock
from functools import cache
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import hypothesis
import psycopg2
import pytest
from django.conf import settings
from django.core.management import CommandError
from django.core.servers.basehttp import WSGIRequestHandler
from django.db import DEFAULT_DB_ALIAS, OperationalError, ProgrammingError, connections, transaction
from django.test import Client, TransactionTestCase, override_settings
from playwright.sync_api import Browser, expect, sync_playwright
from redis import Redis

from annotation.domain.resource_index import build_index
from projects.domain.resources import load_value
from projects.enums import MemberRole
from scripts.testbed import chromium as browsers
from scripts.testbed.processes import die_with_parent
from tests import environment

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# `make test-long` uses the other profile. On a busy machine, the time of an example says nothing.
hypothesis.settings.register_profile("quick", max_examples=20, deadline=None)
hypothesis.settings.register_profile("thorough", max_examples=300, deadline=None)
hypothesis.settings.load_profile("quick")
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
_numbers = count(1)

# --- the order -------------------------------------------------------------------------------


# What takes minutes besides sites and browsers; `--durations=30` tells.
LONG_FILES = {
    "test_sessions.py",
    "test_settlements.py",
    "test_training.py",
    "test_schema.py",
    "test_killed_processes.py",
    "test_fault_campaign.py",
    "test_install.py",
    "test_healthcheck.py",
    "test_republish.py",
}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long first: one that starts last keeps one process busy and the others idle."""
    slow = {
        item.path
        for item in items
        if item.get_closest_marker("system")
        or item.get_closest_marker("browser")
        or item.path.name in LONG_FILES
    }
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Spare the garbage collector the modules and the tests, which stay until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


# --- this machine and nothing else -----------------------------------------------------------


class OutsideConnectionError(Exception):
    """A test wanted to leave the machine."""


def _is_here(host: object) -> bool:
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    try:
        return ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


def _refuse_outside(host: object) -> None:
    if not _is_here(host):
        raise OutsideConnectionError(f"tests talk to this machine only, not to {host!r}")


@pytest.fixture(autouse=True)
def _no_resource_of_another_test():
    """Versions are cached by key and time, which tests use again after a rollback."""
    yield
    load_value.cache_clear()
    build_index.cache_clear()


@pytest.fixture(autouse=True)
def _no_row_fails_unnoticed(request, caplog):
    """Sweeps log a failing row and go on. A test that expects it has the marker `failing_rows`."""
    yield
    failures = [
        record.getMessage()
        for record in caplog.get_records("call")
        if record.name == "touchstone.sweep"
    ]
    assert not failures or request.node.get_closest_marker("failing_rows"), failures


@pytest.fixture(scope="session", autouse=True)
def _stay_on_this_machine() -> Iterator[None]:
    connect, connect_ex, look_up = (
        socket.socket.connect,
        socket.socket.connect_ex,
        socket.getaddrinfo,
    )

    def guarded_connect(self, address):
        if self.family != socket.AF_UNIX:
            _refuse_outside(address[0])
        return connect(self, address)

    def guarded_connect_ex(self, address):
        if self.family != socket.AF_UNIX:
            _refuse_outside(address[0])
        return connect_ex(self, address)

    def guarded_look_up(host, *args, **kwargs):
        _refuse_outside(host)
        return look_up(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket, "getaddrinfo", guarded_look_up)
        yield


# --- the ordinary database and settings --------------------------------------------------------


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Put SQLite in a file, as in production. In memory it has no WAL and only one process.

    On PostgreSQL, copy the database that was migrated for all processes.
    """
    default = connections[DEFAULT_DB_ALIAS]
    if default.vendor == "sqlite":
        default.settings_dict["TEST"]["NAME"] = str(settings.VAR_DIR / "test.sqlite3")
    else:
        default.settings_dict["TEST"]["TEMPLATE"] = _migrated_postgres(tmp_path_factory)


@pytest.fixture(scope="session", autouse=True)
def _settings_of_tests() -> Iterator[None]:
    """Use quick password hashes, static files without `collectstatic`, and no cached figures."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        STORAGES={**settings.STORAGES, "staticfiles": plain},
        WHITENOISE_USE_FINDERS=True,
        WHITENOISE_AUTOREFRESH=True,  # otherwise each client reads all static files first
        FIGURES_TIMEOUT=0,
    ):
        yield


@pytest.fixture(scope="session", autouse=True)
def _live_servers_without_delay() -> Iterator[None]:
    """They write head and body apart; on a kept connection the second waits 40 ms for the client's word
    that it has the first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WSGIRequestHandler, "disable_nagle_algorithm", True)
        yield


# --- a site in processes of its own ------------------------------------------------------------


class StartProcess(Protocol):
    def __call__(
        self, command: Sequence[str], *, env: Mapping[str, str], log: Path
    ) -> subprocess.Popen[bytes]: ...


@pytest.fixture
def job_files(settings, tmp_path: Path) -> Path:
    """Store uploads and exports in folders of the test."""
    folders = {"uploads": tmp_path / "uploads", "exports": tmp_path / "exports"}
    settings.UPLOAD_DIR, settings.EXPORT_DIR = folders.values()
    backend = "django.core.files.storage.FileSystemStorage"
    settings.STORAGES = settings.STORAGES | {
        alias: {"BACKEND": backend, "OPTIONS": {"location": folder, "allow_overwrite": True}}
        for alias, folder in folders.items()
    }
    return tmp_path


@pytest.fixture
def start_process() -> Iterator[StartProcess]:
    """Starts a program in the repository's root. It ends, with all its children, when the test
    does, and is told to when the test run is killed. What it prints goes to `log`."""
    started: list[subprocess.Popen[bytes]] = []

    def start(command, *, env, log):
        with log.open("ab") as output:
            process = subprocess.Popen(
                command,
                cwd=environment.ROOT,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509
            )
        started.append(process)
        return process

    yield start
    for process in reversed(started):
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The orderly way first; then whatever of its group is left."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=15)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def wait_for() -> Callable[[Callable[[], bool]], None]:
    """Waits until a condition holds, and fails when it does not within 30 seconds."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.1)

    return wait


@pytest.fixture
def free_port() -> int:
    return environment.find_free_port()


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """A fresh, empty PostgreSQL database for processes that a test starts; dropped afterwards."""
    server = environment.postgres_server()
    if not server:
        pytest.skip("no PostgreSQL: run `make test`, or set TEST_POSTGRES_URL")
    name = f"{environment.DATABASE_PREFIX}_{WORKER}_{next(_numbers)}"
    drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
    connection = psycopg2.connect(server)
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            cursor.execute(drop)
            cursor.execute(f"CREATE DATABASE {name}")
            yield environment.database_url(server, name)
            cursor.execute(drop)
    finally:
        connection.close()


CLAIM = "touchstone-tests"
DATABASE = "touchstone.sqlite3"  # what the embedded database is called in VAR_DIR


def _claim(client: Redis) -> bool:
    """Take this numbered database if it is empty or a dead run of this checkout left it behind."""
    mine = f"{environment.ROOT}:{os.getpid()}"
    if client.set(CLAIM, mine, nx=True):
        if client.dbsize() == 1:
            return True
        client.delete(CLAIM)  # somebody's keys: not ours to touch
        return False
    checkout, _, pid = client.get(CLAIM).decode().rpartition(":")
    if checkout != str(environment.ROOT) or Path(f"/proc/{pid}").exists():
        return False
    client.flushdb()
    return bool(client.set(CLAIM, mine, nx=True))


@pytest.fixture
def redis_url() -> Iterator[str]:
    """A Redis database that nobody else uses; emptied afterwards."""
    server = os.environ.get("TEST_REDIS_URL", "")
    if not server:
        pytest.skip("no Redis: run `make test`, or set TEST_REDIS_URL")
    for number in range(15, 0, -1):
        url = environment.database_url(server, str(number))
        with Redis.from_url(url) as client:
            if _claim(client):
                yield url
                client.flushdb()
                return
    pytest.fail("every numbered database of this Redis holds keys; free one, or stop that Redis")


def _passed_on() -> dict[str, str]:
    """What the processes that a test starts see of our environment."""
    passed_on = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    # Dozens of processes would each compile four hundred of our modules.
    for name in (
        "DATABASE_URL",
        "DJANGO_SETTINGS_MODULE",
        "DJANGO_ALLOW_ASYNC_UNSAFE",
        "PYTHONDONTWRITEBYTECODE",
    ):
        passed_on.pop(name, None)
    # One collection of static files for all the sites of a run.
    shared = str(Path(os.environ["VAR_DIR"]) / "collected")
    return {**passed_on, "STATIC_ROOT": shared}


@pytest.fixture
def embedded_site(tmp_path: Path) -> dict[str, str]:
    """The environment of a site without servers: pass it to `subprocess` as `env`."""
    return {**_passed_on(), "VAR_DIR": str(tmp_path / "var")}


def _manage(env: Mapping[str, str], *arguments: str) -> None:
    command = [sys.executable, "manage.py", *arguments]
    subprocess.run(command, cwd=environment.ROOT, env=env, check=True)


def _made_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]
) -> Path:
    """Return a folder that the first of the run's processes to need it fills with `make`."""
    own = tmp_path_factory.getbasetemp()
    shared = own if WORKER == "main" else own.parent
    folder = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not folder.exists():
            unfinished = shared / f"{name}.unfinished"
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The STATIC_ROOT of the sites of this process, filled."""

    def collect(folder: Path) -> None:
        env = {**_passed_on(), "VAR_DIR": os.environ["VAR_DIR"], "STATIC_ROOT": str(folder)}
        _manage(env, "collectstatic", "--noinput", "-v0")

    static_root = _passed_on()["STATIC_ROOT"]
    folder = _made_once(tmp_path_factory, "collected", collect)
    shutil.copytree(folder, static_root, dirs_exist_ok=True)
    return static_root


Migrate = Callable[[Mapping[str, str]], None]


@pytest.fixture(scope="session")
def migrate(tmp_path_factory: pytest.TempPathFactory) -> Migrate:
    """What `manage.py migrate` does to the new database of a site, given its environment: a copy of
    one that was migrated once for the whole run."""

    def migrate(env: Mapping[str, str]) -> None:
        if url := env.get("DATABASE_URL"):
            name, template = urlsplit(url).path.strip("/"), _migrated_postgres(tmp_path_factory)
            _on_server(f"DROP DATABASE {name}", f"CREATE DATABASE {name} TEMPLATE {template}")
            return
        migrated = _made_once(tmp_path_factory, "migrated-sqlite", _migrate)
        var = Path(env["VAR_DIR"])
        var.mkdir(parents=True, exist_ok=True)
        assert not (var / DATABASE).exists()
        shutil.copy(migrated / DATABASE, var / DATABASE)

    return migrate


def _migrated_postgres(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the name of the database on PostgreSQL that is migrated, and empty."""

    def make(folder: Path) -> None:
        server, name = environment.postgres_server(), environment.MIGRATED_DATABASE
        _on_server(f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
        _migrate(folder, DATABASE_URL=environment.database_url(server, name))

    _made_once(tmp_path_factory, "migrated-postgresql", make)
    return environment.MIGRATED_DATABASE


def _migrate(var: Path, **env: str) -> None:
    _manage({**_passed_on(), "VAR_DIR": str(var), **env}, "migrate", "-v0")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the database that was migrated for all processes, after they have ended."""
    if environment.postgres_server() and not hasattr(config, "workerinput"):
        _on_server(f"DROP DATABASE IF EXISTS {environment.MIGRATED_DATABASE}")


def _on_server(*commands: str) -> None:
    connection = psycopg2.connect(environment.postgres_server())
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            for command in commands:
                cursor.execute(command)
    finally:
        connection.close()


@pytest.fixture
def server_site(embedded_site: dict[str, str], postgres_url: str, redis_url: str) -> dict[str, str]:
    """The environment of a site on PostgreSQL and Redis, both empty."""
    return {**embedded_site, "DATABASE_URL": postgres_url, "REDIS_URL": redis_url}


@pytest.fixture(params=["embedded", "servers"])
def either_site(request: pytest.FixtureRequest) -> dict[str, str]:
    """Runs a test twice: on SQLite and the file system, and on PostgreSQL and Redis."""
    name = {"embedded": "embedded_site", "servers": "server_site"}[request.param]
    return request.getfixturevalue(name)


@pytest.fixture
def without_running_loop() -> Iterator[None]:
    """Hide the event loop that Playwright leaves running in a thread with a browser.

    Django keeps one connection for code with a loop and one for code without. Here both are the
    same, so that the test stays in its transaction.
    """
    loop, connection = asyncio._get_running_loop(), connections[DEFAULT_DB_ALIAS]
    asyncio._set_running_loop(None)
    connections[DEFAULT_DB_ALIAS] = connection
    yield
    asyncio._set_running_loop(loop)


# --- the browser -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The machine's own Chromium, driven by Playwright; open a `new_context()` per test."""
    path = browsers.find()
    if path is None:
        pytest.skip("no Chromium: run `make test`, or set TEST_CHROMIUM")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread; Django would refuse its database there.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        # Beside other tests on two cores a page has taken longer than Playwright's five seconds.
        expect.set_options(timeout=20_000)
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


# --- a project and its staff -------------------------------------------------------------------


@pytest.fixture
def project(db):
    from tests.dashboard.campaign import make_project

    return make_project()


@pytest.fixture
def campaign(project):
    from tests.dashboard.campaign import Campaign

    return Campaign(project, 12)


@pytest.fixture
def requester(project):
    from tests.dashboard.campaign import make_user

    return make_user("rita", project, MemberRole.REQUESTER)


@pytest.fixture
def office(requester) -> Client:
    """A client signed in as the project's requester."""
    client = Client()
    client.force_login(requester)
    return client


FLUSHES = 5
# What migrations fill. Tests leave it as it is.
FILLED = {"django_migrations", "django_content_type", "auth_permission"}


def _empty_tables() -> None:
    """Delete all rows of PostgreSQL, without the triggers that keep some of them.

    The locks wait for requests that outlive their page. TRUNCATE, which Django's flush uses, takes
    ten times as long, because it makes new files for each of the tables, most of which are empty.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_emptying())


@cache
def _emptying() -> str:
    """Return the statements that delete all rows. An empty table takes a twentieth of a millisecond."""
    connection = connections[DEFAULT_DB_ALIAS]
    names = {*connection.introspection.django_table_names(only_existing=True)} - FILLED
    tables = [connection.ops.quote_name(name) for name in sorted(names)]
    deletions = "; ".join(f"DELETE FROM {table}" for table in tables)
    locks = f"LOCK TABLE {', '.join(tables)}"
    return f"SET LOCAL session_replication_role = replica; {locks}; {deletions}"


@pytest.fixture(scope="session", autouse=True)
def _quick_and_repeated_flush() -> Iterator[None]:
    """Empty the database quickly after a test, and again if that has failed.

    A request that outlives its page, such as a last save, can deadlock with the flush.
    """
    flush = TransactionTestCase._fixture_teardown

    def empty(case: TransactionTestCase) -> None:
        if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
            # Only superusers may switch triggers off.
            with suppress(ProgrammingError):
                return _empty_tables()
        return flush(case)

    def repeated(case: TransactionTestCase) -> None:
        for _ in range(FLUSHES - 1):
            with suppress(CommandError, OperationalError):
                return empty(case)
            time.sleep(0.5)
        return empty(case)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", repeated)
        yield
