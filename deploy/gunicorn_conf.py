"""gunicorn behind the reverse proxy; WEB_CONCURRENCY sets the number of processes."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

# Where the processes keep their counters together, for /metrics. Settled before any of them, or
# this one, imports prometheus_client, which reads it once. Folders of runs that have ended go. On HUP
# this is read again by the same process: then the folder is its own already.
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
worker_class = "config.web_worker.WebWorker"
# More of them wait for one another: with 8 a site does a seventh less (docs/benchmarks.md).
threads = 4
keepalive = 30
# Finish the requests in hand when a new version takes over.
graceful_timeout = 30
# The heartbeat file in memory: on a slow disk a healthy process is taken for a hung one.
worker_tmp_dir = "/dev/shm"
# Give memory back now and then; the jitter keeps the processes from doing so together.
max_requests = 20_000
max_requests_jitter = 2_000
# The only way in is the proxy of docker-compose.yml, whose address is not known beforehand.
forwarded_allow_ips = "*"


def child_exit(server: Any, worker: Any) -> None:
    """A process that ended keeps its counts; its gauges end with it."""
    from prometheus_client import multiprocess  # noqa: PLC0415 - see above

    multiprocess.mark_process_dead(worker.pid)
