"""Actions on a whole batch of 10,000 HITs: how long the user waits, and the jobs take."""

import os
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotation.domain.publishing.batch_actions import (
    add_to_batch,
    expire_batch,
    extend_batch,
    hits_of,
    pause_batch,
    resume_batch,
)
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.publishing.publish_rest import finish_publication
from crowd.enums import HitState
from jobs.domain.run_jobs import run_next_job
from projects.models import Project
from tests.annotation.factories import make_project
from tests.bench.annotation_site import import_items

pytestmark = [
    pytest.mark.bench,
    # Committed, as in production.
    pytest.mark.django_db(transaction=True),
]

HITS = int(os.environ.get("BENCH_HITS", "10000"))
MAX_SECONDS = {"publish": 15.0, "pause": 5.0, "resume": 5.0, "extend": 5.0, "add": 5.0, "end": 5.0}
MAX_JOB_SECONDS = 10.0


def test_orders_to_a_batch():
    now = timezone.now()
    project = make_project()
    import_items(project, HITS)
    took = {"publish": seconds(lambda: publish_all(project))}
    batch = project.batches.get()
    hits_of(batch).update(
        state=HitState.LIVE,
        external_id=Concat(Value("HIT"), Cast("pk", CharField())),
        attempted_at=now,
        created_at=now,
    )
    order = {"batch": batch, "actor": "me", "now": now}
    orders = {
        "pause": lambda: pause_batch(**order),
        "resume": lambda: resume_batch(**order),
        "extend": lambda: extend_batch(**order, ends_at=now + timedelta(days=30)),
        "add": lambda: add_to_batch(**order, number=1),
        "end": lambda: expire_batch(**order),
    }
    jobs = {}
    for name, act in orders.items():
        took[name] = seconds(act)
        jobs[name] = seconds(run_jobs)
    for title, figures in (("waits", took), ("jobs", jobs)):
        print(title, {name: round(value, 2) for name, value in figures.items()})  # noqa: T201
    assert hits_of(batch).filter(increase_to=3, expiration_wanted__gte=now).count() == HITS
    assert {name: value for name, value in took.items() if value > MAX_SECONDS[name]} == {}
    assert {name: value for name, value in jobs.items() if value > MAX_JOB_SECONDS} == {}


def publish_all(project: Project) -> None:
    batch = publish_batch(project=project, now=timezone.now())
    finish_publication(batch=batch, actor="bench", clock=timezone.now)


def run_jobs() -> None:
    """Carry out the orders, which are jobs for more than some hundred HITs."""
    while run_next_job(clock=timezone.now):
        pass


def seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start
