"""A site without Redis, where beat is as quick as rehearsals and the demo have it."""

import json
import subprocess
import sys

from tests.environment import ROOT

FACTS = """
import json
from config import settings
print(json.dumps({
    "per_second": sum(1 / one["schedule"] for one in settings.CELERY_BEAT_SCHEDULE.values()),
    "poll": settings.CELERY_BROKER_TRANSPORT_OPTIONS["polling_interval"],
}))
"""


def test_one_process_takes_in_more_than_beat_puts_out(embedded_site):
    """The other may be held by a rehearsal. Where the queue only grows, tasks expire in it, and those
    that beat puts out last are never run: items got no gold, and rehearsals failed for that."""
    env = {**embedded_site, "SWEEP_SECONDS": "1"}
    env.pop("REDIS_URL", None)
    done = subprocess.run(
        [sys.executable, "-c", FACTS],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    facts = json.loads(done.stdout)
    # After each task the worker rests for one poll: no task is taken in any sooner.
    assert facts["per_second"] * facts["poll"] < 0.85, facts
