"""Export of 100,000 gold items: time, added memory, and the same bytes again."""

import csv
import ctypes
import gc
import json
import os
import threading
import time
from itertools import islice
from pathlib import Path

import pytest

from consolidation.domain.export_gold import SUFFIXES, ExportOptions, export_gold
from tests.bench.gold_seed import seed_gold

pytestmark = [pytest.mark.bench, pytest.mark.django_db]

ITEMS = int(os.environ.get("BENCH_ITEMS", "100000"))
MIB = 2**20


def show(*words: object) -> None:
    print(*words)  # noqa: T201 - figures are what this file is for


def resident() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise OSError("no VmRSS")


class PeakMemory:
    """The highest resident size above that at the beginning, sampled every 5 ms."""

    def __enter__(self) -> "PeakMemory":
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # what seeding had is given back first
        self._before = self._peak = resident()
        self._done = threading.Event()
        self._watch = threading.Thread(target=self._sample)
        self._watch.start()
        return self

    def _sample(self) -> None:
        while not self._done.wait(0.005):
            self._peak = max(self._peak, resident())

    def __exit__(self, *exc: object) -> None:
        self._done.set()
        self._watch.join()
        self.added = self._peak - self._before


@pytest.fixture(scope="module")
def project(django_db_setup, django_db_blocker):
    from django.db import connection, transaction

    with django_db_blocker.unblock():
        atomic = transaction.atomic()
        atomic.__enter__()
        found = seed_gold(ITEMS)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        yield found
        transaction.set_rollback(True)
        atomic.__exit__(None, None, None)


@pytest.mark.parametrize("fmt", sorted(SUFFIXES))
def test_export_of_100_000_items(project, tmp_path, fmt):
    from django.db import connection

    options = ExportOptions(fmt=fmt)
    small = ExportOptions(fmt=fmt, domain="wikinews", partition="dev")
    export_gold(project=project, options=small, folder=tmp_path / "warm")
    with PeakMemory() as memory:
        started, cpu = time.perf_counter(), time.process_time()
        first = export_gold(project=project, options=options, folder=tmp_path / "first")
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    show(
        f"\nexport {fmt} on {connection.vendor}: {wall:.2f} s wall, {cpu:.2f} s CPU, "
        f"{memory.added / MIB:.0f} MiB added"
    )
    again = export_gold(project=project, options=options, folder=tmp_path / "again")
    assert again.manifest == first.manifest
    for name in [*first.manifest["files"], "manifest.json"]:
        assert (first.folder / name).read_bytes() == (again.folder / name).read_bytes(), name
    assert first.manifest["counts"] == {
        "items": ITEMS,
        "questions": 3 * ITEMS,
        "answers": 4 * ITEMS,
    }
    if fmt == "qasrl-csv":
        _check_csv(first)
    assert memory.added <= 50 * MIB
    assert cpu <= 5


def _check_csv(export) -> None:
    rows = 0
    for name, facts in export.manifest["files"].items():
        if ".gold." not in name:
            continue
        with (export.folder / name).open(encoding="utf-8", newline="") as file:
            found = csv.DictReader(file)
            for row in islice(found, 3):
                assert row["verb"] == "committee" or row["answer"]
            count = 3 + sum(1 for _ in found)
        assert count == facts["rows"]
        rows += count
    assert rows == 3 * ITEMS
    assert "東京" in next(export.folder.glob("*.sentences.csv")).read_text("utf-8")
    assert json.loads((export.folder / "manifest.json").read_text("utf-8")) == export.manifest
