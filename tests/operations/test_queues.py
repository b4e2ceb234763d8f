"""The queues of background tasks, in a folder and in Redis, with and without room."""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import call_command
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import OutOfMemoryError

from config.celery import app
from crowd.tasks import send_decisions
from operations.domain import queues
from projects.command import InputError
from tests.operations.manage import manage

CELERY = (sys.executable, "-m", "celery", "-A", "config")


@pytest.fixture
def folder(settings):
    """Return the empty folder of the queues."""
    for name in queues.QUEUES:
        queues.empty(name)
    yield Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"])
    for name in queues.QUEUES:
        queues.empty(name)


def make_message(folder: Path, queue: str, *, age: float = 0) -> None:
    name = f"{time.time_ns() - int(age * 1e9):020}_{age}.{queue}.msg"
    (folder / name).write_text("{}")


def test_lengths_and_ages_in_a_folder(folder):
    make_message(folder, "outside", age=60)
    make_message(folder, "outside", age=20)
    make_message(folder, "jobs")
    states = {state.name: state for state in queues.queue_states()}
    lengths = {name: state.length for name, state in states.items()}
    assert lengths == dict.fromkeys(queues.QUEUES, 0) | {"outside": 2, "jobs": 1}
    assert states["celery"].oldest_at is None
    assert time.time() - states["outside"].oldest_at.timestamp() == pytest.approx(60, abs=5)


def test_full_queue_accepts_no_messages_until_it_has_room(folder, monkeypatch, caplog):
    monkeypatch.setattr(queues, "MAX_MESSAGES", 2)
    for _ in range(2):
        make_message(folder, "celery")
    assert send_decisions.delay() is None
    assert send_decisions.delay() is None
    assert caplog.text.count("The queue celery has 2 messages") == 1
    queues.empty("celery")
    assert send_decisions.delay() is not None
    assert "The queue celery accepts messages again" in caplog.text
    # By name, as domains do, and to a queue that the caller names
    for _ in range(2):
        make_message(folder, "jobs")
        make_message(folder, "outside")
    assert app.send_task("jobs.tasks.run_jobs") is None
    assert app.send_task("operations.tasks.watch", ["outside"], queue="outside") is None


def test_command_empties_the_queues_after_a_confirmation(folder, monkeypatch, capsys):
    for queue in ("celery", "outside", "outside"):
        make_message(folder, queue)
    prompts = []
    monkeypatch.setattr("builtins.input", lambda prompt: prompts.append(prompt) or "no")
    with pytest.raises(InputError, match="Nothing was deleted"):
        call_command("empty_queues")
    assert prompts[0].startswith("Delete 1 celery, 2 outside, 0 jobs")
    assert queues.length_of("outside") == 2
    monkeypatch.setattr("builtins.input", lambda prompt: "yes")
    call_command("empty_queues", "outside")
    assert [queues.length_of(name) for name in ("celery", "outside")] == [1, 0]
    call_command("empty_queues", "--yes", "--json")
    deleted = json.loads(capsys.readouterr().out.splitlines()[-1])["deleted"]
    assert deleted == dict.fromkeys(queues.QUEUES, 0) | {"celery": 1}
    with pytest.raises(InputError, match="no queue payments"):
        call_command("empty_queues", "payments", "--yes")


@pytest.fixture
def small_redis(start_process, free_port, tmp_path, wait_for):
    """Start a Redis that refuses to store more than a few megabytes."""
    options = ["--save", "", "--maxmemory", "6mb", "--maxmemory-policy", "noeviction"]
    start_process(
        ["redis-server", "--port", str(free_port), "--dir", str(tmp_path), *options],
        env={"PATH": os.environ["PATH"]},
        log=tmp_path / "redis.log",
    )
    client = Redis(port=free_port)

    def is_up() -> bool:
        try:
            return bool(client.ping())
        except RedisConnectionError:
            return False

    wait_for(is_up)
    yield client
    client.close()


@pytest.fixture
def site(embedded_site, small_redis, migrate):
    port = small_redis.connection_pool.connection_kwargs["port"]
    env = {**embedded_site, "REDIS_URL": f"redis://127.0.0.1:{port}/0"}
    migrate(env)
    return env


