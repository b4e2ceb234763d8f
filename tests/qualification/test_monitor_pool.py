import pytest

from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.record_generations import record_new_generations
from qualification.domain.pool.monitor_pool import GRACE_ITEMS, coverage_of_pool
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item, make_project, source
from tests.crowd.factories import NOW, make_worker
from tests.qualification.factories import EXPERT, LATER, make_rounds, submit_work

pytestmark = pytest.mark.django_db
ONE = source(SURVEY, ("What did someone identify?", ["a basin"]))


def produce(project, items, contents_by_worker):
    for _ in range(items):
        make_item(SURVEY, IDENTIFIED, project)
    batch = publish_batch(project=project, now=NOW)
    for task in batch.tasks.all():
        for worker, content in contents_by_worker.items():
            submit_work(task, worker, {IDENTIFIED: content})
    record_new_generations(clock=lambda: LATER, limit=500)


def test_worker_below_two_questions_is_flagged_after_the_grace_period():
    project, thrifty, thorough = make_project(), make_worker(), make_worker()
    produce(project, GRACE_ITEMS, {thrifty: ONE, thorough: EXPERT[IDENTIFIED]})
    assert [
        (coverage.worker, coverage.items, coverage.per_item, coverage.flagged)
        for coverage in coverage_of_pool(project=project)
    ] == [
        (thrifty, 15, 1, True),
        (thorough, 15, 3, False),
    ]


def test_worker_is_not_flagged_during_the_grace_period():
    project, thrifty = make_project(), make_worker()
    produce(project, GRACE_ITEMS - 1, {thrifty: ONE})
    assert [coverage.flagged for coverage in coverage_of_pool(project=project)] == [False]


def test_training_is_not_monitored():
    project = make_project()
    make_rounds(project)
    assert coverage_of_pool(project=project) == []
