"""Fixtures for all tests: the databases, the browser, and a site in separate processes."""

import asyncio
import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections import Counter
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

from annotation.domain.corpus.resource_index import build_index
from projects.domain.resources import load_value
from projects.enums import MemberRole
from scripts.testbed import chromium as browsers
from scripts.testbed import postgres
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
# `make test-long` uses the thorough profile. Examples have no deadline, as busy machines are slow.
hypothesis.settings.register_profile("quick", max_examples=20, deadline=None)
hypothesis.settings.register_profile("thorough", max_examples=300, deadline=None)
hypothesis.settings.load_profile("quick")
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
_numbers = count(1)


# The seconds of a test that never ran on this machine, by marker. The first that matches counts.
EXPECTED_SECONDS = {"system": 20.0, "browser": 1.5, "slow": 1.0}
OTHER_SECONDS = 0.05
# The duration of each test in the last run that included it, in pytest's cache.
DURATIONS = "touchstone/durations"
_durations: dict[str, float] = {}


@pytest.hookimpl(trylast=True)
@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Let a test in a browser that fails run once more, as Chromium may be starved of a processor.

    The summary lists such tests, so that they are not forgotten. A fault fails twice.
    """
    if item.get_closest_marker("browser"):
        item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start with the files that took longest, so that no process is busy long after the others.

    Tests that never ran count by their markers.
    """
    if not hasattr(config, "workerinput"):
        return
    known = _known_durations(config)
    totals: Counter[Path] = Counter()
    for item in items:
        expected = (
            seconds for name, seconds in EXPECTED_SECONDS.items() if item.get_closest_marker(name)
        )
        totals[item.path] += known.get(item.nodeid, next(expected, OTHER_SECONDS))
    items.sort(key=lambda item: -totals[item.path])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _durations[report.nodeid] = _durations.get(report.nodeid, 0) + report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    cache = getattr(session.config, "cache", None)
    if cache and not hasattr(session.config, "workerinput"):
        cache.set(DURATIONS, _known_durations(session.config) | _durations)


def _known_durations(config: pytest.Config) -> dict[str, float]:
    """Return the durations by test id. Without pytest's cache, none are known."""
    cache = getattr(config, "cache", None)
    return cache.get(DURATIONS, {}) if cache else {}


def pytest_collectstart() -> None:
    """Disable garbage collection, a fifth of the time, because collected tests stay until the end.

    The process that only distributes tests does not call this.
    """
    gc.disable()


