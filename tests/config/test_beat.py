"""The tasks in the schedule of Celery beat exist. A worker drops tasks of unknown names."""

from django.conf import settings

from config.celery import app


def names_in_turn(entry: dict) -> list[str]:
    """Return the tasks that the entry's message runs in turn."""
    names, *_ = entry.get("args", [[]])
    return [] if isinstance(names, str) else list(names)


def test_scheduled_tasks_are_registered():
    app.loader.import_default_modules()
    entries = settings.CELERY_BEAT_SCHEDULE.values()
    scheduled = {entry["task"] for entry in entries}
    in_turn = {name for entry in entries for name in names_in_turn(entry)}
    assert scheduled
    assert in_turn
    assert (scheduled | in_turn) - set(app.tasks) == set()


def test_sweeps_share_a_queue_with_the_message_that_runs_them():
    router = app.amqp.Router()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        names = [entry["task"], *names_in_turn(entry)]
        queues = {router.route({}, name)["queue"].name for name in names}
        assert len(queues) == 1, names


def test_idle_site_sends_few_messages():
    entries = settings.CELERY_BEAT_SCHEDULE.values()
    assert sum(1 / entry["schedule"] for entry in entries) < 0.8  # per second


def test_each_queue_is_watched_and_no_message_waits_forever():
    entries = settings.CELERY_BEAT_SCHEDULE.values()
    watched = [
        (entry["args"], entry["options"]["queue"])
        for entry in entries
        if entry["task"] == "operations.tasks.watch"
    ]
    assert watched == [([queue.name], queue.name) for queue in settings.CELERY_TASK_QUEUES]
    assert all(entry["options"]["expires"] for entry in entries)
