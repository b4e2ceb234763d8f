"""A failing row is recorded and retried later, and the other rows are processed."""

import logging
from datetime import timedelta

import pytest
from django.db import transaction

from crowd.models import Worker
from jobs.domain.sweep import FIRST_RETRY, MAX_RETRY_DELAY, for_each_group, for_each_row
from jobs.models import SweepFailure
from tests.crowd.factories import NOW, make_worker

pytestmark = [pytest.mark.django_db, pytest.mark.failing_rows]


class Rows:
    """A sweep that renames workers and then fails for the poisoned ones."""

    def __init__(self, *poisoned: Worker, message: str = "broken") -> None:
        self.message = message
        self.poisoned = {worker.pk for worker in poisoned}
        self.now = NOW
        self.processed: list[int] = []

    def run(self, **options: object) -> int:
        rows = Worker.objects.order_by("pk")
        clock = lambda: self.now  # noqa: E731
        return for_each_row(sweep="test", rows=rows, process=self.process, clock=clock, **options)

    @transaction.atomic
    def process(self, worker: Worker, now: object) -> int:
        Worker.objects.filter(pk=worker.pk).update(external_id=f"processed {worker.pk}")
        if worker.pk in self.poisoned:
            raise ValueError(self.message)
        self.processed.append(worker.pk)
        return 1


def test_failing_row_is_rolled_back_logged_and_recorded(caplog):
    first, poisoned, last = make_worker(), make_worker(), make_worker()
    rows = Rows(poisoned)
    with caplog.at_level(logging.ERROR):
        assert rows.run() == 2
    assert rows.processed == [first.pk, last.pk]
    assert Worker.objects.get(pk=poisoned.pk).external_id == poisoned.external_id
    failure = SweepFailure.objects.get()
    assert (failure.sweep, failure.model, failure.object_id) == (
        "test",
        "crowd.Worker",
        poisoned.pk,
    )
    assert (failure.error, failure.attempts) == ("ValueError('broken')", 1)
    assert (failure.first_failed_at, failure.retry_at) == (NOW, NOW + FIRST_RETRY)
    assert f"test failed for crowd.Worker [{poisoned.pk}]" in caplog.text


def test_error_that_is_not_valid_text_is_recorded_with_escapes(caplog):
    rows = Rows(make_worker(), message="\x00 \ud800")
    # The pytest report must be valid UTF-8, so the error is not logged.
    with caplog.at_level(logging.CRITICAL, logger="touchstone.sweep"):
        rows.run()
    assert SweepFailure.objects.get().error == r"ValueError('\x00 \ud800')"


def test_failing_row_is_retried_with_backoff_and_deleted_once_it_succeeds():
    poisoned = make_worker()
    rows = Rows(poisoned)
    rows.run()
    rows.now += FIRST_RETRY - timedelta(seconds=1)
    rows.run()
    assert SweepFailure.objects.get().attempts == 1
    rows.now += timedelta(seconds=1)
    rows.run()
    failure = SweepFailure.objects.get()
    assert (failure.attempts, failure.retry_at) == (2, rows.now + 2 * FIRST_RETRY)
    assert failure.first_failed_at == NOW
    SweepFailure.objects.update(attempts=40, retry_at=rows.now)
    rows.run()
    assert SweepFailure.objects.get().retry_at == rows.now + MAX_RETRY_DELAY
    rows.now += MAX_RETRY_DELAY
    rows.poisoned = set()
    assert rows.run() == 1
    assert not SweepFailure.objects.exists()


def test_failing_rows_do_not_count_towards_the_limit():
    poisoned = [make_worker() for _ in range(3)]
    sound = make_worker()
    rows = Rows(*poisoned)
    assert rows.run(limit=3) == 0
    assert rows.run(limit=3) == 1
    assert rows.processed == [sound.pk]


def test_failing_group_fails_together_and_others_continue():
    first, second, third = make_worker(), make_worker(), make_worker()

    def process(group, now):
        if third in group:
            raise ValueError
        return len(group)

    total = for_each_group(
        sweep="test",
        rows=Worker.objects.order_by("pk"),
        key=lambda worker: worker.pk == second.pk,
        process=process,
        clock=lambda: NOW,
    )
    assert total == 1
    failed = SweepFailure.objects.order_by("object_id").values_list("object_id", flat=True)
    assert list(failed) == [first.pk, third.pk]
