"""The tasks in the schedule of Celery beat exist. A worker drops tasks of unknown names."""

from django.conf import settings

from config.celery import app


def test_scheduled_tasks_are_registered():
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled
    assert scheduled - set(app.tasks) == set()
