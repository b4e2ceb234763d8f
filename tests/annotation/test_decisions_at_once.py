"""Concurrent decisions to accept and to reject the same work."""

import threading

import pytest
from django.db import connection

from annotation.domain.decisions.decide_submission import accept_assignment, reject_submissions
from annotation.enums import SubmissionState
from annotation.models import Submission
from audit.domain.change_state import TransitionNotAllowedError
from crowd.models import Payment
from tests.annotation.factories import NOW, make_item, make_project, make_task
from tests.annotation.test_record_assignment import WHO, confirmed, content, recorded

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS, AT_ONCE = 6, 4


def test_concurrent_accepting_and_rejecting_does_not_deadlock():
    project = make_project()
    for _ in range(ROUNDS):
        task = make_task([make_item(project)])
        assignment = confirmed(task, theirs=content(WHO))
        recorded(assignment)
        assert set(decide_concurrently(assignment)) <= {"", "TransitionNotAllowedError"}
        state = Submission.objects.get(assignment=assignment).state
        assert state in (SubmissionState.ACCEPTED, SubmissionState.REJECTED)
        is_paid = Payment.objects.filter(assignment=assignment).exists()
        assert is_paid == (state == SubmissionState.ACCEPTED)


def decide_concurrently(assignment) -> list[str]:
    """Run the decisions concurrently and return the names of their errors."""
    errors: list[str] = []
    gate = threading.Barrier(AT_ONCE)

    def decide(number: int) -> None:
        terms = {"assignment": assignment, "actor": f"rita-{number}", "now": NOW}
        gate.wait()
        try:
            if number % 2:
                accept_assignment(**terms)
            else:
                reject_submissions(**terms, reason="Spam.")
            errors.append("")
        except TransitionNotAllowedError as error:
            errors.append(type(error).__name__)
        except Exception as error:
            errors.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=decide, args=[number]) for number in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors
