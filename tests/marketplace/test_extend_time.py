"""More time for an accepted HIT: who gets it, how often, and what it leaves alone."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from marketplace.domain.errors import RefusalError
from marketplace.domain.work import maintenance, work
from marketplace.domain.work.extend_time import MAX_EXTENSIONS, extend_time, time_left
from marketplace.models import Assignment, Hit

from .conftest import accept, log_in, make_worker, submit

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def accepted(publish, browser) -> Assignment:
    return Assignment.objects.get(code=accept(browser, publish()))


def extend(assignment: Assignment, *, seen: int | None = None, now=None) -> Assignment:
    return extend_time(
        worker=assignment.worker,
        assignment_code=assignment.code,
        seen=assignment.extensions if seen is None else seen,
        now=now or timezone.now(),
    )


@pytest.mark.parametrize(
    ("seconds", "warning", "more"),
    [(30, 20, 5), (120, 60, 5), (600, 300, 5), (3600, 360, 15), (86_400, 3600, 60)],
)
def test_warning_and_extension_follow_the_duration(publish, browser, seconds, warning, more):
    code = accept(browser, publish(AssignmentDurationInSeconds=seconds))
    assignment = Assignment.objects.get(code=code)
    left = time_left(assignment, now=assignment.accepted_at)
    assert (left.seconds, left.warning_seconds, left.more_minutes) == (seconds, warning, more)


def test_time_is_extended_ten_times_at_most(accepted):
    before = accepted.deadline_at
    for _ in range(MAX_EXTENSIONS):
        accepted = extend(accepted)
    assert accepted.deadline_at == before + MAX_EXTENSIONS * 5 * MINUTE
    assert time_left(accepted, now=timezone.now()).more_minutes == 0
    with pytest.raises(RefusalError, match="extended 10 times"):
        extend(accepted)


def test_repeated_request_extends_once(accepted):
    first = extend(accepted, seen=0)
    again = extend(accepted, seen=0)
    assert again.deadline_at == first.deadline_at == accepted.deadline_at + 5 * MINUTE
    assert again.extensions == 1


def test_expired_assignment_is_not_extended(accepted):
    late = accepted.deadline_at + work.GRACE
    assert extend(accepted, now=late).extensions == 1
    accepted.refresh_from_db()
    late = accepted.deadline_at + work.GRACE + timedelta(seconds=1)
    with pytest.raises(RefusalError, match="has expired"):
        extend(accepted, now=late)
    maintenance.abandon_overdue(now=late)
    with pytest.raises(RefusalError, match="Abandoned"):
        extend(accepted, now=accepted.accepted_at)


def test_extended_assignment_is_not_abandoned_and_is_submitted_later(browser, publish):
    publish()
    code = accept(browser, {"HITTypeId": Hit.objects.get().hit_type.code})
    Assignment.objects.update(deadline_at=timezone.now() + timedelta(seconds=1))
    assignment = extend(Assignment.objects.get(code=code))
    assert maintenance.abandon_overdue(now=assignment.deadline_at - MINUTE) == 0
    assert submit(browser, code, content="x").status_code == 200
    done = Assignment.objects.get(code=code)
    # The requester's time to decide begins with the submission, as before.
    assert done.auto_approve_at == done.submitted_at + timedelta(seconds=86_400)
    assert done.status == "Submitted"


def test_other_workers_get_no_time(accepted):
    path = f"/hits/work/{accepted.code}/more-time/"
    stranger = log_in(make_worker("eve"))
    answer = stranger.post(path, {"extensions": "0"}, headers={"Accept": "application/json"})
    assert answer.status_code == 409
    assert Assignment.objects.get().extensions == 0


def test_page_gets_the_new_time_and_plain_forms_the_page(accepted, browser):
    path = f"/hits/work/{accepted.code}/more-time/"
    answer = browser.post(path, {"extensions": "0"}, headers={"Accept": "application/json"})
    values = answer.json()
    assert 14 * 60 < values.pop("seconds") <= 15 * 60
    assert values == {"warning_seconds": 300, "extensions": 1, "more_minutes": 5}
    assert browser.post(path, {"extensions": "1"}).status_code == 302
    assert Assignment.objects.get().extensions == 2
    assert browser.post(path, {"extensions": "x"}).status_code == 302
    assert Assignment.objects.get().extensions == 2


@pytest.mark.django_db(transaction=True)
def test_expiry_and_extension_at_once_have_one_outcome(accepted):
    now = accepted.deadline_at + work.GRACE
    outcomes = []

    def run(act) -> None:
        try:
            outcomes.append(act())
        except RefusalError:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [
        threading.Thread(target=run, args=[lambda: extend(accepted, now=now).status]),
        threading.Thread(
            target=run, args=[lambda: work.abandon(assignment_pk=accepted.pk, now=now)]
        ),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assignment = Assignment.objects.get()
    hit = Hit.objects.get()
    if assignment.status == "Accepted":
        assert set(outcomes) == {"Accepted", False}
        assert (hit.pending, hit.available, assignment.extensions) == (1, 0, 1)
    else:
        assert set(outcomes) == {"refused", True}
        assert (hit.pending, hit.available, assignment.extensions) == (0, 1, 0)
