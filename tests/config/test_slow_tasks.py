"""Slow tasks and their queues, which keep processes free for payments and recording."""

import fcntl

import pytest
from celery import current_app

from accounts.tasks import send_password_resets
from crowd.tasks import send_decisions, send_mail
from jobs.tasks import run_jobs
from marketplace.tasks import deliver_notifications
from operations.tasks import run_outside_sweeps
from projects.tasks import deliver_webhooks

pytestmark = pytest.mark.django_db
SLOW = [send_mail, send_password_resets, run_jobs, deliver_notifications, deliver_webhooks]


@pytest.fixture
def embedded(settings, tmp_path):
    settings.REDIS_URL = ""
    settings.VAR_DIR = tmp_path
    return settings


@pytest.fixture
def busy(embedded):
    """Hold the lock of a slow task, as another process of the site would."""
    with (embedded.VAR_DIR / "slow-task.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


@pytest.mark.parametrize("task", SLOW, ids=lambda task: task.name)
def test_slow_task_has_a_separate_queue(task):
    router = current_app.amqp.Router()
    queues = {router.route({}, name)["queue"].name for name in (task.name, send_decisions.name)}
    assert len(queues) == 2
    assert queues < {queue.name for queue in current_app.conf.task_queues}


@pytest.mark.parametrize("task", SLOW, ids=lambda task: task.name)
def test_one_slow_task_runs_at_a_time_without_redis(task, busy, monkeypatch):
    calls = []
    monkeypatch.setattr(task, "run", lambda: calls.append(1))
    task.apply(throw=True)
    assert not calls
    fcntl.flock(busy, fcntl.LOCK_UN)
    task.apply(throw=True)
    assert calls == [1]


def test_failing_task_frees_the_slot(embedded, monkeypatch):
    monkeypatch.setattr(run_jobs, "run", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_jobs.apply(throw=True)
    monkeypatch.undo()
    with (embedded.VAR_DIR / "slow-task.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_slow_tasks_that_a_slow_task_runs_share_its_slot(embedded, monkeypatch):
    calls = []
    monkeypatch.setattr(send_mail, "run", lambda: calls.append("mail"))
    monkeypatch.setattr(send_password_resets, "run", lambda: calls.append("resets"))
    run_outside_sweeps.apply(args=[[send_mail.name, send_password_resets.name]], throw=True)
    assert calls == ["mail", "resets"]


def test_other_tasks_need_no_slot(busy, monkeypatch):
    calls = []
    monkeypatch.setattr(send_decisions, "run", lambda: calls.append(1))
    send_decisions.apply(throw=True)
    assert calls == [1]


def test_separate_workers_need_no_slot(busy, settings, monkeypatch):
    calls = []
    monkeypatch.setattr(send_mail, "run", lambda: calls.append(1))
    settings.REDIS_URL = "redis://127.0.0.1:6379/0"
    send_mail.apply(throw=True)
    assert calls == [1]
