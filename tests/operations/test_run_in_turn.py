"""Sweeps that share one message: each runs, fails and is counted on its own."""

import json
import logging

import pytest

from annotation.tasks import record_generations, top_up_open_batches
from crowd.tasks import publish_hits, send_decisions
from operations.models import TaskStats
from operations.tasks import run_sweeps

pytestmark = pytest.mark.django_db
TASKS = [publish_hits, record_generations, send_decisions, top_up_open_batches]
NAMES = [task.name for task in TASKS]


@pytest.fixture
def calls(monkeypatch) -> list[str]:
    calls: list[str] = []
    for task in TASKS:
        monkeypatch.setattr(task, "run", lambda name=task.name: calls.append(name))
    return calls


def outcomes() -> dict[str, str]:
    return dict(TaskStats.objects.filter(task__in=NAMES).values_list("task", "outcome"))


def test_sweeps_run_in_order_and_are_counted_one_by_one(calls):
    run_sweeps(NAMES)
    assert calls == NAMES
    assert outcomes() == dict.fromkeys(NAMES, "success")


@pytest.mark.django_db(transaction=True)
def test_failing_sweep_does_not_stop_the_others(calls, monkeypatch, caplog):
    monkeypatch.setattr(record_generations, "run", lambda: 1 / 0)
    with caplog.at_level(logging.ERROR):
        run_sweeps(NAMES)
    assert calls == [name for name in NAMES if name != record_generations.name]
    assert outcomes() == dict.fromkeys(NAMES, "success") | {record_generations.name: "failure"}
    assert "ZeroDivisionError" in caplog.text


def test_busy_sweeps_leave_the_others_to_other_processes(calls, settings):
    queue = settings.VAR_DIR / "queue"
    earlier = set(queue.iterdir())
    settings.SWEEP_SECONDS = 0
    run_sweeps(NAMES)
    assert calls == []
    sent = [json.loads(path.read_text()) for path in set(queue.glob("*.celery.msg")) - earlier]
    assert sorted(message["headers"]["task"] for message in sent) == sorted(NAMES)
