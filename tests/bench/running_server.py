"""A gunicorn server configured as in production, and the CPU time of its processes and its database."""

import multiprocessing
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg2

from rehearsal.domain.site import process_commands
from tests.environment import ROOT

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Server:
    port: int
    pid: int
    database: str

    def web_seconds(self) -> float:
        """Return the user and system CPU time of all gunicorn processes so far."""
        return sum(map(cpu_seconds, [self.pid, *_children(self.pid)]))

    def database_seconds(self) -> float:
        """Return the CPU time of the PostgreSQL processes that serve this database.

        SQLite works inside the web processes, so its time is 0.
        """
        if not self.database.startswith("postgres"):
            return 0.0
        with psycopg2.connect(self.database) as link, link.cursor() as cursor:
            cursor.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
                "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
            return sum(cpu_seconds(pid) for (pid,) in cursor.fetchall())


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _children(pid: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def serving(application: str, env: dict[str, str], port: int) -> Iterator[Server]:
    """Serve the application with the site's own command, after both processes have loaded it."""
    command = process_commands("127.0.0.1", port)["web"]
    command[command.index("config.wsgi")] = application
    process = subprocess.Popen(command, cwd=ROOT, env=env)
    try:
        _warm_up(port)
        yield Server(port, process.pid, env["DATABASE_URL"])
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def _warm_up(port: int) -> None:
    """Send more requests at once than the server has threads, so that every process loads the code.

    Close each connection after reading, because a gunicorn process is blocked until then.
    """
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.1)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: _request_page(port), range(16)))


def _request_page(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(b"GET /hits/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        while link.recv(65_536):
            pass


def in_processes(work: Callable[..., object], tasks: Sequence[dict[str, object]]) -> list[object]:
    """Run `work` in a separate process for each set of keyword arguments and return the results."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()

    def call(arguments: dict[str, object]) -> None:
        queue.put(work(**arguments))

    started = [context.Process(target=call, args=(arguments,)) for arguments in tasks]
    for process in started:
        process.start()
    results = [queue.get() for _ in started]
    for process in started:
        process.join()
    return results


@dataclass
class Worker:
    """The background worker, with beat and all of its processes."""

    pid: int

    def seconds(self) -> float:
        """Return the user and system CPU time of its processes so far."""
        return sum(map(cpu_seconds, [self.pid, *_children(self.pid)]))


@contextmanager
def working(env: dict[str, str], port: int, log: Path) -> Iterator[Worker]:
    """Run the background worker with the site's own command."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            process_commands("127.0.0.1", port)["worker"],
            cwd=ROOT,
            env=env,
            stdout=output,
            stderr=output,
        )
    try:
        yield Worker(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