def pytest_collection_finish() -> None:
    """Exclude modules and tests from garbage collection, because they stay until the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


class OutsideConnectionError(Exception):
    """A test tried to connect to another machine."""


def _is_local(host: object) -> bool:
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    try:
        return ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


def _refuse_outside(host: object) -> None:
    if not _is_local(host):
        raise OutsideConnectionError(f"tests may connect to this machine only, not to {host!r}")


@pytest.fixture(autouse=True)
def _clear_resource_caches():
    """Clear the caches by key and time, because tests reuse both after a rollback."""
    yield
    load_value.cache_clear()
    build_index.cache_clear()


@pytest.fixture(autouse=True)
def _fail_on_failing_rows(request, caplog):
    """Fail a test in which a sweep logs a failing row, unless it has the marker `failing_rows`."""
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


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Keep the copied SQLite file. The folder of the process is deleted after the run."""
    return connections[DEFAULT_DB_ALIAS].vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Copy the database that was migrated for all processes.

    SQLite is in a file, as in production. In memory it has no WAL and allows only one process.
    """
    default = connections[DEFAULT_DB_ALIAS]
    if default.vendor == "sqlite":
        path = settings.VAR_DIR / "test.sqlite3"
        shutil.copy(_migrated_sqlite(), path)
        default.settings_dict["TEST"]["NAME"] = str(path)
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
def _workers_may_be_starting() -> Iterator[None]:
    """Report no missing workers on pages, because tests of pages have none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("operations.domain.heartbeat._process_started", float("inf"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _live_servers_without_delay() -> Iterator[None]:
    """Send responses immediately, without Nagle's algorithm.

    The server writes head and body separately. On a reused connection, the body would be delayed by
    40 ms.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WSGIRequestHandler, "disable_nagle_algorithm", True)
        yield


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
    """Return a function that starts a program in the checkout, or in `cwd`, with its output in `log`.

    The program and its children end with the test. If the test run is killed, the program is
    terminated.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(command, *, env, log, cwd=environment.ROOT):
        with log.open("ab") as output:
            process = subprocess.Popen(
                command,
                cwd=cwd,
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
    """Terminate the process, then kill its process group."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=15)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def wait_for() -> Callable[..., None]:
    """Return a function that waits until a condition holds, and fails after some seconds."""

    def wait(condition: Callable[[], bool], *, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, (
                f"the condition did not hold within {seconds} seconds"
            )
            time.sleep(0.1)

    return wait


@pytest.fixture
def free_port() -> int:
    return environment.find_free_port()


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """Create an empty PostgreSQL database for processes that a test starts, and drop it afterwards."""
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
DATABASE = "touchstone.sqlite3"  # the name of the embedded database in VAR_DIR


def _claim(client: Redis) -> bool:
    """Claim a numbered database that is empty or was left by a dead run of this checkout."""
    owner = f"{environment.ROOT}:{os.getpid()}"
    if client.set(CLAIM, owner, nx=True):
        if client.dbsize() == 1:
            return True
        client.delete(CLAIM)  # the keys belong to another program
        return False
    checkout, _, pid = client.get(CLAIM).decode().rpartition(":")
    if checkout != str(environment.ROOT) or Path(f"/proc/{pid}").exists():
        return False
    client.flushdb()
    return bool(client.set(CLAIM, owner, nx=True))


@pytest.fixture
def redis_url() -> Iterator[str]:
    """Return an unused Redis database, and empty it afterwards."""
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
    pytest.fail("every numbered database of this Redis holds keys, so empty one or stop that Redis")


def _inherited_environment() -> dict[str, str]:
    """Return the environment for processes that a test starts."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    # Without cached bytecode, dozens of processes would each compile hundreds of modules.
    for name in (
        "DATABASE_URL",
        "DJANGO_SETTINGS_MODULE",
        "DJANGO_ALLOW_ASYNC_UNSAFE",
        "PYTHONDONTWRITEBYTECODE",
    ):
        inherited.pop(name, None)
    # All sites of a run share one collection of static files.
    shared = str(Path(os.environ["VAR_DIR"]) / "collected")
    return {**inherited, "STATIC_ROOT": shared}


@pytest.fixture
def embedded_site(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a site without servers, for `env` of `subprocess`."""
    return {**_inherited_environment(), "VAR_DIR": str(tmp_path / "var")}


def _manage(env: Mapping[str, str], *arguments: str) -> None:
    command = [sys.executable, "manage.py", *arguments]
    subprocess.run(command, cwd=environment.ROOT, env=env, check=True)


def _fill_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]
) -> Path:
    """Return a folder that is filled with `make` once per run, by the first process that needs it."""
    base = tmp_path_factory.getbasetemp()
    shared = base if WORKER == "main" else base.parent
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
def collected() -> str:
    """Fill the STATIC_ROOT of this process's sites, and return it."""

    def collect(folder: Path) -> None:
        env = {
            **_inherited_environment(),
            "VAR_DIR": os.environ["VAR_DIR"],
            "STATIC_ROOT": str(folder),
        }
        _manage(env, "collect_static", "-v0")

    static_root = _inherited_environment()["STATIC_ROOT"]
    folder = _made_once("collected", environment.static_files_digest(), collect)
    shutil.copytree(folder, static_root, dirs_exist_ok=True)
    return static_root


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of the committed state. Skip if there is no build backend."""
    pytest.importorskip("hatchling", reason="the build backend is not in this environment")

    def build(folder: Path) -> None:
        checkout = tmp_path_factory.mktemp("build") / "checkout"
        command = ["git", "clone", "--quiet", "--no-local", str(environment.ROOT), str(checkout)]
        subprocess.run(command, check=True)
        subprocess.run(
            [checkout / "scripts" / "build", folder],
            env={**os.environ, "PYTHON": sys.executable},
            check=True,
        )

    [path] = _fill_once(tmp_path_factory, "wheel", build).iterdir()
    return path


@pytest.fixture(scope="session")
def installed_package(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the wheel, and return the folder for PYTHONPATH."""

    def unpack(folder: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)

    folder = _fill_once(tmp_path_factory, "site-packages", unpack)
    # As pip does. Compiled files name their folder, which is the one that stays.
    subprocess.run([sys.executable, "-m", "compileall", "-q", folder], check=True)
    return folder


A_DAY = 24 * 3600
Migrate = Callable[[Mapping[str, str]], None]


@pytest.fixture(scope="session")
def migrate(tmp_path_factory: pytest.TempPathFactory) -> Migrate:
    """Return a function that migrates the new database of a site, given its environment.

    It copies a database that was migrated once. On a server of the test, it loads a dump.
    """

    def migrate(env: Mapping[str, str]) -> None:
        if url := env.get("DATABASE_URL"):
            if urlsplit(url).netloc != urlsplit(environment.postgres_server()).netloc:
                _create_tables(url, Path(env["VAR_DIR"]))
                return
            name, template = urlsplit(url).path.strip("/"), _migrated_postgres(tmp_path_factory)
            _on_server(f"DROP DATABASE {name}", f"CREATE DATABASE {name} TEMPLATE {template}")
            return
        var = Path(env["VAR_DIR"])
        var.mkdir(parents=True, exist_ok=True)
        assert not (var / DATABASE).exists()
        shutil.copy(_migrated_sqlite(), var / DATABASE)

    return migrate


def _made_once(kind: str, digest: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that `make` fills, which later runs use until the digest changes."""
    folder = environment.ROOT / "var" / kind / digest
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not folder.exists():
            for old in folder.parent.iterdir():
                if time.time() - old.stat().st_mtime > A_DAY and old.is_dir():
                    shutil.rmtree(old)
            unfinished = folder.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
    return folder


def _migrated_sqlite() -> Path:
    """Return a migrated, empty SQLite database."""
    return _made_once("migrated", environment.tables_digest(), _migrate) / DATABASE


def _migrated_postgres(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the name of the migrated, empty PostgreSQL database."""

    def make(folder: Path) -> None:
        name = environment.MIGRATED_DATABASE
        _on_server(f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
        _create_tables(environment.database_url(environment.postgres_server(), name), folder)

    _fill_once(tmp_path_factory, "migrated-postgresql", make)
    return environment.MIGRATED_DATABASE


def _create_tables(url: str, var: Path) -> None:
    """Fill an empty PostgreSQL database from a dump, or migrate it and dump it for later."""
    dump = environment.ROOT / "var" / "migrated" / f"{environment.tables_digest()}.sql"
    dump.parent.mkdir(parents=True, exist_ok=True)
    with (dump.parent / "lock-postgresql").open("w") as lock:
        flock(lock, LOCK_EX)
        if dump.exists() and _postgres_program("psql", "-q", "-1", "-f", str(dump), url=url):
            return
        _migrate(var, DATABASE_URL=url)
        _dump(url, dump)


def _dump(url: str, path: Path) -> None:
    """Dump the database for later runs, because migrations take much longer."""
    for old in path.parent.glob("*.sql"):
        old.unlink()
    unfinished = path.with_suffix(".unfinished-sql")
    if _postgres_program("pg_dump", "--no-owner", "-f", str(unfinished), url=url):
        unfinished.rename(path)


def _postgres_program(name: str, *arguments: str, url: str) -> bool:
    """Run a program of PostgreSQL, and return False if it is missing or fails."""
    programs = postgres.find_programs()
    if programs is None or not (programs / name).exists():
        return False
    stop = ("-v", "ON_ERROR_STOP=1") if name == "psql" else ()
    command = [programs / name, *stop, *arguments, "-d", url]
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0


def _migrate(var: Path, **env: str) -> None:
    _manage({**_inherited_environment(), "VAR_DIR": str(var), **env}, "migrate", "-v0")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Drop the database that was migrated for all processes, after they have ended."""
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
    """Return the environment of a site with empty PostgreSQL and Redis databases."""
    return {**embedded_site, "DATABASE_URL": postgres_url, "REDIS_URL": redis_url}


@pytest.fixture(params=["embedded", "servers"])
def either_site(request: pytest.FixtureRequest) -> dict[str, str]:
    """Run a test twice, on SQLite and the file system, and on PostgreSQL and Redis."""
    name = {"embedded": "embedded_site", "servers": "server_site"}[request.param]
    return request.getfixturevalue(name)


@pytest.fixture
def without_running_loop() -> Iterator[None]:
    """Hide the event loop that Playwright leaves running in a thread with a browser.

    Django uses separate connections for code with and without a loop. This fixture makes them the
    same, so that the test stays in its transaction.
    """
    loop, connection = asyncio._get_running_loop(), connections[DEFAULT_DB_ALIAS]
    asyncio._set_running_loop(None)
    connections[DEFAULT_DB_ALIAS] = connection
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start the machine's Chromium with Playwright. Tests open a `new_context()` each."""
    path = browsers.find()
    if path is None:
        pytest.skip("no Chromium: run `make test`, or set TEST_CHROMIUM")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, where Django would refuse database access.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        # On busy machines a page can take longer than Playwright's five seconds.
        expect.set_options(timeout=20_000)
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


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
    """Return a client that is signed in as the project's requester."""
    client = Client()
    client.force_login(requester)
    return client


FLUSHES = 5
LARGE_TABLE = 32 << 20  # bytes
_LARGE_TABLES = """
SELECT oid::regclass FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > %s
"""
# Tables that migrations fill and tests do not change.
FILLED = {"django_migrations", "django_content_type", "auth_permission"}


def _empty_tables() -> None:
    """Delete all rows of PostgreSQL, without the triggers that protect some of them.

    The locks wait for requests that outlive their page. TRUNCATE, which Django's flush uses, takes
    ten times as long, because it creates new files for each table. Only tables that a benchmark has
    filled are truncated, or the next test would read their dead rows.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_deletion_statements())
        cursor.execute(_LARGE_TABLES, [LARGE_TABLE])
        for (name,) in cursor.fetchall():
            cursor.execute(f"TRUNCATE {name} CASCADE")


@cache
def _deletion_statements() -> str:
    """Return the statements that delete all rows."""
    connection = connections[DEFAULT_DB_ALIAS]
    names = {*connection.introspection.django_table_names(only_existing=True)} - FILLED
    tables = [connection.ops.quote_name(name) for name in sorted(names)]
    deletions = "; ".join(f"DELETE FROM {table}" for table in tables)
    locks = f"LOCK TABLE {', '.join(tables)}"
    return f"SET LOCAL session_replication_role = replica; {locks}; {deletions}"


@pytest.fixture(scope="session", autouse=True)
def _quick_and_repeated_flush() -> Iterator[None]:
    """Empty the database quickly after a test, and retry if that fails.

    A request that outlives its page, such as a last save, can deadlock with the flush.
    """
    flush = TransactionTestCase._fixture_teardown

    def empty(case: TransactionTestCase) -> None:
        if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
            # Only superusers may disable triggers.
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
