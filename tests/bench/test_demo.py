"""The demo on an installed checkout, with the time until its gold is exported and its idle load."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from tests.bench.results import record
from tests.bench.running_server import cpu_seconds
from tests.environment import ROOT

pytestmark = pytest.mark.bench

# Seconds on two idle cores. Static files are collected and the database is created.
MAX_UNTIL_ADDRESS = 20
MAX_UNTIL_GOLD = 90
# Load without visitors, once each task of the new worker has run and imported what it needs. Some run
# every minute.
SETTLE_SECONDS = 75
MAX_IDLE_PERCENT = 1.0
MAX_IDLE_MIB = 450
IDLE_SECONDS = 60


def test_demo_starts_in_time_and_idles_quietly(embedded_site, tmp_path, free_port):
    url = f"http://127.0.0.1:{free_port}"
    env = {**embedded_site, "SITE_URL": url, "STATIC_ROOT": str(tmp_path / "static")}
    start, seconds = time.monotonic(), {}
    demo = subprocess.Popen(
        [sys.executable, "manage.py", "demo"], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    )
    assert demo.stdout
    for line in demo.stdout:
        if line.startswith("Touchstone runs at") and "address" not in seconds:
            seconds["address"] = time.monotonic() - start
            assert requests.get(f"{url}/login/", timeout=10).status_code == 200
        for part in ("105 items:", "The exported gold is in"):
            if line.startswith(part) and part not in seconds:  # of the first project
                seconds[part] = time.monotonic() - start
        if line.startswith("Press Ctrl-C"):
            break
    time.sleep(SETTLE_SECONDS)
    percent, mib = measure_load(env["VAR_DIR"])
    demo.send_signal(signal.SIGINT)
    assert demo.wait() == 0
    demo.stdout.close()
    sys.stdout.write(
        f"\n{ {part: round(value, 1) for part, value in seconds.items()} }, "
        f"idle: {percent:.2f} % of a core, {mib:.0f} MiB\n"
    )
    record("Idle site (`make demo`)", f"{percent:.1f} % of a core, {mib:.0f} MiB")
    record(
        "First run of `make demo` on an empty machine",
        f"{seconds['The exported gold is in']:.0f} s without the installation",
    )
    assert list((tmp_path / "var" / "demo" / "exports" / "demo").glob("*/manifest.json"))
    assert seconds["address"] <= MAX_UNTIL_ADDRESS
    assert seconds["The exported gold is in"] <= MAX_UNTIL_GOLD
    assert percent <= MAX_IDLE_PERCENT
    assert mib <= MAX_IDLE_MIB


def measure_load(var_dir: str) -> tuple[float, float]:
    """Return CPU time in percent of a core and memory in MiB of all processes of the site.

    Memory is the proportional set size, which counts shared pages once.
    """
    pids = [pid for pid in running_pids() if f"VAR_DIR={var_dir}" in environment_of(pid)]
    before = sum(map(cpu_seconds, pids))
    time.sleep(IDLE_SECONDS)
    percent = (sum(map(cpu_seconds, pids)) - before) / IDLE_SECONDS * 100
    return percent, sum(map(proportional_mib, pids))


def running_pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def environment_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:  # the process has ended, or belongs to another user
        return ""


def proportional_mib(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))
