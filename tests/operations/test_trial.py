"""The trial of a year's operations: everything fails once, while workers submit work over HTTP.

Two web servers, a worker of each queue and beat run as the systemd units start them, with PostgreSQL
and its archive, Redis, and a stand-in for S3. Caddy 2.11 or later is in front of them if there is one.
Each fault must be reported within five minutes and cost nothing. The table is printed, and written to
the file that TRIAL_REPORT names. `-k` selects faults.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg2
import pytest

from operations.domain.queues import QUEUES
from tests.operations.trial_site import SHORTER, TrialSite, prepared, wait_until
from tests.operations.trial_watch import ALERT_SECONDS as ALERT
from tests.operations.trial_watch import DOWN, Episode, Look, Report, Watch
from tests.operations.trial_workers import Crowd

pytestmark = [pytest.mark.long, pytest.mark.system, pytest.mark.timeout(3600)]
ITEMS, WORKERS = 2500, 4
# Without any progress of work that the site's own processes still have to record
CATCH_UP_SECONDS = 180
MIB = 1 << 20


class Trial:
    """The site, its workers, and what was seen."""

    def __init__(self, site: TrialSite, crowd: Crowd, watch: Watch, report: Report) -> None:
        self.site, self.crowd, self.watch, self.report = site, crowd, watch, report
        self._lost_before: set[str] = set()

    @contextmanager
    def episode(self, name: str) -> Iterator[Episode]:
        """Yield an episode that is reported even if it fails. Afterwards, nothing may be lost."""
        wait_until(
            lambda: self.watch.is_well(since=time.monotonic() - 10), seconds=300, what="calm"
        )
        episode = Episode(name, self.watch, self.crowd.records, time.monotonic())
        self.report.episodes.append(episode)
        try:
            yield episode
            lost = self._lost()
            self._lost_before |= lost
            episode.lost = len(lost)
            assert not lost
        except BaseException:
            episode.note = f"{episode.note} failed".strip()
            raise
        finally:
            episode.close()

    def _lost(self) -> set[str]:
        """Return the work that was accepted since, but isn't recorded even after a while."""
        accepted = self.crowd.records.accepted_until(time.monotonic()) - self._lost_before
        lost, deadline = accepted, time.monotonic() + CATCH_UP_SECONDS
        while (waiting := accepted - self._recorded()) and time.monotonic() < deadline:
            if len(waiting) < len(lost):
                lost, deadline = waiting, time.monotonic() + CATCH_UP_SECONDS
            time.sleep(1)
        return waiting

    def _recorded(self) -> set[str]:
        rows = self.site.cluster.run_sql(
            "SELECT external_id FROM crowd_assignment WHERE recorded_at IS NOT NULL"
        )
        return {code for (code,) in rows}

    def books(self) -> dict:
        return json.loads(self.site.manage("-m", "tests.operations.trial_seed", "books"))

    def settled_books(self) -> dict:
        """Return the books once all payments are sent."""
        least, deadline = sys.maxsize, time.monotonic() + CATCH_UP_SECONDS
        while waiting := (books := self.books())["due"] + books["unrecorded"]:
            assert time.monotonic() < deadline, books
            if waiting < least:
                least, deadline = waiting, time.monotonic() + CATCH_UP_SECONDS
            time.sleep(2)
        return books


@pytest.fixture(scope="module")
def trial(tmp_path_factory) -> Iterator[Trial]:
    report = Report()
    with ExitStack() as stack:
        stack.callback(_show, report)
        site = prepared(stack, tmp_path_factory.mktemp("trial"))
        seeded = json.loads(
            site.manage("-m", "tests.operations.trial_seed", "fill", str(ITEMS), str(WORKERS))
        )
        stack.callback(site.stop)
        site.start()
        entrances = stack.enter_context(site.entrances(WORKERS))
        wait_until(lambda: _count(site, "marketplace_hit") > WORKERS, seconds=120, what="HITs")
        [(group,)] = site.cluster.run_sql("SELECT code FROM marketplace_hittype")
        watch = stack.enter_context(Watch(site.ports))
        crowd = stack.enter_context(Crowd(seeded, group, entrances))
        _describe(report, site)
        yield Trial(site, crowd, watch, report)


def _count(site: TrialSite, table: str) -> int:
    [(count,)] = site.cluster.run_sql(f"SELECT count(*) FROM {table}")
    return int(count)


