"""The counters of gunicorn's processes. Those of ended processes are merged into common files.

This module must not import Django, because gunicorn's master process uses it too.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_SH, flock
from pathlib import Path

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

# Stands for the process id in the names of the common files.
ENDED = "ended"


def process_metrics() -> bytes:
    """Return the metrics of all processes, whose folder gunicorn_conf.py sets."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    with _locked(LOCK_SH):
        return generate_latest(registry)


def merge_ended(pid: int) -> None:
    """Add the counters of an ended process to those of earlier ones, and remove its files.

    Otherwise, the number of files and the time to read them would grow with each restart of a process.
    """
    mark_process_dead(pid)  # removes gauges
    with _locked(LOCK_EX):
        for path in _folder().glob(f"*_{pid}.db"):
            _add(path, path.with_name(f"{path.name.partition('_')[0]}_{ENDED}.db"))
            path.unlink()


def _add(path: Path, target: Path) -> None:
    total = MmapedDict(str(target))
    try:
        for key, value, timestamp, _ in MmapedDict.read_all_values_from_file(str(path)):
            before, _ = total.read_value(key)
            total.write_value(key, before + value, timestamp)
    finally:
        total.close()


def _folder() -> Path:
    return Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])


@contextmanager
def _locked(kind: int) -> Iterator[None]:
    """Keep a reader from counting files twice that are being merged."""
    with (_folder() / "lock").open("a") as lock:
        flock(lock, kind)
        yield
