"""A site in a separate process, for tests that kill it or frame its pages."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser.conftest import ROOT, environment_of, seeded, wait_for
from tests.conftest import Migrate
from tests.environment import find_free_port
from tests.fakes.worker_site import WorkerSite
from tests.signed import secret_of_site, signed


@contextmanager
def own_site(var: Path, migrate: Migrate, statics: str, seed: str) -> Iterator["OwnSite"]:
    """Yield a running site with the rows of a seed module."""
    marketplace = WorkerSite()
    site = OwnSite(var, marketplace, statics)
    migrate(site.environment)
    site.seed(seed)
    site.start()
    yield site
    site.kill()
    marketplace.close()


class OwnSite:
    """A site in a separate process, which can be killed and restarted."""

    def __init__(self, var: Path, marketplace: WorkerSite, statics: str) -> None:
        self.port = find_free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database = var / "touchstone.sqlite3"
        self.marketplace = marketplace
        self.environment = {**environment_of(var, self.url, marketplace), "STATIC_ROOT": statics}
        self.tasks: dict[str, str] = {}

    def seed(self, module: str) -> None:
        """Run a module that fills the site and prints the addresses of its tasks."""
        self.tasks = seeded(module, env=self.environment)

    def start(self) -> None:
        options = ["--bind", f"127.0.0.1:{self.port}", "--threads", "8", "--log-level", "warning"]
        self.server = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "config.wsgi", *options],
            cwd=ROOT,
            env=self.environment,
            start_new_session=True,
        )
        wait_for(f"{self.url}/login/")

    def kill(self) -> None:
        """Kill the server and its workers without a graceful shutdown."""
        os.killpg(self.server.pid, signal.SIGKILL)
        self.server.wait(20)

    def address(self, name: str) -> str:
        query = f"assignmentId=A-{name}&hitId=H1&workerId=W1"
        address = f"{self.tasks[name]}?{query}&turkSubmitTo={self.marketplace.origin}"
        return signed(address, secret=secret_of_site(self.database.parent))

    def draft(self, name: str) -> sqlite3.Row:
        with sqlite3.connect(self.database) as database:
            database.row_factory = sqlite3.Row
            statement = "SELECT * FROM annotation_draft WHERE assignment_ref = ?"
            [row] = database.execute(statement, [f"A-{name}"]).fetchall()
        return row
