"""System tests of the start, restart and end of the site's processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.system

HOLD = """
import time
from rehearsal.domain.site import Site
with Site():
    print("up", flush=True)
    time.sleep(600)
"""

RESTART = """
import time
from pathlib import Path
import requests
from django.conf import settings
from rehearsal.domain.site import Site
run = Path(settings.VAR_DIR) / "run"

def children():
    pid = (run / "web.pid").read_text()
    return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())

with Site() as site:
    first, former = (run / "worker.pid").read_text(), children()
    site.restart({"SWEEP_SECONDS": "7"})
    while (run / "worker.pid").read_text() == first or former & children():
        assert requests.get(f"{settings.SITE_URL}/hits/login/", timeout=20).status_code == 200
    environment = Path(f"/proc/{(run / 'worker.pid').read_text()}/environ").read_text()
    assert "SWEEP_SECONDS=7" in environment.split(chr(0)), environment
"""


@pytest.fixture
def environment(embedded_site, free_port):
    return {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}", "SWEEP_SECONDS": "1"}


@pytest.fixture
def holder(environment, migrate, collected):
    """Start a process that holds a site up. End both after the test."""
    manage = [sys.executable, "manage.py"]
    migrate(environment)
    process = subprocess.Popen(
        [*manage, "shell", "-v", "0", "-c", HOLD],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    yield process
    process.terminate()
    process.wait()
    process.stdout.close()


def is_answering(url: str) -> bool:
    try:
        return requests.get(f"{url}/hits/login/", timeout=5).status_code == 200
    except requests.ConnectionError:
        return False


def is_true_within(seconds: float, condition) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.2)
    return False


def test_site_holds_its_port_restarts_processes_and_ends(holder, environment):
    """One site is tested with a second site, a dead process and a killed holder."""
    url = environment["SITE_URL"]
    second = subprocess.run(
        [sys.executable, "manage.py", "demo", "--once"],
        cwd=ROOT,
        env={**environment, "VAR_DIR": environment["VAR_DIR"] + "-2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 2
    assert "answers on http://127.0.0.1" in second.stderr

    pid_file = Path(environment["VAR_DIR"]) / "run" / "web.pid"
    first = int(pid_file.read_text())
    os.killpg(first, signal.SIGKILL)
    assert is_true_within(30, lambda: int(pid_file.read_text()) != first and is_answering(url))

    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert is_true_within(30, lambda: not is_answering(url))


def test_restart_replaces_processes_and_refuses_no_request(environment, migrate, collected):
    migrate(environment)
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", RESTART],
        cwd=ROOT,
        env=environment,
        check=True,
        timeout=120,
    )
