"""Server processes that end with their parent process."""

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

START_TIMEOUT_SECONDS = 60.0
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent(signal_number: signal.Signals) -> Callable[[], None]:
    """Return a function for `preexec_fn` that ties the child to this process.

    The kernel sends the child `signal_number` when this process ends, even if it is killed.
    """

    def request_signal() -> None:
        if _libc:
            _libc.prctl(PR_SET_PDEATHSIG, signal_number)

    return request_signal


def unprivileged_user() -> str | None:
    """Return the system account for servers if this process runs as root, else None.

    PostgreSQL refuses to run as root.
    """
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def private_folder(record: Path) -> Path:
    """Create a folder that the servers' user owns, and note it in `record` for `clear_leftovers`.

    It is outside the checkout, which that user may not be able to read. Socket paths must be short.
    """
    folder = Path(tempfile.mkdtemp(prefix="touchstone-"))
    with record.open("a") as lines:
        lines.write(f"{folder}\n")
    if user := unprivileged_user():
        shutil.chown(folder, user)
    return folder


def clear_leftovers(record: Path) -> None:
    """Remove the folders of killed runs, whose servers ended with them."""
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
    """Return the `subprocess` arguments that run a process as the servers' user."""
    name = unprivileged_user()
    if name is None:
        return {"user": None, "group": None, "extra_groups": None}
    entry = pwd.getpwnam(name)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def run_as_server_user(command: Sequence[str], *, cwd: Path) -> None:
    result = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, **server_identity()
    )
    if result.returncode:
        raise MissingError(f"{command[0]} failed:\n{result.stdout}{result.stderr}")


class Server:
    """A server in its own session, so that Ctrl-C during the tests does not stop it."""

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
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise MissingError(
                    f"{self._name} did not start. Its last output:\n{self.log.read_text()[-2000:]}"
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
