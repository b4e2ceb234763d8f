"""A PostgreSQL server on which the tests may create databases."""

import getpass
import os
import secrets
import shutil
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import psycopg2

from scripts.testbed import compose, debian
from scripts.testbed.errors import MissingError
from scripts.testbed.processes import Server, free_port, private_folder, run_as_server_user

LOCAL = ("", "localhost", "127.0.0.1", "::1")
SOCKETS = "/var/run/postgresql"
# Test databases are disposable, so they need not sync to disk. They are small, so that compiling a
# query takes longer than running it.
NO_SYNC = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
NO_JIT = ["-c", "jit=off"]


def bring_up(stack: ExitStack, *, own: bool, durable: bool, record: Path) -> str:
    """Return a server's URL. `stack` stops a server that was started. Raise MissingError."""
    url = os.environ.get("TEST_POSTGRES_URL", "")
    if url and not own and _is_usable(url):
        return url
    programs = find_programs()
    if not programs and not own and (running := _answering()):
        return running
    if not programs and debian.can_install():
        debian.install("postgresql")
        programs = find_programs()
    if programs:
        return _private_cluster(stack, programs, durable=durable, record=record)
    if compose.is_usable():
        compose.start("postgres")
        stack.callback(compose.stop, "postgres")
        port = compose.port("postgres", 5432)
        return f"postgres://touchstone:touchstone@127.0.0.1:{port}/postgres"
    raise MissingError(
        "No PostgreSQL on this machine allows creating databases, and none is installed.\n"
        "    apt-get install postgresql     (as root; no setup is needed)\n"
        "or set TEST_POSTGRES_URL=postgres://user:password@127.0.0.1/postgres"
    )


def _answering() -> str | None:
    return next((url for url in _candidates() if not _refusal(url)), None)


def _candidates() -> list[str]:
    url = os.environ.get("DATABASE_URL", "")
    local = [url] if url.startswith("postgres") and _is_local(url) else []
    users = dict.fromkeys([getpass.getuser(), "postgres"])
    by_port = [f"postgres://{quote(user)}@127.0.0.1:5432/postgres" for user in users]
    by_socket = [f"postgres://{quote(user)}@/postgres?host={SOCKETS}" for user in users]
    return [*local, *by_port, *by_socket]


def _is_usable(url: str) -> bool:
    if not _is_local(url):
        return False
    if reason := _refusal(url):
        print(f"testbed: TEST_POSTGRES_URL is ignored: {reason}", file=sys.stderr)
    return not reason


def _is_local(url: str) -> bool:
    """Return True if the server is on this machine. Tests must not create databases elsewhere."""
    parts = urlsplit(url)
    host = dict(parse_qsl(parts.query)).get("host", parts.hostname or "")
    if host in LOCAL or host.startswith("/"):
        return True
    print(f"testbed: {host} is another machine, so its database is not used", file=sys.stderr)
    return False


def _refusal(url: str) -> str:
    """Return why the server cannot be used, or ''."""
    try:
        connection = psycopg2.connect(url, connect_timeout=3)
    except psycopg2.Error as error:
        return str(error)
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
        row = cursor.fetchone()
    connection.close()
    return "" if row and row[0] else "may not create databases"


def find_programs() -> Path | None:
    """Return the folder of the newest initdb, which Debian does not put on the PATH."""
    versions = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: float(path.parent.parent.name),
    )
    if versions:
        return versions[-1].parent
    program = shutil.which("initdb")
    return Path(program).resolve().parent if program else None


def _private_cluster(stack: ExitStack, programs: Path, *, durable: bool, record: Path) -> str:
    folder = private_folder(record)
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    password = secrets.token_hex(16)
    _initialise(folder, programs, password)
    port = free_port()
    server = Server(
        [str(programs / "postgres"), "-D", str(folder / "data"), "-p", str(port),
         "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
         *([] if durable else [*NO_SYNC, *NO_JIT])],
        folder=folder,
        # SIGINT is a fast shutdown. SIGTERM would wait until all clients disconnect.
        stop=signal.SIGINT,
    )  # fmt: skip
    stack.callback(server.stop)
    url = f"postgres://touchstone:{password}@127.0.0.1:{port}/postgres"
    server.wait_until(lambda: not _refusal(url))
    return url


def _initialise(folder: Path, programs: Path, password: str) -> None:
    secret = folder / "password"
    secret.write_text(password)
    shutil.chown(secret, folder.owner())
    secret.chmod(0o600)
    run_as_server_user(
        [str(programs / "initdb"), "-D", str(folder / "data"), "-U", "touchstone", "-N",
         "--no-locale", "--encoding=UTF8", "--auth=scram-sha-256", f"--pwfile={secret}"],
        cwd=folder,
    )  # fmt: skip
