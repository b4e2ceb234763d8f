"""One site on one, two and three hosts: what it gets done, what that costs, and that nothing is doubled.

All hosts are processes of this machine, with its PostgreSQL, Redis and a stand-in for S3, so more of
them can't be faster than its processors. The CPU time of an annotation and the memory of a process say
what larger machines need. The table is printed, and written to the file that SCALE_REPORT names.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import environment
from tests.bench.running_server import TICKS, cpu_seconds, in_processes, serving
from tests.bench.simulated_worker import Record, annotate, annotate_bare
from tests.operations.test_trial import check_books
from tests.operations.trial_site import TrialSite, prepared, wait_until

pytestmark = [pytest.mark.long, pytest.mark.system, pytest.mark.timeout(3600)]
SIMULATED_WORKERS = 12
SECONDS = float(os.environ.get("SCALE_SECONDS", "40"))
# More than are annotated in that time
ITEMS = int(os.environ.get("SCALE_ITEMS", "6000"))
WARM_UP = 10
# Every worker of the measurement has one address.
UNLIMITED = {
    "DRAFTS_PER_ADDRESS": "0",
    "DRAFTS_PER_TASK_AND_ADDRESS": "0",
    "UNCONFIRMED_DRAFTS": "0",
}
SETTLE_SECONDS = 600
MIB = 1 << 20


@dataclass(frozen=True)
class Row:
    """A measurement. CPU times are milliseconds for each annotation, up to its payment."""

    hosts: int
    workers: int
    per_second: float
    bare_per_second: float
    accept_p95_ms: float
    settled_after_seconds: float
    cpu_ms: Mapping[str, float]
    memory_mib: Mapping[str, float]

    def __str__(self) -> str:
        cells = [
            *(self.hosts, self.workers, f"{self.per_second:.1f} ({self.bare_per_second:.1f})"),
            *(f"{self.accept_p95_ms:.0f} ms", f"{self.settled_after_seconds:.0f} s"),
            *(f"{self.cpu_ms[name]:.1f}" for name in ("web", "workers", "database")),
            *(f"{self.memory_mib[name]:.0f}" for name in ("web", "worker", "beat")),
        ]
        return f"| {' | '.join(map(str, cells))} |"


COLUMNS = (
    *("Web servers", "Workers", "Annotations per second (bare site)", "Acceptance, p95"),
    *("Last payment after", "CPU ms: web", "workers", "database"),
    *("MiB: web server", "worker", "beat"),
)
HEADER = f"| {' | '.join(COLUMNS)} |\n| {' | '.join(['---:'] * len(COLUMNS))} |"


@pytest.fixture(scope="module")
def table() -> Iterator[list[Row]]:
    rows: list[Row] = []
    yield rows
    text = "\n".join([HEADER, *map(str, rows)])
    print(f"\n{text}")  # noqa: T201
    if path := os.environ.get("SCALE_REPORT"):
        Path(path).write_text(f"{text}\n")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_hosts_share_the_work(number, table, tmp_path):
    with running_site(tmp_path, number) as (site, tasks):
        work(site, tasks, seconds=0, least=WARM_UP)
        before, start = cpu_times(site), time.monotonic()
        warm = accepted_at(site)
        records = work(site, tasks, seconds=SECONDS)
        took = max(record.ended for record in records) - start
        books = settled(site)
        settled_after = time.monotonic() - start - took
        after = cpu_times(site)
        count = sum(len(record.submitted) for record in records)
        problems = [problem for record in records for problem in record.problems]
        accepts = sorted(time for record in records for time in record.steps["accept"])
        memory = memory_of(site)
        assert problems == []
        check_books(books, {*warm, *(code for record in records for code in record.submitted)})
    table.append(
        Row(
            hosts=number,
            workers=number,
            per_second=count / took,
            bare_per_second=bare_rate(site, tmp_path),
            accept_p95_ms=1000 * accepts[int(0.95 * len(accepts))],
            settled_after_seconds=settled_after,
            cpu_ms={name: 1000 * (after[name] - before[name]) / count for name in after},
            memory_mib=memory,
        )
    )


@contextmanager
def running_site(folder: Path, number: int) -> Iterator[tuple[TrialSite, list[dict[str, object]]]]:
    """Yield a site with its HITs at the marketplace, and the task of each simulated worker."""
    with ExitStack() as stack:
        size = {"web_servers": number, "workers": number, "WEB_CONCURRENCY": "1"}
        site = prepared(stack, folder, **size, **UNLIMITED)
        seed = ("-m", "tests.operations.trial_seed", "fill", str(ITEMS), str(SIMULATED_WORKERS))
        seeded = json.loads(site.manage(*seed))
        stack.callback(site.stop)
        site.start()
        created = "SELECT count(*) FROM marketplace_hit"
        wait_until(lambda: site.cluster.run_sql(created) == [(ITEMS,)], seconds=600, what="HITs")
        [(group,)] = site.cluster.run_sql("SELECT code FROM marketplace_hittype")
        tasks = [
            {
                "group": group,
                "session": session,
                "answer": seeded["answer"],
                "port": site.ports[index % number],
            }
            for index, session in enumerate(seeded["sessions"])
        ]
        yield site, tasks


def work(site: TrialSite, tasks: list[dict[str, object]], **limits: float) -> list[Record]:
    return in_processes(annotate, [{**task, **limits} for task in tasks])


def accepted_at(site: TrialSite) -> set[str]:
    """Return the assignments that the marketplace has got."""
    rows = site.cluster.run_sql(
        "SELECT code FROM marketplace_assignment WHERE status IN ('Submitted', 'Approved', 'Rejected')"
    )
    return {code for (code,) in rows}


def settled(site: TrialSite) -> dict:
    """Return the books once everything is recorded and paid."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        books = json.loads(site.manage("-m", "tests.operations.trial_seed", "books"))
        if not books["due"] + books["unrecorded"]:
            return books
        assert time.monotonic() < deadline, books
        time.sleep(1)


