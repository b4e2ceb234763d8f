"""Whole annotations through HTTP, against gunicorn as in production.

An annotation takes five requests. They accept the HIT, load the marketplace page and the task page in its
frame, and submit to the site and the marketplace. A baseline Django site with accept, page and submit
views runs in the same test.
Run with `pytest -m bench -s tests/bench/test_annotations.py`. BENCH_SECONDS and BENCH_HITS set the size.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from tests.bench.results import record
from tests.bench.running_server import Server, in_processes, serving, working
from tests.bench.simulated_worker import Record, annotate, annotate_bare
from tests.environment import ROOT, find_free_port

pytestmark = pytest.mark.bench

SECONDS = float(os.environ.get("BENCH_SECONDS", "20"))
HITS = int(os.environ.get("BENCH_HITS", "10000"))
# Annotations before the measurement, so that each server thread opens its connection and loads its code.
WARM_UP = 160
# Of the bare site's annotations per second, and of its slowest requests, in the same run
MIN_SHARE = 0.10
MAX_ACCEPT_RATIO = 5
ROUNDS = 5
OPEN_HITS = (10_000, 100_000)
CROWD = 32
GOLD_ITEMS = int(os.environ.get("BENCH_GOLD_ITEMS", "100"))
NOISE = 1.5  # largest ratio between two rounds

Figures = dict[str, object]


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request, tmp_path, free_port) -> dict[str, str]:
    """Return the environment of an empty, migrated site."""
    if request.param == "sqlite":
        env = request.getfixturevalue("embedded_site")
        env |= {"DATABASE_URL": f"sqlite:///{tmp_path}/bench.sqlite3"}
    else:
        env = request.getfixturevalue("server_site")
    env |= {
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        # All workers have one address, and nothing confirms their work during the measurement.
        "DRAFTS_PER_ADDRESS": "0",
        "UNCONFIRMED_DRAFTS": "0",
    }
    run(env, "manage.py", "migrate", "--verbosity", "0")
    run(env, "manage.py", "collect_static")
    return env


def run(env: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


@pytest.fixture
def bare_port() -> int:
    return find_free_port()


def fill(site: dict[str, str], hits: int, workers: int) -> list[dict[str, object]]:
    """Create a group of HITs and return what each worker needs to annotate them."""
    filled = run(site, "-m", "tests.bench.annotation_site", "fill", str(hits), str(workers))
    seeded = json.loads(filled)
    sessions = seeded.pop("sessions")
    return [{**seeded, "session": session} for session in sessions]


def check(site: dict[str, str], *runs: "BenchRun") -> None:
    """Check that no annotation was refused, lost, invented or assigned twice."""
    records = [record for bench_run in runs for record in bench_run.records]
    assert [problem for record in records for problem in record.problems] == []
    submitted = sorted(code for record in records for code in record.submitted)
    recorded = json.loads(run(site, "-m", "tests.bench.annotation_site", "check"))
    assert recorded["ours"] == recorded["theirs"] == submitted
    assert (recorded["duplicates"], recorded["differing"]) == (0, 0)
    assert recorded["reported_submissions"] == len(submitted)


@pytest.mark.parametrize("workers", [1, 8])
def test_whole_annotations(site, free_port, bare_port, workers):
    tasks = fill(site, HITS, workers)
    run(site, "-m", "tests.bench.bare_site", str(5 * HITS))
    with (
        serving("config.wsgi", site, free_port) as server,
        serving("tests.bench.bare_site", site, bare_port) as bare_server,
    ):
        ours = BenchRun(server, annotate, tasks)
        bare = BenchRun(
            bare_server,
            annotate_bare,
            [{"worker": f"W{number}"} for number in range(workers)],
        )
        alternate([ours, bare])
    figures, baseline = ours.figures(), bare.figures()
    show("annotations", site, workers, figures)
    show("baseline", site, workers, baseline)
    show("ratio", site, workers, round(figures["per_second"] / baseline["per_second"], 3))

    name = {1: "1 worker", 8: "8 workers"}[workers]
    record(
        f"Whole annotation over HTTP, {name}",
        f"{figures['per_second']}/s (bare site {baseline['per_second']}/s)",
        database=_name(site),
    )
    check(site, ours)
    assert [problem for record in bare.records for problem in record.problems] == []
    items = [pk for record in bare.records for pk in record.submitted]
    assert len(items) == len(set(items))
    assert figures["per_second"] >= MIN_SHARE * baseline["per_second"]


@pytest.mark.parametrize("site", ["postgresql"], indirect=True)
def test_accept_time_is_independent_of_the_number_of_open_hits(site, free_port, bare_port):
    groups = {hits: fill(site, hits, CROWD) for hits in OPEN_HITS}
    run(site, "-m", "tests.bench.bare_site", str(5 * HITS))
    bare_tasks = [{"worker": f"W{number}"} for number in range(8)]
    with (
        serving("config.wsgi", site, free_port) as server,
        serving("tests.bench.bare_site", site, bare_port) as bare_server,
    ):
        bare = BenchRun(bare_server, annotate_bare, bare_tasks)
        eight = {hits: BenchRun(server, annotate, group[:8]) for hits, group in groups.items()}
        alternate([*eight.values(), bare])
        crowds = [BenchRun(server, annotate, group) for group in groups.values()]
        alternate(crowds)
    accepts = {hits: bench_run.figures()["p95_ms"]["accept"] for hits, bench_run in eight.items()}
    baseline = max(bare.figures()["p95_ms"].values())
    show("accepts, p95 in ms", site, 8, {**accepts, "bare": baseline})
    for crowd in crowds:
        show("annotations", site, CROWD, crowd.figures())

    record(
        "Acceptance of a HIT, 8 workers, 10,000 or 100,000 open HITs",
        " and ".join(f"{milliseconds} ms" for milliseconds in accepts.values())
        + f" (a request of the bare site {baseline} ms)",
        database=_name(site),
    )
    check(site, *eight.values(), *crowds)
    few, many = accepts.values()
    assert max(few, many) <= MAX_ACCEPT_RATIO * baseline
    assert many <= NOISE * few


def test_assignments_through_to_gold(site, free_port, tmp_path):
    """Count the CPU time of all processes of the site, with sweeps every second as in the demo."""
    site |= {"SWEEP_SECONDS": "1"}
    run(site, "-m", "tests.bench.annotation_site", "corpus", str(GOLD_ITEMS))
    with (
        serving("config.wsgi", site, free_port) as server,
        working(site, free_port, tmp_path / "worker.log") as worker,
    ):
        begin = server.web_seconds() + worker.seconds(), server.database_seconds()
        options = ["--url", site["SITE_URL"], "--invent", "--json"]
        report = json.loads(run(site, "manage.py", "rehearse", "bench", *options))
        ours = server.web_seconds() + worker.seconds() - begin[0]
        database = server.database_seconds() - begin[1]
    assert report["items"] == GOLD_ITEMS
    per_second = report["assignments"] / (ours + database)
    figures = {
        "assignments": report["assignments"],
        "site_cpu_ms": round(1000 * ours / report["assignments"]),
        "database_cpu_ms": round(1000 * database / report["assignments"]),
    }
    show("through to gold", site, 6, figures)
    record(
        "Assignments through to gold, with worker and beat",
        f"{per_second:.1f} per CPU second",
        database=_name(site),
    )


@dataclass
class BenchRun:
    """Workers at a server and their records. The figures leave out the warm-up."""

    server: Server
    work: Callable[..., Record]
    tasks: Sequence[dict[str, object]]
    records: list[Record] = field(default_factory=list)
    measured: list[Record] = field(default_factory=list)
    rounds: list[float] = field(default_factory=list)  # annotations per second in each round
    seconds: float = 0
    web: float = 0
    database: float = 0

    def warm_up(self) -> None:
        self.records += self._work(seconds=0, least=WARM_UP // len(self.tasks))

    def run(self, seconds: float) -> None:
        """Run every task in a separate process, all at the same time."""
        web, database = self.server.web_seconds(), self.server.database_seconds()
        records = self._work(seconds=seconds)
        # From the first request of any worker to the last response.
        took = max(record.ended for record in records) - min(record.started for record in records)
        self.web += self.server.web_seconds() - web
        self.database += self.server.database_seconds() - database
        self.rounds.append(round(sum(len(record.submitted) for record in records) / took, 1))
        self.seconds += took
        self.records += records
        self.measured += records

    def _work(self, **limits: float) -> list[Record]:
        port = self.server.port
        return in_processes(self.work, [{**task, **limits, "port": port} for task in self.tasks])

    def figures(self) -> Figures:
        count = sum(len(record.submitted) for record in self.measured)
        steps = {
            step: sorted(time for record in self.measured for time in record.steps[step])
            for step in self.measured[0].steps
        }
        return {
            "annotations": count,
            "per_second": round(count / self.seconds, 1),
            "rounds": self.rounds,
            "web_cpu_ms": round(1000 * self.web / count, 2),
            "database_cpu_ms": round(1000 * self.database / count, 2),
            "p50_ms": {step: _at(0.5, times) for step, times in steps.items()},
            "p95_ms": {step: _at(0.95, times) for step, times in steps.items()},
        }


def alternate(runs: Sequence[BenchRun]) -> None:
    """Run alternately in short rounds, because the speed of the machine may vary over time."""
    for bench_run in runs:
        bench_run.warm_up()
    for _ in range(ROUNDS):
        for bench_run in runs:
            bench_run.run(SECONDS / ROUNDS)


def _at(share: float, ordered: Sequence[float]) -> float:
    return round(1000 * ordered[int(share * len(ordered))], 2)


def _name(site: dict[str, str]) -> str:
    return "SQLite" if site["DATABASE_URL"].startswith("sqlite") else "PostgreSQL"


def show(title: str, site: dict[str, str], workers: int, figures: object) -> None:
    database = site["DATABASE_URL"].partition(":")[0]
    print(f"{title}, {database}, {workers} workers: {json.dumps(figures)}")  # noqa: T201
