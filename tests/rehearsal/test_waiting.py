"""Rehearsals that wait, whose process died, and that can't come to an end."""

from datetime import timedelta

import pytest

from annotation.models import Project
from rehearsal.domain.try_out import (
    ATTEMPTS,
    LEASE,
    CanNotRehearse,
    begin_rehearsal,
    run_next_rehearsal,
)
from rehearsal.enums import RehearsalState
from rehearsal.models import Rehearsal
from tests.annotation.factories import make_item, make_project
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


def waiting(slug: str = "spring") -> Rehearsal:
    project = make_project(slug)
    make_item(project)
    return begin_rehearsal(project=project, actor="fay", now=NOW)


def held(row: Rehearsal, **fields: object) -> None:
    """As a process leaves it that began it and then died."""
    begun = {"state": RehearsalState.RUNNING, "attempts": 1, "leased_until": NOW + LEASE}
    Rehearsal.objects.filter(pk=row.pk).update(**begun | fields)


def test_nothing_waits():
    assert run_next_rehearsal(clock=lambda: NOW) == 0


def test_rehearsal_of_a_living_process_is_left_alone():
    row = waiting()
    held(row)
    assert run_next_rehearsal(clock=lambda: NOW + LEASE - timedelta(seconds=1)) == 0
    row.refresh_from_db()
    assert (row.state, row.attempts) == (RehearsalState.RUNNING, 1)


def test_others_wait_while_one_is_running():
    held(waiting("spring"))
    second = waiting("summer")
    assert run_next_rehearsal(clock=lambda: NOW) == 0
    second.refresh_from_db()
    assert (second.state, second.attempts) == (RehearsalState.QUEUED, 0)


def test_given_up_with_a_reason_after_the_last_attempt_and_another_may_begin():
    row = waiting()
    held(row, attempts=ATTEMPTS, problem="The last one met: OperationalError: locked")
    with pytest.raises(CanNotRehearse):
        begin_rehearsal(project=row.original, actor="fay", now=NOW)
    later = NOW + LEASE + timedelta(seconds=1)
    assert run_next_rehearsal(clock=lambda: later) == 1
    row.refresh_from_db()
    assert row.state == RehearsalState.FAILED
    assert row.problem == (
        f"Given up: of {ATTEMPTS} attempts none came to its end. "
        "The last one met: OperationalError: locked"
    )
    assert (row.ended_at, row.leased_until) == (later, None)
    assert begin_rehearsal(project=row.original, actor="fay", now=later).pk != row.pk


# The lease is renewed on a connection of its own: the rows have to be there for it.
@pytest.mark.django_db(transaction=True)
def test_error_that_nobody_foresaw_is_kept_and_tried_again():
    row = waiting()
    Project.objects.filter(pk=row.copy_id).update(scheme="gone")
    for attempt in range(1, ATTEMPTS + 1):
        with pytest.raises(Exception, match="gone"):
            run_next_rehearsal(clock=lambda: NOW)
        row.refresh_from_db()
        assert (row.state, row.attempts) == (RehearsalState.RUNNING, attempt)
        assert row.leased_until is None
        assert "gone" in row.problem
    assert run_next_rehearsal(clock=lambda: NOW) == 1
    row.refresh_from_db()
    assert row.state == RehearsalState.FAILED
    assert "gone" in row.problem
