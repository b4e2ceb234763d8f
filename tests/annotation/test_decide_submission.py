import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from annotation.domain.choose_copy import CanNotChoose, Copy, choose_copy
from annotation.domain.decide_submission import (
    CanNotOverturn,
    accept_assignment,
    overturn_rejection,
    reject_submissions,
)
from annotation.domain.record_generations import parse_generation, record_new_generations
from annotation.enums import SubmissionState
from annotation.models import Draft, Submission, Task
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Hit, Payment
from tests.annotation.factories import NOW, make_item, make_project, make_task
from tests.crowd.factories import make_assignment

pytestmark = pytest.mark.django_db

WHO = {"question": "Who carried something?", "answers": [[0, 2]]}
WHAT = {"question": "What did someone carry?", "answers": [[3, 6]]}
WHEN = {"question": "When did someone carry something?", "answers": [[11, 13]]}


def handed_in(ours: list | None, theirs: list | None) -> Submission:
    """Work whose copies hold these questions; None for a copy that was lost."""
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
    return [one["question"] for one in submission.content["questions"]]


def choose(submission: Submission, copy: Copy) -> bool:
    return choose_copy(
        submission=submission,
        copy=copy,
        parse=parse_generation,
        reason="It is the later one.",
        actor="me",
        now=NOW,
    )


@pytest.mark.parametrize(("ours", "theirs"), [([WHO, WHAT], None), (None, [WHO, WHAT])])
def test_either_copy_restores_the_other(ours, theirs):
    submission = handed_in(ours, theirs)
    assert submission.state == SubmissionState.ACCEPTED
    assert len(questions(submission)) == 2


def test_assignment_that_nobody_knows_anything_about_waits_and_is_not_rejected():
    submission = handed_in(None, None)
    assert (submission.state, submission.assignment.state) == ("submitted", "submitted")
    assert "No content reached us" in submission.problem


@pytest.mark.parametrize(("copy", "units"), [(Copy.OURS, 2), (Copy.THEIRS, 3)])
def test_chosen_copy_stands_and_is_paid_by_its_questions(copy, units):
    submission = handed_in([WHO, WHAT], [WHO, WHAT, WHEN])
    assert "other content" in submission.problem
    assert choose(submission, copy)
    submission.refresh_from_db()
    assert len(questions(submission)) == units
    assert submission.other_copy is not None
    assert submission.state == SubmissionState.ACCEPTED
    assert Payment.objects.filter(kind="bonus").count() == (units > 2)
    with pytest.raises(CanNotChoose, match="any more"):
        choose(submission, copy)


def test_copy_that_can_not_be_read_can_not_be_chosen():
    submission = handed_in([WHO, WHAT], [{"question": "Eh?", "answers": []}])
    with pytest.raises(CanNotChoose, match="can't be used"):
        choose(submission, Copy.THEIRS)
    submission.refresh_from_db()
    assert len(questions(submission)) == 2
    assert choose(submission, Copy.OURS)


@pytest.mark.parametrize(("use", "state"), [(True, "accepted"), (False, "rejected")])
def test_overturned_rejection_is_paid_and_used_as_decided(use, state):
    submission = handed_in([WHO, WHAT, WHEN], [WHO, WHAT])
    assignment = submission.assignment
    reject_submissions(assignment=assignment, reason="Another verb.", actor="me", now=NOW)
    overturn_rejection(assignment=assignment, use=use, reason="It was sound.", actor="me", now=NOW)
    submission.refresh_from_db()
    assignment.refresh_from_db()
    assert submission.state == state
    assert (assignment.state, assignment.decision_reason) == ("approved", "It was sound.")
    assert Payment.objects.count() == (2 if use else 1)


def test_only_a_rejection_can_be_overturned_and_only_for_thirty_days():
    submission = handed_in([WHO, WHAT], [WHO, WHAT])
    assignment = submission.assignment
    with pytest.raises(CommandError, match="not rejected"):
        call_command("overturn_rejection", assignment.external_id, "--reason", "x")
    Assignment.objects.update(state=AssignmentState.REJECTED)
    late = assignment.submitted_at + timedelta(days=31)
    with pytest.raises(CanNotOverturn, match="Compensate"):
        overturn_rejection(assignment=assignment, use=True, reason="x", actor="me", now=late)


def test_work_approved_by_the_marketplace_gets_its_bonus_when_it_is_accepted():
    submission = handed_in([WHO, WHAT, WHEN], [WHO, WHAT])
    assignment = submission.assignment
    from crowd.domain.decide_assignment import take_their_decision

    take_their_decision(assignment=assignment, theirs="approved", now=NOW)
    assert [one.kind for one in Payment.objects.all()] == ["reward"]
    accept_assignment(assignment=assignment, actor="me", now=NOW)
    assert sorted(one.kind for one in Payment.objects.all()) == ["bonus", "reward"]
