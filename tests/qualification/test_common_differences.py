"""The differences that most workers of a round have in common."""

import pytest
from django.urls import reverse

from qualification.domain.training.common_differences import common_differences
from qualification.domain.training.evaluate import evaluate_enrolment
from tests.consolidation.factories import CONTAIN, IDENTIFIED, SURVEY, source
from tests.crowd.factories import make_worker
from tests.qualification.factories import (
    EXPERT,
    LATER,
    WORKER,
    make_rounds,
    open_round,
    record,
    submit_work,
    work_through,
)

pytestmark = pytest.mark.django_db
WITH_EXTRA = {
    CONTAIN: WORKER[CONTAIN],
    IDENTIFIED: source(
        SURVEY,
        ("Who identified something?", ["the U.S. Geological Survey", "USGS"]),
        ("What did someone identify?", ["a basin"]),
        ("When did someone identify something?", ["In 1996"]),
        ("Where did someone identify something?", ["natural gas"]),
    ),
}


@pytest.fixture
def round(db):
    """Create a round in which two workers make the same mistakes, and a third makes another one."""
    training_round = make_rounds()[0]
    workers = [make_worker() for _ in range(5)]
    cohort = open_round(training_round, workers)
    for worker, contents in zip(workers, (WORKER, WORKER, WITH_EXTRA, EXPERT), strict=False):
        work_through(cohort, worker, contents)
    begun = cohort.batch.tasks.get(items__key=training_round.items.first().key)
    submit_work(begun, workers[4], EXPERT)
    record()
    last = training_round.enrolments.get(worker=workers[4])
    evaluate_enrolment(enrolment=last, cause="asked", now=LATER)
    evaluate_enrolment(enrolment=last, cause="asked", now=LATER)
    return training_round


def test_differences_are_counted_per_worker_and_item(round):
    common = common_differences(round=round)
    assert common.evaluated == 5
    counted = {
        (
            row.item.target["verb_idx"],
            row.row["state"],
            (row.row["reference"] or row.row["predicted"])["value"],
        ): (row.workers, row.annotators)
        for row in common.rows
    }
    # The worker who did one item counts there only, and once although evaluated twice.
    assert counted[IDENTIFIED, "missed", "In 1996"] == (2, 5)
    assert counted[IDENTIFIED, "extra", "natural gas"] == (1, 5)
    assert {annotators for (verb, *_), (_, annotators) in counted.items() if verb == CONTAIN} == {4}
    assert [row.workers for row in common.rows] == sorted(
        (row.workers for row in common.rows), reverse=True
    )
    kinds = {state: (count, workers) for state, _, count, workers in common.kinds}
    assert kinds["extra"] == (1, 1)
    assert kinds["missed"][1] == 2


def test_page_names_the_item_and_how_many_workers_differ(desk, enrolment):
    arguments = [enrolment.round.project.slug, enrolment.round_id]
    page = desk.get(reverse("qualification:differences", args=arguments)).content.decode()
    assert "1 evaluated worker:" in page
    assert "1 of 1" in page
    item = enrolment.round.items.first()
    assert reverse("consolidation:item", args=[arguments[0], item.pk]) in page