def _describe(report: Report, site: TrialSite) -> None:
    with_proxy = "Caddy in front of two web servers, as in `deploy/Caddyfile`, without TLS."
    without = (
        "No Caddy 2.11 was found, so nothing is in front of the two web servers. Workers choose one by "
        "`/health/traffic`."
    )
    settings = " ".join(f"`{name}={value}`" for name, value in SHORTER.items())
    report.notes += [
        with_proxy if site.caddy else without,
        f"Settings shorter than in production: {settings}. Heartbeats and alerts have their normal "
        "intervals of a minute.",
        f"{WORKERS} workers. Health and metrics of both hosts are read every 2 seconds. Times of "
        "Prometheus include the rule's `for`, but not the interval of its scrapes.",
    ]


def _show(report: Report) -> None:
    table = report.table()
    print(f"\n{table}")  # noqa: T201
    if path := os.environ.get("TRIAL_REPORT"):
        Path(path).write_text(table)


def no_metrics(look: Look) -> bool:
    return look.metrics is None


def stopped(queue: str) -> Callable[[Look], bool]:
    return lambda look: look.value("touchstone_worker_stopped", queue=queue) == 1


def test_rolling_restarts_refuse_no_request(trial):
    with trial.episode("Rolling restart of both web servers, then of all workers") as episode:
        for number in (1, 2):
            trial.site.restart_web(number)
            time.sleep(6)  # until the proxy has noticed
        for name in (*QUEUES, "beat"):
            trial.site.services[name].restart()
        episode.repair()
        episode.expect_recovery()
        assert episode.failures() == []


@pytest.mark.parametrize(
    ("name", "what", "path"),
    [
        ("web 1", "its gunicorn", [0]),
        ("web 1", "a process of its gunicorn", [0, -1]),
        ("web 2", "", []),
        ("celery", "its child", [0]),
    ],
)
def test_killed_process_starts_again(trial, name, what, path):
    with trial.episode(f"`kill -9` of {name}{what and f', {what}'}") as episode:
        trial.site.services[name].kill_child(*path)
        episode.repair()
        time.sleep(4)
        episode.expect_recovery()


def test_killed_workers_and_beat_start_again(trial):
    with trial.episode("`kill -9` of each worker and beat, one after the other") as episode:
        for name in (*QUEUES, "beat"):
            trial.site.services[name].kill()
            time.sleep(4)
        episode.repair()
        episode.expect_recovery()
        assert episode.failures() == []


def test_stopped_postgresql(trial):
    with trial.episode("PostgreSQL stopped for 20 s") as episode:
        trial.site.cluster.stop()
        try:
            episode.expect_health("database")
            episode.expect_rule("TouchstoneDown", no_metrics)
            time.sleep(max(0, episode.started + 20 - time.monotonic()))
        finally:
            trial.site.cluster.start()
        episode.repair()
        episode.expect_recovery()


def test_killed_postgresql(trial):
    with trial.episode("`kill -9` of PostgreSQL") as episode:
        trial.site.cluster.kill()
        time.sleep(2)
        trial.site.cluster.start()
        episode.repair()
        episode.expect_recovery()


def test_killed_redis(trial):
    with trial.episode("`kill -9` of Redis") as episode:
        trial.site.redis.service.kill()
        time.sleep(2)
        episode.repair()
        episode.expect_recovery()


def test_stopped_redis(trial):
    with trial.episode("Redis stopped") as episode:
        trial.site.redis.service.stop()
        try:
            episode.expect_health("cache")
            episode.expect_health("queues")
            episode.expect_rule("TouchstoneWorkerStopped", stopped("celery"))
            assert episode.failures() == []
        finally:
            trial.site.redis.start()
        episode.repair()
        episode.expect_recovery()


def test_full_redis(trial):
    client = trial.site.redis.client
    with trial.episode("Redis at its `maxmemory`") as episode:
        allowed = client.config_get("maxmemory")["maxmemory"]
        client.config_set("maxmemory", "1mb")
        try:
            episode.expect_health("cache")
            episode.expect_rule("TouchstoneWorkerStopped", stopped("celery"))
            assert episode.failures() == []
        finally:
            client.config_set("maxmemory", allowed)
        episode.repair()
        episode.expect_recovery()


def test_stopped_storage(trial):
    with trial.episode("S3 stopped") as episode:
        trial.site.s3_link.cut()
        try:
            for check in ("uploads", "exports", "images"):
                episode.expect_health(check)
            episode.expect_alert("files")
            assert episode.failures() == []
        finally:
            trial.site.s3_link.restore()
        episode.repair()
        episode.expect_recovery()


