"""The systemd units of deploy/systemd, run without systemd, as their options say."""

import configparser
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from scripts.testbed.processes import die_with_parent
from tests import environment

BIN = environment.ROOT / ".venv" / "bin"
UNITS = environment.ROOT / "deploy" / "systemd"
CHECKOUT = "/opt/touchstone"


def sections_of(path: Path) -> dict[str, dict[str, str]]:
    """Return the options of a unit by section. Of repeated options, the last remains."""
    parser = configparser.RawConfigParser(strict=False, delimiters="=")
    parser.optionxform = str
    parser.read(path)
    return {name: dict(parser[name]) for name in parser.sections()}


def command_of(name: str, *, instance: str = "") -> list[str]:
    """Return the command of the unit `touchstone-NAME`, of an instance if it is a template."""
    service = sections_of(UNITS / f"touchstone-{name}.service")["Service"]
    line = service["ExecStart"].replace("%i", instance).replace("%%", "%")
    key, _, value = service.get("Environment", "").partition("=")
    line = line.replace(f"${{{key}}}", value) if key else line
    return shlex.split(line.replace(CHECKOUT, str(environment.ROOT)))


class Service:
    """A process that starts again after it ended, like a unit with `Restart=always`.

    What is left of its group is killed first (`KillMode=mixed`).
    """

    RESTART_SECONDS = 2.0
    STOP_SECONDS = 120.0

    def __init__(self, name: str, command: list[str], *, env: Mapping[str, str], log: Path) -> None:
        self.name, self._command, self._log = name, command, log
        self._env = {**env, "PATH": f"{BIN}:{os.environ['PATH']}"}
        self._is_wanted = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._is_wanted.set()
        self._thread = threading.Thread(target=self._keep_running, daemon=True)
        self._thread.start()
        while self._process is None:
            time.sleep(0.01)

    def stop(self) -> None:
        """Terminate the process and wait for its end, like `systemctl stop`."""
        self._is_wanted.clear()
        if self._process and self._thread:
            self._process.terminate()
            self._thread.join(timeout=self.STOP_SECONDS)
            if self._thread.is_alive():
                self._process.kill()
                self._thread.join()
        self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)

    def kill_child(self, *path: int) -> None:
        """Kill a descendant with SIGKILL. `path` has the index of the child at each level."""
        pid = self.pid
        for index in path:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            pid = int(children[index])
        os.kill(pid, signal.SIGKILL)

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    def _keep_running(self) -> None:
        while self._is_wanted.is_set():
            with self._log.open("ab") as output:
                process = subprocess.Popen(
                    self._command,
                    cwd=environment.ROOT,
                    env=self._env,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509
                )
            self._process = process
            process.wait()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if self._is_wanted.is_set():
                time.sleep(self.RESTART_SECONDS)
