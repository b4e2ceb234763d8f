"""Whole annotations through HTTP, against gunicorn as it is run in production.

Each is five requests: accept at the marketplace, its page, our page in its frame, hand in to us, hand in
to the marketplace. Beside them, in the same run, a bare Django view with a claim, a page and a submit.
`pytest -m bench -s tests/bench/test_annotations.py`; BENCH_SECONDS, BENCH_HITS for other sizes.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import pytest

from tests.bench.running_server import Server, in_processes, serving
from tests.bench.simulated_worker import Record, annotate, annotate_bare
from tests.environment import ROOT

pytestmark = pytest.mark.bench

SECONDS = float(os.environ.get("BENCH_SECONDS", "10"))
HITS = int(os.environ.get("BENCH_HITS", "10000"))
# Done before anything is measured: each of the server's threads opens its connection and loads its code.
WARM_UP = 160
LEAST_PER_SECOND = {1: 100, 8: 200}
MOST_CLAIM_MS = {1: 10, 8: 40}

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


@pytest.mark.parametrize("workers", [1, 8])
def test_whole_annotations(site, free_port, workers):
    seeded = json.loads(
        run(site, "-m", "tests.bench.annotation_site", "fill", str(HITS), str(workers))
    )
    common = {"port": free_port, "group": seeded["group"], "answer": seeded["answer"]}
    tasks = [{**common, "session": session} for session in seeded["sessions"]]
    with serving("config.wsgi", site, free_port) as server:
        records, figures = measure(server, annotate, tasks)
    show("annotations", site, workers, figures)
    found = json.loads(run(site, "-m", "tests.bench.annotation_site", "check"))
    yardstick = measure_yardstick(site, free_port, workers)
    show("yardstick", site, workers, yardstick)
    show("ratio", site, workers, figures["per_second"] / yardstick["per_second"])

    assert [problem for record in records for problem in record.problems] == []
    handed_in = sorted(one for record in records for one in record.handed_in)
    assert found["ours"] == found["theirs"] == handed_in  # nothing lost, nothing invented
    assert (found["doubled"], found["unlike"]) == (0, 0)
    assert found["said_to_be_finished"] == len(handed_in)
    assert figures["per_second"] >= LEAST_PER_SECOND[workers]
    assert figures["p95_ms"]["accept"] <= MOST_CLAIM_MS[workers]


def measure_yardstick(site: dict[str, str], port: int, workers: int) -> Figures:
    run(site, "-m", "tests.bench.bare_site", str(5 * HITS))
    tasks = [{"port": port, "worker": f"W{number}"} for number in range(workers)]
    with serving("tests.bench.bare_site", site, port) as server:
        records, figures = measure(server, annotate_bare, tasks)
    done = [pk for record in records for pk in record.handed_in]
    assert len(done) == len(set(done))
    assert not any(record.problems for record in records)
    return figures


def measure(
    server: Server, work: Callable[..., Record], tasks: Sequence[dict[str, object]]
) -> tuple[list[Record], Figures]:
    """Every task in a process of its own, all at once: what they did in all, and the figures of what
    came after the warm-up."""
    warm = in_processes(
        work, [{**task, "seconds": 0, "least": WARM_UP // len(tasks)} for task in tasks]
    )
    web, database, start = server.web_seconds(), server.database_seconds(), time.monotonic()
    records = in_processes(work, [{**task, "seconds": SECONDS} for task in tasks])
    elapsed = time.monotonic() - start
    web, database = server.web_seconds() - web, server.database_seconds() - database
    done = sum(len(record.handed_in) for record in records)
    steps = {
        step: sorted(one for record in records for one in record.steps[step])
        for step in records[0].steps
    }
    return warm + records, {
        "done": done,
        "per_second": round(done / elapsed, 1),
        "web_cpu_ms": round(1000 * web / done, 2),
        "database_cpu_ms": round(1000 * database / done, 2),
        "p50_ms": {step: _at(0.5, times) for step, times in steps.items()},
        "p95_ms": {step: _at(0.95, times) for step, times in steps.items()},
    }


def _at(share: float, ordered: Sequence[float]) -> float:
    return round(1000 * ordered[int(share * len(ordered))], 2)


def show(what: str, site: dict[str, str], workers: int, figures: object) -> None:
    database = site["DATABASE_URL"].partition(":")[0]
    print(f"{what}, {database}, {workers} workers: {json.dumps(figures)}")  # noqa: T201
