"""A PostgreSQL cluster with continuous archiving, which a test starts and restores."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import psycopg2
import pytest

from scripts.testbed.postgres import find_programs
from scripts.testbed.processes import Server, free_port, private_folder, server_identity
from tests import environment

SCRIPTS = environment.ROOT / "deploy" / "postgres"
# Commits are written before they are confirmed, so a killed server loses none. The disk needs no sync.
KILLED_SAFELY = ["-c", "synchronous_commit=on", "-c", "fsync=off", "-c", "full_page_writes=off"]


class Cluster:
    """A context manager that starts a cluster in `data`, a folder of the servers' user.

    A restored cluster would begin a timeline of its own in the archive, which later restores follow.
    """

    def __init__(self, folder: Path, programs: Path, data: Path, *, archives: bool = False) -> None:
        self.folder, self.programs, self.data = folder, programs, data
        self._mode = "on" if archives else "off"
        self.archive, self.port = folder / "archive", free_port()

    def __enter__(self) -> Self:
        self.start()
        return self

    def start(self) -> None:
        script = f"ARCHIVE={self.archive} sh {self.folder}/scripts/archive_wal %p %f"
        self._server = Server(
            [str(self.programs / "postgres"), "-D", str(self.data), "-p", str(self.port),
             "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self.folder}",
             "-c", f"archive_mode={self._mode}", "-c", f"archive_command={script}",
             "-c", "archive_timeout=60s",
             "-c", f"hba_file={self.folder}/hba", *KILLED_SAFELY],
            folder=self.folder,
            stop=signal.SIGINT,
        )  # fmt: skip
        self._server.wait_until(self._is_up)

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._server.stop()

    def kill(self) -> None:
        """Kill the server's first process with SIGKILL. Its children end on their own."""
        pid = int((self.data / "postmaster.pid").read_text().partition("\n")[0])
        os.kill(pid, signal.SIGKILL)
        self.stop()

    def _is_up(self) -> bool:
        try:
            return self.run_sql("SELECT pg_is_in_recovery()", database="postgres") == [(False,)]
        except psycopg2.OperationalError:
            return False

    def url(self, database: str = "touchstone") -> str:
        return f"postgres://touchstone@127.0.0.1:{self.port}/{database}"

    def run_sql(self, statement: str, *, database: str = "touchstone") -> list[tuple[Any, ...]]:
        connection = psycopg2.connect(self.url(database))
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def archive_everything(self) -> None:
        """Switch to the next WAL file, and wait until the last one is stored."""
        [(name,)] = self.run_sql("SELECT pg_walfile_name(pg_current_wal_lsn())")
        self.run_sql("SELECT pg_switch_wal()")
        file = self.archive / "wal" / f"{name}.gz"
        self._server.wait_until(file.exists)

    def script(self, name: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run one of the scripts as the container does."""
        return subprocess.run(
            ["sh", str(self.folder / "scripts" / name), *arguments],
            cwd=self.folder,
            env={**self.environment(), **env},
            check=False,
            capture_output=True,
            text=True,
            **server_identity(),
        )

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "PGHOST": str(self.folder),
            "PGPORT": str(self.port),
            "PGUSER": "touchstone",
            "ARCHIVE": str(self.archive),
        }


@contextmanager
def new_cluster(record: Path) -> Iterator[Cluster]:
    """Create a cluster, start it, and remove it afterwards."""
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed")
    folder = private_folder(record)
    try:
        shutil.copytree(SCRIPTS, folder / "scripts")
        (folder / "hba").write_text(
            "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 trust\n"
        )
        for name in ("archive/wal", "archive/base"):
            (folder / name).mkdir(parents=True)
        (folder / "archive" / "id").write_text("cluster-one\n")
        _give_to_server_user(folder)
        cluster = Cluster(folder, programs, folder / "data", archives=True)
        subprocess.run(
            [str(programs / "initdb"), "-D", str(cluster.data), "-U", "touchstone", "-N",
             "--no-locale", "--encoding=UTF8", "--auth=trust"],
            cwd=folder, check=True, capture_output=True, **server_identity(),
        )  # fmt: skip
        with cluster:
            cluster.run_sql("CREATE DATABASE touchstone", database="postgres")
            yield cluster
    finally:
        shutil.rmtree(folder)


def _give_to_server_user(folder: Path) -> None:
    for path in folder.rglob("*"):
        shutil.chown(path, folder.owner())
