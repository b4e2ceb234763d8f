"""A site without Redis, whose worker reads tasks from a folder."""

import sys
import time
from pathlib import Path

import pytest

from tests.operations.manage import manage

TASKS = 120
# The tasks that Celery beat sends per second in rehearsals and the demo, with SWEEP_SECONDS=1.
PER_SECOND = """
from config import settings
print(sum(1 / entry["schedule"] for entry in settings.CELERY_BEAT_SCHEDULE.values()))
"""
SEND = f"""
from crowd.tasks import send_decisions
for _ in range({TASKS}):
    send_decisions.delay()
"""


@pytest.mark.system
def test_one_process_keeps_up_with_beat(embedded_site, migrate, start_process, tmp_path, wait_for):
    """A rehearsal can occupy the other process. Tasks would expire in a growing queue."""
    env = {**embedded_site, "SWEEP_SECONDS": "1"}
    env.pop("REDIS_URL", None)
    migrate(env)
    sent_per_second = float(manage(env, "shell", "-v0", "-c", PER_SECOND))
    manage(env, "shell", "-v0", "-c", SEND)
    queue = Path(env["VAR_DIR"]) / "queue"

    def waiting() -> int:
        return len(list(queue.glob("*.celery.msg")))

    assert waiting() == TASKS
    celery = [sys.executable, "-m", "celery", "-A", "config", "worker", "--concurrency", "1"]
    start_process(celery, env=env, log=tmp_path / "worker.log")
    wait_for(lambda: waiting() < TASKS)
    task_count, started = waiting(), time.monotonic()
    wait_for(lambda: not waiting())
    assert task_count / (time.monotonic() - started) > sent_per_second
