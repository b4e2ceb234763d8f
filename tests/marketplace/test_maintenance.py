"""Rows that maintenance cannot process."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.models import SweepFailure
from marketplace.domain.work import maintenance
from marketplace.models import Assignment
from operations.domain.alerts import MIN_PROBLEM_AGE, current_problems

from .conftest import accept

pytestmark = [pytest.mark.failing_rows, pytest.mark.django_db]


@pytest.fixture
def overdue(publish, browser) -> list[Assignment]:
    """Return three overdue assignments."""
    for number in range(3):
        accept(browser, publish(UniqueRequestToken=str(number), Title=f"group {number}"))
    Assignment.objects.update(deadline_at=timezone.now() - timedelta(minutes=1))
    return list(Assignment.objects.order_by("pk"))


@pytest.fixture
def failing(overdue, monkeypatch) -> Assignment:
    """Return the second assignment, which cannot be abandoned."""
    abandon = maintenance.work.abandon

    def fails(*, assignment_pk, now):
        if assignment_pk == overdue[1].pk:
            raise ValueError("broken")
        return abandon(assignment_pk=assignment_pk, now=now)

    monkeypatch.setattr(maintenance.work, "abandon", fails)
    return overdue[1]


def abandoned_at(now) -> int:
    return maintenance.run_due(now=now)["abandoned"]


def test_failing_row_does_not_stop_the_others(failing):
    assert abandoned_at(timezone.now()) == 2


def test_failing_row_is_retried_later_and_deleted_on_success(failing, monkeypatch):
    now = timezone.now()
    abandoned_at(now)
    failure = SweepFailure.objects.get()
    assert (failure.sweep, failure.model) == ("abandon assignments", "marketplace.Assignment")
    assert (failure.object_id, failure.error) == (failing.pk, "ValueError('broken')")
    monkeypatch.undo()
    assert abandoned_at(now + timedelta(seconds=59)) == 0
    assert abandoned_at(now + timedelta(seconds=61)) == 1
    assert not SweepFailure.objects.exists()


def test_failing_rows_do_not_fill_the_batch(failing, monkeypatch):
    monkeypatch.setattr(maintenance, "BATCH", 1)
    now = timezone.now()
    assert sum(abandoned_at(now) for _ in range(4)) == 2


def test_failing_row_raises_an_alert(failing):
    now = timezone.now()
    abandoned_at(now)
    keys = [problem.key for problem in current_problems(now=now + MIN_PROBLEM_AGE)]
    assert "failing rows" in keys
