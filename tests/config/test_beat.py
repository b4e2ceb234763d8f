"""What beat asks for exists: a worker drops a task whose name it does not know."""

from django.conf import settings

from config.celery import app


def test_every_task_of_the_schedule_is_known_to_the_worker():
    app.loader.import_default_modules()
    asked = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert asked
    assert asked - set(app.tasks) == set()