def processes_of(pid: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from processes_of(int(child))


def cpu_times(site: TrialSite) -> dict[str, float]:
    """Return the CPU seconds so far of web servers, workers and database."""
    database = int((site.cluster.data / "postmaster.pid").read_text().partition("\n")[0])
    groups = {"web": 0.0, "workers": 0.0, "database": service_seconds(database)}
    for name, service in site.services.items():
        groups["web" if name.startswith("web") else "workers"] += service_seconds(service.pid)
    return groups


def service_seconds(pid: int) -> float:
    """Return the CPU seconds of a process and its children, also of children that have ended.

    gunicorn replaces its processes after some thousand requests.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ended = (int(fields[13]) + int(fields[14])) / TICKS
    return ended + sum(map(cpu_seconds, processes_of(pid)))


def memory_of(site: TrialSite) -> dict[str, float]:
    """Return the proportional MiB of the largest web server, worker with its children, and beat."""
    of = {name: sum(map(pss, processes_of(s.pid))) / MIB for name, s in site.services.items()}
    return {
        "web": max(size for name, size in of.items() if name.startswith("web")),
        "worker": max(size for name, size in of.items() if name.startswith("celery")),
        "beat": of["beat"],
    }


def pss(pid: int) -> int:
    """Return the bytes of a process, in which those that it shares count in part."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    [size] = [line.split()[1] for line in lines if line.startswith("Pss:")]
    return 1024 * int(size)


def bare_rate(site: TrialSite, folder: Path) -> float:
    """Return the annotations per second of the bare site with SQLite, which shows the machine's speed."""
    env = {**site.env, "DATABASE_URL": f"sqlite:///{folder}/bare.sqlite3"}
    make = [sys.executable, "-m", "tests.bench.bare_site", "100000"]
    subprocess.run(make, cwd=environment.ROOT, env=env, check=True)
    port = environment.find_free_port()
    tasks = [{"port": port, "worker": f"W{n}", "seconds": 8.0} for n in range(SIMULATED_WORKERS)]
    with serving("tests.bench.bare_site", env, port):
        records = in_processes(annotate_bare, tasks)
    count = sum(len(record.submitted) for record in records)
    return count / (max(r.ended for r in records) - min(r.started for r in records))
