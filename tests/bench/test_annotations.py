"""Whole annotations through HTTP, against gunicorn as it is run in production.

Each is five requests: accept at the marketplace, its page, our page in its frame, hand in to us, hand in
to the marketplace. Beside them, in the same run, a bare Django view with a claim, a page and a submit.
`pytest -m bench -s tests/bench/test_annotations.py`; BENCH_SECONDS, BENCH_HITS for other sizes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from tests.bench.results import record
from tests.bench.running_server import Server, in_processes, serving
from tests.bench.simulated_worker import Record, annotate, annotate_bare
from tests.environment import ROOT, find_free_port

pytestmark = pytest.mark.bench

SECONDS = float(os.environ.get("BENCH_SECONDS", "20"))
HITS = int(os.environ.get("BENCH_HITS", "10000"))
# Done before anything is measured: each of the server's threads opens its connection and loads its code.
WARM_UP = 160
LEAST_PER_SECOND = {1: 80, 8: 120}
MOST_CLAIM_MS = 40
TURNS = 5
OPEN_HITS = (10_000, 100_000)
CROWD = 32
NOISE = 1.5  # times, between two turns

Figures = dict[str, object]


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request, tmp_path, free_port) -> dict[str, str]:
    """The environment of an empty site, migrated."""
    if request.param == "sqlite":
        env = request.getfixturevalue("embedded_site")
        env |= {"DATABASE_URL": f"sqlite:///{tmp_path}/bench.sqlite3"}
    else:
        env = request.getfixturevalue("server_site")
    env |= {
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    run(env, "manage.py", "migrate", "--verbosity", "0")
    run(env, "manage.py", "collectstatic", "--noinput", "--verbosity", "0")
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
    """A group of so many HITs; what each of the workers needs to work on it."""
    filled = run(site, "-m", "tests.bench.annotation_site", "fill", str(hits), str(workers))
    seeded = json.loads(filled)
    sessions = seeded.pop("sessions")
    return [{**seeded, "session": session} for session in sessions]


def check(site: dict[str, str], *courses: "Course") -> None:
    """Nothing was refused, lost, invented, or given out twice."""
    records = [record for course in courses for record in course.records]
    assert [problem for record in records for problem in record.problems] == []
    handed_in = sorted(one for record in records for one in record.handed_in)
    found = json.loads(run(site, "-m", "tests.bench.annotation_site", "check"))
    assert found["ours"] == found["theirs"] == handed_in
    assert (found["doubled"], found["unlike"]) == (0, 0)
    assert found["said_to_be_finished"] == len(handed_in)


@pytest.mark.parametrize("workers", [1, 8])
def test_whole_annotations(site, free_port, bare_port, workers):
    errands = fill(site, HITS, workers)
    run(site, "-m", "tests.bench.bare_site", str(5 * HITS))
    with (
        serving("config.wsgi", site, free_port) as server,
        serving("tests.bench.bare_site", site, bare_port) as bare_server,
    ):
        ours = Course(server, annotate, errands)
        bare = Course(
            bare_server,
            annotate_bare,
            [{"worker": f"W{number}"} for number in range(workers)],
        )
        take_turns([ours, bare])
    figures, yardstick = ours.figures(), bare.figures()
    show("annotations", site, workers, figures)
    show("yardstick", site, workers, yardstick)
    show("ratio", site, workers, round(figures["per_second"] / yardstick["per_second"], 3))

    name = {1: "1 worker", 8: "8 workers"}[workers]
    record(
        f"Whole annotation over HTTP, {name}",
        f"{figures['per_second']}/s (bare site {yardstick['per_second']}/s)",
        database=_name(site),
    )
    check(site, ours)
    assert [problem for record in bare.records for problem in record.problems] == []
    done = [pk for record in bare.records for pk in record.handed_in]
    assert len(done) == len(set(done))
    assert figures["per_second"] >= LEAST_PER_SECOND[workers]
    assert figures["p95_ms"]["accept"] <= MOST_CLAIM_MS


@pytest.mark.parametrize("site", ["postgresql"], indirect=True)
def test_claims_take_as_long_among_a_hundred_thousand_hits_as_among_ten(site, free_port):
    groups = {hits: fill(site, hits, CROWD) for hits in OPEN_HITS}
    with serving("config.wsgi", site, free_port) as server:
        eight = {hits: Course(server, annotate, group[:8]) for hits, group in groups.items()}
        take_turns(list(eight.values()))
        crowds = [Course(server, annotate, group) for group in groups.values()]
        take_turns(crowds)
    claims = {hits: course.figures()["p95_ms"]["accept"] for hits, course in eight.items()}
    show("claims, p95 in ms", site, 8, claims)
    for crowd in crowds:
        show("annotations", site, CROWD, crowd.figures())

    record(
        "Claim of a HIT, 8 workers, 10,000 or 100,000 open HITs",
        " and ".join(f"{milliseconds} ms" for milliseconds in claims.values()),
        database=_name(site),
    )
    check(site, *eight.values(), *crowds)
    few, many = claims.values()
    assert max(few, many) <= MOST_CLAIM_MS
    assert many <= NOISE * few


@dataclass
class Course:
    """Workers at a server, and what they did. The warm-up counts for what they did, not for the
    figures."""

    server: Server
    work: Callable[..., Record]
    tasks: Sequence[dict[str, object]]
    records: list[Record] = field(default_factory=list)
    measured: list[Record] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)  # annotations a second in each
    seconds: float = 0
    web: float = 0
    database: float = 0

    def warm_up(self) -> None:
        self.records += self._work(seconds=0, least=WARM_UP // len(self.tasks))

    def run(self, seconds: float) -> None:
        """Every task in a process of its own, all at once."""
        web, database = self.server.web_seconds(), self.server.database_seconds()
        records = self._work(seconds=seconds)
        # From the first worker's first request to the last one's last answer.
        took = max(one.ended for one in records) - min(one.begun for one in records)
        self.web += self.server.web_seconds() - web
        self.database += self.server.database_seconds() - database
        self.turns.append(round(sum(len(one.handed_in) for one in records) / took, 1))
        self.seconds += took
        self.records += records
        self.measured += records

    def _work(self, **how: float) -> list[Record]:
        port = self.server.port
        return in_processes(self.work, [{**task, **how, "port": port} for task in self.tasks])

    def figures(self) -> Figures:
        done = sum(len(record.handed_in) for record in self.measured)
        steps = {
            step: sorted(one for record in self.measured for one in record.steps[step])
            for step in self.measured[0].steps
        }
        return {
            "done": done,
            "per_second": round(done / self.seconds, 1),
            "turns": self.turns,
            "web_cpu_ms": round(1000 * self.web / done, 2),
            "database_cpu_ms": round(1000 * self.database / done, 2),
            "p50_ms": {step: _at(0.5, times) for step, times in steps.items()},
            "p95_ms": {step: _at(0.95, times) for step, times in steps.items()},
        }


def take_turns(courses: Sequence[Course]) -> None:
    """By turns, because the machine may be quicker in one minute than in the next: what is compared has
    run in the same seconds."""
    for course in courses:
        course.warm_up()
    for _ in range(TURNS):
        for course in courses:
            course.run(SECONDS / TURNS)


def _at(share: float, ordered: Sequence[float]) -> float:
    return round(1000 * ordered[int(share * len(ordered))], 2)


def _name(site: dict[str, str]) -> str:
    return "SQLite" if site["DATABASE_URL"].startswith("sqlite") else "PostgreSQL"


def show(what: str, site: dict[str, str], workers: int, figures: object) -> None:
    database = site["DATABASE_URL"].partition(":")[0]
    print(f"{what}, {database}, {workers} workers: {json.dumps(figures)}")  # noqa: T201
