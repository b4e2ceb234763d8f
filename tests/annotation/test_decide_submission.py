import json
import time
from collections.abc import Callable
from datetime import timedelta
from threading import Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotation.domain.decisions.decide_submission import (
    OverturnError,
    accept_assignment,
    overturn_rejection,
    pay_without_using,
    reject_submissions,
)
from annotation.domain.work.record_generations import record_new_generations
from annotation.enums import SubmissionState
from annotation.models import Draft, Submission, Task
from consolidation.domain.reviews.resolve_conflict import (
    ConflictResolutionError,
    Version,
    resolve_conflict,
)
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Hit, Payment
from tests.annotation.factories import NOW, make_item, make_project, make_task
from tests.crowd.factories import make_assignment

pytestmark = pytest.mark.django_db

WHO = {"question": "Who carried something?", "answers": [[0, 2]]}
WHAT = {"question": "What did someone carry?", "answers": [[3, 6]]}
WHEN = {"question": "When did someone carry something?", "answers": [[11, 13]]}


def submitted(ours: list | None, theirs: list | None) -> Submission:
    """Return a submission whose copies have these questions, or None for a lost copy."""
    task: Task = make_task([make_item(make_project())])
    item = task.items.get()
    Hit.objects.update(state=HitState.LIVE, external_id="HIT1", created_at=NOW)
    assignment = make_assignment(task.hit)
    if theirs is not None:
        answer = {"content": json.dumps({str(item.pk): {"questions": theirs}})}
        Assignment.objects.filter(pk=assignment.pk).update(answer=answer)
    if ours is not None:
        Draft.objects.create(
            task=task,
            assignment_ref=assignment.external_id,
            worker_ref=assignment.worker.external_id,
            content={str(item.pk): {"questions": ours}},
            opened_at=NOW,
            saved_at=NOW,
            submitted_at=NOW,
        )
    record_new_generations(clock=lambda: NOW)
    return Submission.objects.get()


def questions(submission: Submission) -> list[str]:
    return [question["question"] for question in submission.content["questions"]]


def choose(submission: Submission, copy: Version) -> bool:
    return resolve_conflict(
        submission=submission,
        copy=copy,
        reason="It is the later one.",
        actor="me",
        now=NOW,
    )


@pytest.mark.parametrize(("ours", "theirs"), [([WHO, WHAT], None), (None, [WHO, WHAT])])
def test_either_copy_restores_the_other(ours, theirs):
    submission = submitted(ours, theirs)
    assert submission.state == SubmissionState.ACCEPTED
    assert len(questions(submission)) == 2


def test_assignment_without_any_copy_awaits_review():
    submission = submitted(None, None)
    assert (submission.state, submission.assignment.state) == ("submitted", "submitted")
    assert "received content" in submission.problem


@pytest.mark.parametrize(("copy", "units"), [(Version.OURS, 2), (Version.THEIRS, 3)])
def test_chosen_copy_is_used_and_paid_by_its_questions(copy, units):
    submission = submitted([WHO, WHAT], [WHO, WHAT, WHEN])
    assert "different content" in submission.problem
    assert choose(submission, copy)
    submission.refresh_from_db()
    assert len(questions(submission)) == units
    assert submission.other_version is not None
    assert submission.state == SubmissionState.ACCEPTED
    assert Payment.objects.filter(kind="bonus").count() == (units > 2)
    with pytest.raises(ConflictResolutionError, match="no conflict to resolve"):
        choose(submission, copy)


def test_unreadable_copy_cannot_be_chosen():
    submission = submitted([WHO, WHAT], [{"question": "Eh?", "answers": []}])
    with pytest.raises(ConflictResolutionError, match="can't be used"):
        choose(submission, Version.THEIRS)
    submission.refresh_from_db()
    assert len(questions(submission)) == 2
    assert choose(submission, Version.OURS)


@pytest.mark.parametrize(("use", "state"), [(True, "accepted"), (False, "rejected")])
def test_overturned_rejection_is_paid_and_used_as_decided(use, state):
    submission = submitted([WHO, WHAT, WHEN], [WHO, WHAT])
    assignment = submission.assignment
    reject_submissions(assignment=assignment, reason="Another verb.", actor="me", now=NOW)
    overturn_rejection(assignment=assignment, use=use, reason="It was sound.", actor="me", now=NOW)
    submission.refresh_from_db()
    assignment.refresh_from_db()
    assert submission.state == state
    assert (assignment.state, assignment.decision_reason) == ("approved", "It was sound.")
    assert Payment.objects.count() == (2 if use else 1)


def test_only_a_rejection_of_the_last_thirty_days_can_be_overturned():
    submission = submitted([WHO, WHAT], [WHO, WHAT])
    assignment = submission.assignment
    with pytest.raises(CommandError, match="not rejected"):
        call_command("overturn_rejection", assignment.external_id, "--reason", "x")
    Assignment.objects.update(state=AssignmentState.REJECTED)
    late = assignment.submitted_at + timedelta(days=31)
    with pytest.raises(OverturnError, match="Compensate"):
        overturn_rejection(assignment=assignment, use=True, reason="x", actor="me", now=late)


def test_work_approved_by_the_marketplace_gets_its_bonus_once_accepted():
    submission = submitted([WHO, WHAT, WHEN], [WHO, WHAT])
    assignment = submission.assignment
    from crowd.domain.money.decide_assignment import apply_provider_decision

    apply_provider_decision(assignment=assignment, provider_state="approved", now=NOW)
    assert [payment.kind for payment in Payment.objects.all()] == ["reward"]
    accept_assignment(assignment=assignment, actor="me", now=NOW)
    kinds = [payment.kind for payment in Payment.objects.all()]
    assert sorted(kinds) == ["bonus", "reward"]


def decide(decision: Callable[..., None], assignment: Assignment, **options: str) -> None:
    try:
        decision(assignment=assignment, actor="ada", now=NOW, **options)
    finally:
        connection.close()


def wait_until_blocked() -> None:
    """Wait until another connection is blocked by a row lock."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    for _ in range(200):
        with connection.cursor() as cursor:
            cursor.execute(waiting)
            if cursor.fetchone()[0]:
                return
        time.sleep(0.05)
    raise AssertionError("No connection is blocked by a lock.")


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no row locks")
@pytest.mark.parametrize(
    ("decision", "options"),
    [
        (accept_assignment, {}),
        (pay_without_using, {}),
        (reject_submissions, {"reason": "Another verb."}),
    ],
)
def test_decision_locks_the_assignment_before_its_submissions(decision, options):
    submission = submitted([WHO], [WHAT])
    assignment = submission.assignment
    thread = Thread(target=decide, args=[decision, assignment], kwargs=options)
    with transaction.atomic():
        Assignment.objects.select_for_update().get(pk=assignment.pk)
        thread.start()
        wait_until_blocked()
        # Raises OperationalError if the decision locked the submission before the assignment.
        Submission.objects.select_for_update(nowait=True).get(pk=submission.pk)
    thread.join()
    submission.refresh_from_db()
    assert submission.state != "submitted"
