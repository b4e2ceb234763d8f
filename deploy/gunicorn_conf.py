"""gunicorn's configuration behind the reverse proxy. WEB_CONCURRENCY sets the number of processes."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]

# The folder in which the processes share their counters for /metrics. prometheus_client reads this
# variable once, when it is imported. Folders of ended runs are removed. On HUP the same process
# runs this file again and already has its folder.
_ours = f"touchstone-metrics-{os.getpid()}"
if _ours not in os.environ.get("PROMETHEUS_MULTIPROC_DIR", ""):
    _named = os.environ.get("PROMETHEUS_MULTIPROC_DIR") or tempfile.gettempdir()
    _counters = Path(_named) / _ours
    for _former in Path(_named).glob("touchstone-metrics-*"):
        if not Path(f"/proc/{_former.name.rpartition('-')[2]}").exists():
            shutil.rmtree(_former, ignore_errors=True)
    _counters.mkdir(parents=True, exist_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(_counters)

bind = "0.0.0.0:8000"
threads = 4
keepalive = 30
# Seconds to finish current requests when a new version starts.
graceful_timeout = 30
# Seconds without a heartbeat after which a process is killed. A machine that is swapping must keep them.
timeout = 120
# Heartbeat files are in memory, because a slow disk makes healthy processes seem to hang.
worker_tmp_dir = "/dev/shm"
# Servers of one user would share the socket, which nothing here uses.
control_socket_disable = True
# Restart processes to free memory. The jitter spreads the restarts.
max_requests = 20_000
max_requests_jitter = 2_000
# Only the proxy of docker-compose.yml can connect, and its address is not known in advance.
forwarded_allow_ips = "*"


def when_ready(server: Any) -> None:
    """Print the link that creates the first account of a new site, once for all processes."""
    subprocess.Popen([sys.executable, "-m", "touchstone", "first_account_link"], cwd=_ROOT)


def child_exit(server: Any, worker: Any) -> None:
    """Merge the counters of an ended process with those of earlier ones."""
    from operations.process_metrics import merge_ended  # noqa: PLC0415 - imports prometheus_client

    merge_ended(worker.pid)
