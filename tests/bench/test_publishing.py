"""How long a worker waits while a job publishes 30,000 items on the same SQLite database."""

import os
import subprocess
import sys

import pytest

from tests.bench.results import record
from tests.bench.running_server import in_processes, serving
from tests.bench.simulated_worker import annotate
from tests.bench.test_annotations import fill, run
from tests.environment import ROOT

pytestmark = pytest.mark.bench

ITEMS = int(os.environ.get("BENCH_HITS", "30000"))
MAX_WAIT = 1.0  # seconds of any request
PUBLISH = f"""
from django.utils import timezone
from annotation.domain.publishing.publish import publish_batch
from config.celery import prepare_worker
from jobs.domain.run_jobs import run_next_job
from projects.models import Project
prepare_worker()  # as a worker does when it starts
publish_batch(project=Project.objects.get(slug="large"), now=timezone.now())
while run_next_job(clock=timezone.now):
    pass
batch = Project.objects.get(slug="large").batches.get()
assert (batch.state, batch.tasks.count()) == ("open", {ITEMS})
"""
PREPARE = f"""
from tests.annotation.factories import make_project
from tests.bench.annotation_site import import_items
import_items(make_project("large"), {ITEMS})
"""


def test_worker_goes_on_while_a_large_batch_is_published(embedded_site, tmp_path, free_port):
    site = embedded_site | {
        "DATABASE_URL": f"sqlite:///{tmp_path}/bench.sqlite3",
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        # All workers have one address, and nothing confirms their work during the measurement.
        "DRAFTS_PER_ADDRESS": "0",
        "UNCONFIRMED_DRAFTS": "0",
        "DRAFTS_PER_TASK_AND_ADDRESS": "0",
    }
    run(site, "manage.py", "migrate", "--verbosity", "0")
    run(site, "manage.py", "collect_static")
    tasks = fill(site, 10_000, 1)
    run(site, "manage.py", "shell", "-v0", "-c", PREPARE)
    records = []
    with serving("config.wsgi", site, free_port) as server:
        work = [{**task, "port": server.port, "seconds": 2} for task in tasks]
        in_processes(annotate, work)  # warms up
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", PUBLISH]
        with subprocess.Popen(command, cwd=ROOT, env=site) as publication:
            while publication.poll() is None:
                records += in_processes(annotate, work)
        assert publication.returncode == 0
    waits: dict[str, list[float]] = {}
    for annotated in records:  # one that waited for its first request has no later step
        for step, seconds in annotated.steps.items():
            waits.setdefault(step, []).extend(seconds)
    longest = {step: round(max(seconds), 2) for step, seconds in waits.items()}
    print(f"{sum(len(annotated.submitted) for annotated in records)} annotations: {longest}")  # noqa: T201
    record(
        "Longest wait of a worker while 30,000 HITs are published",
        f"{max(longest.values())} s",
        database="SQLite",
    )
    assert [problem for annotated in records for problem in annotated.problems] == []
    assert max(longest.values()) <= MAX_WAIT
