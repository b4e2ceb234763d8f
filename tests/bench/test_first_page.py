"""The time from the start of an installed package to its first page, with no data."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from tests.bench.results import record
from tests.environment import find_free_port

pytestmark = pytest.mark.bench

MAX_SECONDS = 5
ROUNDS = 3


def seconds_until_page(package: Path, folder: Path) -> float:
    folder.mkdir()
    port = find_free_port()  # the server of the round before may still be ending
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(package), "HOME": str(folder)}
    command = [sys.executable, "-P", "-m", "touchstone", "demo", "--port", str(port)]
    start = time.monotonic()
    demo = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                assert requests.get(f"http://127.0.0.1:{port}/login/", timeout=30).ok
                return time.monotonic() - start
            except requests.ConnectionError:
                assert demo.poll() is None
                time.sleep(0.02)
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.wait()


def test_first_page_of_a_new_demo(installed_package, tmp_path):
    rounds = [
        seconds_until_page(installed_package, tmp_path / str(number)) for number in range(ROUNDS)
    ]
    sys.stdout.write(f"\n{[round(seconds, 2) for seconds in rounds]}\n")
    record("First page from an installed package", f"{min(rounds):.1f} s")
    assert min(rounds) <= MAX_SECONDS
