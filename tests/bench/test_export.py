"""Export of 100,000 gold items, with its time and added memory, and the same bytes on a second export."""

import csv
import ctypes
import gc
import json
import os
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from django.db import connection

from datasets.domain.exports.export_gold import ExportOptions, export_gold, formats_of
from projects.models import Project
from tests.bench.gold_seed import seed_gold
from tests.bench.results import record
from tests.bench.running_server import cpu_seconds

pytestmark = [pytest.mark.bench, pytest.mark.django_db(transaction=True)]

ITEMS = int(os.environ.get("BENCH_ITEMS", "100000"))
MIB = 2**20
MAX_CPU_SECONDS = 10
NOUNS = "qanom-csv"


def show(*words: object) -> None:
    print(*words)  # noqa: T201 - figures are what this file is for


WATCH = """
import select, sys
from pathlib import Path

def resident():
    for line in Path(f"/proc/{sys.argv[1]}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024

peak = before = resident()
print("watching", flush=True)
while not select.select([sys.stdin], [], [], 0.05)[0]:
    peak = max(peak, resident())
print(peak - before)
"""


class PeakMemory:
    """The peak proportional set size of this process above its initial size, sampled every 50 ms."""

    def __enter__(self) -> "PeakMemory":
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # return the memory of seeding first
        self._watch = subprocess.Popen(
            [sys.executable, "-c", WATCH, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._watch.stdout.readline()
        return self

    def __exit__(self, *exc: object) -> None:
        output, _ = self._watch.communicate("done\n")
        self.added = int(output)


def test_export_of_100_000_items(tmp_path):
    """Every format is measured before the failures are reported."""
    project = seed_gold(ITEMS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    formats = [fmt for fmt in formats_of(project) if fmt != NOUNS]
    failures = [slow for fmt in formats for slow in _measure(project, fmt, tmp_path / fmt)]
    assert failures == []


def test_export_of_100_000_nouns(tmp_path):
    project = seed_gold(ITEMS, nouns=True)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    assert _measure(project, NOUNS, tmp_path / NOUNS) == []


def _measure(project: Project, fmt: str, folder: Path) -> list[str]:
    options = ExportOptions(fmt=fmt)
    small = ExportOptions(fmt=fmt, domain="wikinews", partition="dev")
    export_gold(project=project, options=small, folder=folder / "warm")
    with PeakMemory() as memory:
        first = export_gold(project=project, options=options, folder=folder / "first")
    # Measure the time without the process that watches the memory.
    started, cpu = time.perf_counter(), time.process_time() + database_seconds()
    again = export_gold(project=project, options=options, folder=folder / "again")
    wall = time.perf_counter() - started
    cpu = time.process_time() + database_seconds() - cpu
    result = (
        f"export {fmt} on {connection.vendor}: {wall:.2f} s wall, {cpu:.2f} s CPU with the "
        f"database, {memory.added / MIB:.0f} MiB added"
    )
    show(result)
    record(
        "Export of 100,000 gold items",
        f"{cpu:.1f} s of CPU, {memory.added / MIB:.0f} MiB added",
        database=fmt,
    )
    assert again.manifest == first.manifest
    for name in [*first.manifest["files"], "manifest.json"]:
        assert (first.folder / name).read_bytes() == (again.folder / name).read_bytes(), name
    assert first.manifest["counts"] == {
        "items": ITEMS,
        "roles": 3 * ITEMS,
        "arguments": 4 * ITEMS,
    }
    if fmt in ("qasrl-csv", NOUNS):
        _check_csv(first)
    return [result] if memory.added > 60 * MIB or cpu > MAX_CPU_SECONDS else []


def database_seconds() -> float:
    """Return the CPU seconds of the server's process for this connection. SQLite has none."""
    if connection.vendor != "postgresql":
        return 0.0
    return cpu_seconds(connection.connection.info.backend_pid)


def _check_csv(export) -> None:
    rows = 0
    for name, facts in export.manifest["files"].items():
        if ".gold." not in name:
            continue
        with (export.folder / name).open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            for row in islice(reader, 3):
                assert row["question"]
                assert row["answer"]
            count = 3 + sum(1 for _ in reader)
        assert count == facts["rows"]
        rows += count
    assert rows == 3 * ITEMS
    assert "東京" in next(export.folder.glob("*.sentences.csv")).read_text("utf-8")
    assert json.loads((export.folder / "manifest.json").read_text("utf-8")) == export.manifest
