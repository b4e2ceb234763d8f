import pytest

from qualification.domain.rounds.withdraw_invitation import withdraw_invitation
from qualification.domain.training.decide import Verdict, decide
from qualification.domain.training.feedback import Notes, send_feedback
from qualification.domain.training.funnel import funnel_of
from tests.consolidation.factories import make_project
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    LATER,
    make_rounds,
    open_round,
    record,
    submit_work,
    work_through,
)

pytestmark = pytest.mark.django_db


def test_funnel_counts_workers_per_step():
    first, second = make_rounds()
    passing, failing, leaving, absent, ghost = (make_worker() for _ in range(5))
    cohort = open_round(first, [passing, failing, leaving, absent, ghost])
    withdraw_invitation(enrolment=first.enrolments.get(worker=ghost), actor="rita", now=LATER)
    work_through(cohort, passing, EXPERT)
    work_through(cohort, failing)
    submit_work(cohort.batch.tasks.first(), leaving)
    record()
    for worker, verdict in ((passing, Verdict.PASS), (failing, Verdict.DECLINE)):
        enrolment = first.enrolments.get(worker=worker)
        notes = Notes("Thank you", {}, 300)
        send_feedback(
            enrolment=enrolment, trainer=make_user(f"t{worker.pk}"), notes=notes, now=LATER
        )
        decide(enrolment=enrolment, verdict=verdict, reason="", actor="t", now=LATER)
    first_row, second_row = funnel_of(project=first.project)
    assert (
        first_row.invited,
        first_row.started,
        first_row.finished,
        first_row.passed,
        first_row.declined,
    ) == (4, 3, 2, 1, 1)
    assert (first_row.worker_seconds, first_row.trainer_minutes) == (5 * 90, 10)
    assert (second_row.title, second_row.invited, second_row.started, second_row.opens_pool) == (
        second.title,
        1,
        0,
        True,
    )


def test_project_without_rounds_has_an_empty_funnel():
    assert funnel_of(project=make_project()) == []