def fill(client: Redis) -> None:
    """Store messages in a queue without a worker until the memory is full."""
    with suppress(OutOfMemoryError):
        for _ in range(100_000):
            client.lpush("jobs", "x" * 1000)


SEND = "from crowd.tasks import send_decisions; print(send_decisions.delay())"


@pytest.mark.system
def test_workers_outlast_a_full_redis(site, small_redis, start_process, tmp_path, wait_for):
    logs = {name: tmp_path / f"{name}.log" for name in ("running", "starting")}

    def start(name: str):
        options = ["-Q", "celery", "--concurrency", "1", "-n", f"{name}@%h", "--loglevel", "INFO"]
        return start_process([*CELERY, "worker", *options], env=site, log=logs[name])

    def count(name: str, text: str) -> int:
        return logs[name].read_text().count(text)

    running = start("running")
    wait_for(lambda: count("running", "ready.") == 1)
    # The worker gets its next message when Redis has become full.
    running.send_signal(signal.SIGSTOP)
    assert "None" not in manage(site, "shell", "-v0", "-c", SEND)
    fill(small_redis)
    running.send_signal(signal.SIGCONT)
    starting = start("starting")
    for name in logs:
        wait_for(lambda name=name: count(name, "Redis has no memory left") > 0)
    fill(small_redis)  # the workers may have freed a little
    assert "None" in manage(site, "shell", "-v0", "-c", SEND)  # refused, but not an error
    time.sleep(12)  # another attempt
    assert (running.poll(), starting.poll()) == (None, None)
    assert [count(name, "no memory left") <= 4 for name in logs] == [True, True]
    answer = manage(site, "empty_queues", "jobs", "--yes")
    assert "jobs messages were deleted" in answer
    assert small_redis.llen("jobs") == 0
    wait_for(lambda: count("starting", "ready.") == 1)
    for _ in range(6):
        manage(site, "shell", "-v0", "-c", SEND)
    wait_for(lambda: small_redis.llen("celery") == 0)
    done = "crowd.tasks.send_decisions: success"
    wait_for(lambda: count("running", done) + count("starting", done) >= 6)


@pytest.mark.system
def test_beat_sends_no_message_to_a_queue_that_nobody_empties(
    site, small_redis, start_process, tmp_path, wait_for
):
    with small_redis.pipeline() as pipe:
        for name in queues.QUEUES:
            pipe.lpush(name, *["{}"] * queues.MAX_MESSAGES)
        pipe.execute()
    log = tmp_path / "beat.log"
    start_process(
        [*CELERY, "beat", "--loglevel", "INFO"], env={**site, "SWEEP_SECONDS": "1"}, log=log
    )
    wait_for(lambda: log.read_text().count("Sending due task") > 6)
    lengths = [small_redis.llen(name) for name in queues.QUEUES]
    assert lengths == [queues.MAX_MESSAGES] * len(lengths)
    for name in ("celery", "outside", "jobs"):
        assert log.read_text().count(f"The queue {name} has {queues.MAX_MESSAGES} messages") == 1
    small_redis.delete("celery")
    wait_for(lambda: small_redis.llen("celery") > 0)
    message = json.loads(small_redis.lindex("celery", -1))
    assert time.time() - message["headers"][queues.PUBLISHED_AT] < 60


@pytest.mark.system
def test_worker_stores_the_first_heartbeats_of_its_queues(site, start_process, tmp_path, wait_for):
    show = "from operations.models import Heartbeat as H; print([h.queue for h in H.objects.all()])"
    options = ["-Q", "outside,jobs", "--concurrency", "1", "--loglevel", "INFO"]
    start_process([*CELERY, "worker", *options], env=site, log=tmp_path / "log")
    wait_for(lambda: "ready." in (tmp_path / "log").read_text())
    queues_with_heartbeat = manage(site, "shell", "-v0", "-c", show)
    assert "outside" in queues_with_heartbeat
    assert "jobs" in queues_with_heartbeat
    assert "celery" not in queues_with_heartbeat
