"""The command `worker` becomes a Celery worker."""

import pytest
from django.core.management import call_command

from operations.management.commands import worker
from projects.command import InputError

pytestmark = pytest.mark.django_db


@pytest.fixture
def started(monkeypatch, settings, tmp_path):
    """Return a function that runs the command, and returns the command line it becomes."""
    settings.BASE_DIR = tmp_path
    monkeypatch.chdir(tmp_path)

    class ReplacedError(Exception):
        pass

    def execv(path, arguments):
        raise ReplacedError(arguments)

    monkeypatch.setattr(worker.os, "execv", execv)

    def start(*arguments: str) -> list[str]:
        with pytest.raises(ReplacedError) as replaced:
            call_command("worker", *arguments)
        [command] = replaced.value.args
        return command[command.index("worker") :]

    return start


COMMON = ["--pool", "threads", "--concurrency"]
QUIET = ["--without-gossip", "--without-mingle"]


def test_worker_serves_all_queues_and_sends_the_schedule(started):
    expected = ["worker", "--beat-thread", "--loglevel", "INFO", *COMMON, "2", *QUIET]
    assert started() == expected


def test_work_is_divided_between_workers_with_redis(started, settings):
    settings.REDIS_URL = "redis://127.0.0.1:6379/3"
    options = ["--queue", "jobs", "--queue", "backups", "--no-schedule", "--concurrency", "4"]
    expected = ["worker", "-Q", "jobs,backups", "--loglevel", "INFO", *COMMON, "4", *QUIET]
    assert started(*options) == expected


@pytest.mark.parametrize("options", [["--queue", "jobs"], ["--no-schedule"]])
def test_site_without_redis_has_one_worker(settings, options):
    settings.REDIS_URL = ""
    with pytest.raises(InputError, match="REDIS_URL"):
        call_command("worker", *options)


def test_concurrency_is_positive():
    with pytest.raises(InputError, match="--concurrency 0 is not positive"):
        call_command("worker", "--concurrency", "0")
