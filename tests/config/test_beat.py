"""The tasks in the schedule of Celery beat exist. A worker drops tasks of unknown names."""

from django.conf import settings

from config.celery import app


def test_scheduled_tasks_are_registered():
    app.loader.import_default_modules()
    entries = settings.CELERY_BEAT_SCHEDULE.values()
    scheduled = {entry["task"] for entry in entries}
    in_turn = {name for entry in entries for names in entry.get("args", []) for name in names}
    assert scheduled
    assert in_turn
    assert (scheduled | in_turn) - set(app.tasks) == set()


def test_sweeps_share_a_queue_with_the_message_that_runs_them():
    router = app.amqp.Router()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        names = [entry["task"], *(name for names in entry.get("args", []) for name in names)]
        queues = {router.route({}, name)["queue"].name for name in names}
        assert len(queues) == 1, names


def test_idle_site_sends_few_messages():
    entries = settings.CELERY_BEAT_SCHEDULE.values()
    assert sum(1 / entry["schedule"] for entry in entries) < 0.8  # per second
