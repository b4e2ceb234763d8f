"""Starting a server that dies with us, and stopping it."""

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from scripts.testbed.errors import MissingError

PATIENCE_SECONDS = 60.0
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent(sign: signal.Signals) -> Callable[[], None]:
    """For `preexec_fn`: the kernel sends the child `sign` when we are gone, killed or not."""

    def ask() -> None:
        if _libc:
            _libc.prctl(PR_SET_PDEATHSIG, sign)

    return ask


def unprivileged_user() -> str | None:
    """Whom servers run as: None for ourselves, a system account when we are root.

    PostgreSQL refuses to run as root.
    """
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def private_folder(record: Path) -> Path:
    """A folder that the servers' user owns, noted in `record` for a later run to clear away.

    Not below the checkout: the servers' user may not be able to reach that, and a socket's path
    has to be short.
    """
    folder = Path(tempfile.mkdtemp(prefix="touchstone-"))
    with record.open("a") as lines:
        lines.write(f"{folder}\n")
    if user := unprivileged_user():
        shutil.chown(folder, user)
    return folder


def clear_leftovers(record: Path) -> None:
    """Remove the folders of runs that were killed; their servers died with them."""
    if not record.exists():
        return
    for line in record.read_text().splitlines():
        if Path(line).name.startswith("touchstone-"):
            shutil.rmtree(line, ignore_errors=True)
    record.unlink()


class Identity(TypedDict):
    user: int | None
    group: int | None
    extra_groups: list[int] | None


def server_identity() -> Identity:
    """`subprocess` arguments: the servers' user, or whoever we are."""
    name = unprivileged_user()
    if name is None:
        return {"user": None, "group": None, "extra_groups": None}
    entry = pwd.getpwnam(name)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def run_as_server_user(command: Sequence[str], *, cwd: Path) -> None:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, **server_identity()
    )
    if done.returncode:
        raise MissingError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


class Server:
    """A server in a session of its own, so that a Ctrl-C meant for the tests spares it."""

    def __init__(self, command: Sequence[str], *, folder: Path, stop: signal.Signals) -> None:
        self.log = folder / "log"
        self._name, self._stop = command[0], stop
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent(stop),
                **server_identity(),
            )

    def wait_until(self, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise MissingError(
                    f"{self._name} did not come up; its last words:\n{self.log.read_text()[-2000:]}"
                )
            time.sleep(0.05)

    def stop(self) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(self._stop)
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