def fill(path: Path) -> None:
    """Write until the disk is full, which raises OSError."""
    with path.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * MIB)


def test_full_disk(trial):
    if not trial.site.has_own_disk:
        trial.report.notes.append("A full disk was not tried, because only root can mount one.")
        pytest.skip("only root can mount a small disk")
    filler = trial.site.var / "filler"
    with trial.episode("Full disk of `VAR_DIR`") as episode:
        try:
            with pytest.raises(OSError, match="No space left"):
                fill(filler)
            episode.expect_health("disks")
            episode.expect_alert("disk")
            assert episode.failures() == []
        finally:
            filler.unlink()
        episode.repair()
        episode.expect_recovery()


def test_stopped_workers_of_three_queues(trial):
    queues = [name for name in QUEUES if name != "celery"]
    with trial.episode(f"Workers of {', '.join(queues)} stopped") as episode:
        for queue in queues:
            trial.site.services[queue].stop()
        try:
            episode.expect_health("workers", within=ALERT)
            for queue in queues:
                episode.expect_alert(f"worker {queue}")
        finally:
            for queue in queues:
                trial.site.services[queue].start()
        episode.repair()
        episode.expect_recovery()
        assert episode.failures() == []


def test_stopped_worker_of_the_main_queue(trial):
    with trial.episode("Worker of celery stopped") as episode:
        trial.site.services["celery"].stop()
        try:
            episode.expect_health("workers", within=ALERT)
            episode.expect_alert("worker celery")
        finally:
            trial.site.services["celery"].start()
        episode.repair()
        episode.expect_recovery()
        assert episode.failures() == []


def test_locked_table(trial):
    with trial.episode("Table of HITs locked") as episode:
        connection = psycopg2.connect(trial.site.cluster.url())
        try:
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE crowd_hit")
            episode.expect_health("locks")
            episode.expect_alert("locks")
        finally:
            connection.close()
        episode.repair()
        episode.expect_recovery()


def test_nothing_is_lost_doubled_or_paid_twice(trial):
    """Compare the accepted work with both sides' records, before and after a restore to a moment."""
    site, crowd = trial.site, trial.crowd
    moment, at = _now(site), time.monotonic()
    time.sleep(15)
    crowd.stop()
    books = trial.settled_books()
    check_books(books, crowd.records.accepted.keys())
    trial.report.notes += [
        _sentence("Before the restore", books),
        f"Problems that workers met besides: {crowd.records.problems or 'none'}.",
    ]
    assert crowd.records.problems == []

    early = crowd.records.accepted_until(at - 1)
    late = crowd.records.accepted.keys() - crowd.records.accepted_until(at + 1)
    assert late
    episode = Episode("Restore to a moment 15 s before the end", trial.watch, crowd.records, at)
    trial.report.episodes.append(episode)
    site.cluster.archive_everything()
    started = time.monotonic()
    site.stop()
    site.cluster.stop()
    done = site.cluster.script("restore_in_place", moment, PGDATA=str(site.cluster.data))
    assert done.returncode == 0, done.stderr
    site.cluster.start()
    site.start()
    episode.repair()
    wait_until(lambda: trial.watch.is_well(since=time.monotonic() - 6), seconds=300, what="restore")
    episode.recovered = time.monotonic() - started
    episode.health = DOWN
    episode.note = f"{len(late)} submissions of the time after it are gone, as they must"
    episode.close()
    restored = trial.settled_books()
    kept = set(restored["theirs"])
    assert early <= kept
    assert not late & kept
    check_books(restored, kept)
    trial.report.notes.append(_sentence("After it", restored))


def _now(site: TrialSite) -> str:
    [(now,)] = site.cluster.run_sql(
        "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"
    )
    return f"{now} UTC"


def check_books(books: dict, accepted: set[str]) -> None:
    assert sorted(accepted) == books["theirs"] == books["ours"]
    assert books["doubled"] == 0
    assert books["settled"] == books["spent"] == books["wallet"] > 0
    assert books["reserved"] == books["reserved_in_ledger"]
    assert books["payments"].keys() <= {"confirmed", "review"}


def _sentence(when: str, books: dict) -> str:
    return (
        f"{when}: {len(books['theirs'])} submissions accepted, {len(books['ours'])} stored, "
        f"{books['doubled']} doubled. Ledger {books['settled'] / 100:.2f} dollars, wallet "
        f"{books['wallet'] / 100:.2f} dollars. Payments: {books['payments']}."
    )
