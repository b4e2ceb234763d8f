"""Confirmed assignments become submissions once, from either copy. Differing copies need review."""

import json
from datetime import timedelta

import pytest
from django.utils import translation

import annotation.domain.work.record_assignment
from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.decisions.decide_submission import (
    accept_assignment,
    auto_accept,
    reject_submissions,
)
from annotation.domain.work.drafts import PageState, submit_draft
from annotation.domain.work.record_assignment import record_assignment
from annotation.domain.work.record_generations import record_new_generations
from annotation.domain.work.worker_page import PageToken
from annotation.enums import SubmissionState
from annotation.models import Submission
from audit.models import StateChange
from crowd.enums import AssignmentState
from crowd.models import Assignment, Payment, Worker
from jobs.domain.sweep import FIRST_RETRY
from jobs.models import SweepFailure
from tests.annotation.factories import NOW, make_item, make_project, make_task
from tests.crowd.factories import make_assignment, make_worker

pytestmark = pytest.mark.django_db

WHO = {"question": "Who carried something?", "answers": [[0, 2]]}
WHAT = {"question": "What did someone carry?", "answers": [[3, 6]]}
WHEN = {"question": "When did someone carry something?", "answers": [[11, 13]]}


@pytest.fixture
def task():
    return make_task([make_item(make_project())])


@pytest.mark.parametrize("language", ["de", "en"])
def test_worker_has_the_language_of_the_page_from_then_on(task, language):
    assignment = confirmed(task)
    Worker.objects.update(language="xx")
    with translation.override(language):
        submit(task, assignment, WHO)
    assert Worker.objects.get().language == "xx"  # anyone can claim to be the worker
    record_new_generations(clock=lambda: NOW)
    assert Worker.objects.get().language == ("de" if language == "de" else "")


def test_language_of_a_claim_that_is_not_listed_is_ignored(task):
    assignment, other = confirmed(task), make_assignment(task.hit)
    with translation.override("de"):
        submit(task, other, WHO)
    Assignment.objects.filter(pk=other.pk).update(external_id="ANOTHER")
    submit(task, assignment, WHO)
    record_new_generations(clock=lambda: NOW)
    assert set(Worker.objects.values_list("language", flat=True)) == {""}


def content(*questions):
    return {"questions": list(questions), "no_question": ""}


def submit(task, assignment, *questions, comment="", active_seconds=42):
    """Submit the content to the site, as the page does."""
    claim = PageToken(str(task.public_id), assignment.external_id, assignment.worker.external_id)
    item = task.items.get()
    state = PageState(
        revision=0,
        content={str(item.pk): content(*questions)},
        active_seconds=active_seconds,
        moves=7,
        comment=comment,
    )
    return submit_draft(claim=claim, state=state, parse=parse_generation, now=NOW)


def confirmed(task, *, theirs: object = None, worker=None) -> Assignment:
    """Return an assignment as listed by the marketplace, with the marketplace's copy if given."""
    assignment = make_assignment(task.hit, worker or make_worker())
    if theirs is not None:
        copy = {str(task.items.get().pk): theirs}
        assignment.answer = {"content": json.dumps(copy)}
        assignment.save()
    return assignment


def recorded(assignment) -> Submission:
    (submission,) = record_assignment(assignment_id=assignment.pk, parse=parse_generation, now=NOW)
    return submission


def texts(submission) -> list[str]:
    return [question["question"] for question in submission.content["questions"]]


def test_copy_of_the_site_is_recorded_with_its_timings(task):
    assignment = confirmed(task)
    submit(task, assignment, WHO, WHAT, comment="The radio is old.")
    submission = recorded(assignment)
    assert texts(submission) == ["Who carried something?", "What did someone carry?"]
    assert (submission.active_seconds, submission.moves) == (42, 7)
    assert (submission.comment, submission.problem) == ("The radio is old.", "")
    assert submission.guidelines.version >= 1
    assert submission.content["questions"][0]["slots"]["wh"] == "who"


@pytest.mark.parametrize(
    ("reported", "recorded_seconds"), [(170, 170), (180, 180), (181, 180), (9000, 180)]
)
def test_active_time_of_a_page_without_an_earlier_save_is_counted(task, reported, recorded_seconds):
    """It is at most the time from acceptance to submission, which is 180 seconds here."""
    assignment = confirmed(task)
    submit(task, assignment, WHO, active_seconds=reported)
    submission = recorded(assignment)
    assert submission.active_seconds == recorded_seconds
    is_earlier = timedelta(seconds=min(reported, assignment.hit.hit_type.assignment_seconds))
    assert submission.opened_at == NOW - is_earlier


def test_simulated_workers_submit_at_once(task):
    assignment = confirmed(task)
    Assignment.objects.filter(pk=assignment.pk).update(submitted_at=assignment.accepted_at)
    Worker.objects.update(is_simulated=True)
    submit(task, assignment, WHO, active_seconds=55)
    assert recorded(assignment).active_seconds == 55


def test_marketplace_copy_restores_the_copy_of_the_site(task):
    submission = recorded(confirmed(task, theirs=content(WHO)))
    assert texts(submission) == ["Who carried something?"]
    assert submission.problem == ""


def test_copy_sent_directly_to_the_marketplace_is_no_difference(task):
    assignment = confirmed(task, theirs=content({**WHO, "question": "who  carried something"}))
    submit(task, assignment, WHO)
    submission = recorded(assignment)
    assert (submission.problem, submission.other_version) == ("", None)


def test_same_copies_are_no_difference(task):
    assignment = confirmed(task)
    answer = submit(task, assignment, WHO)
    assignment.answer = {"content": answer}
    assignment.save()
    submission = recorded(assignment)
    assert (submission.problem, submission.other_version) == ("", None)


def test_different_copies_await_review_and_both_are_stored(task):
    assignment = confirmed(task, theirs=content(WHAT))
    submit(task, assignment, WHO)
    submission = recorded(assignment)
    assert texts(submission) == ["Who carried something?"]
    assert submission.other_version == content(WHAT)
    assert "different content" in submission.problem
    assert not auto_accept(submissions=[submission], now=NOW)


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (None, "No content"),
        ({"questions": []}, "question"),
        (content({"question": "Who carried something?", "answers": [[0, 99]]}), "answers"),
        ([1, 2], "object|mapping|dict|should be"),
    ],
    ids=["nothing", "empty", "span outside the sentence", "foreign format"],
)
def test_unreadable_content_awaits_review(task, theirs, message):
    submission = recorded(confirmed(task, theirs=theirs))
    assert submission.state == SubmissionState.SUBMITTED
    assert submission.problem, message
    assert not Payment.objects.exists()


def test_broken_answer_text_is_no_content(task):
    assignment = confirmed(task)
    assignment.answer = {"content": "{not json"}
    assignment.save()
    assert "No content" in recorded(assignment).problem


def test_recording_twice_records_once(task):
    assignment = confirmed(task, theirs=content(WHO))
    recorded(assignment)
    assert record_assignment(assignment_id=assignment.pk, parse=parse_generation, now=NOW) == []
    assert Submission.objects.count() == 1


def test_draft_of_another_worker_is_ignored(task):
    """The draft has the id of this assignment, but a different worker than the marketplace reports."""
    assignment = confirmed(task, theirs=content(WHAT))
    stranger = PageToken(str(task.public_id), assignment.external_id, "ASTRANGER")
    state = PageState(revision=0, content={str(task.items.get().pk): content(WHO)})
    submit_draft(claim=stranger, state=state, parse=parse_generation, now=NOW)
    assert texts(recorded(assignment)) == ["What did someone carry?"]


def test_second_annotation_by_the_same_worker_is_set_aside(task):
    worker = make_worker()
    recorded(confirmed(task, theirs=content(WHO), worker=worker))
    second = recorded(confirmed(task, theirs=content(WHAT), worker=worker))
    assert second.state == SubmissionState.WITHDRAWN
    assert "annotated the item before" in second.problem
    accept_assignment(assignment=second.assignment, actor="ada", now=NOW)
    second.refresh_from_db()
    assert second.state == SubmissionState.WITHDRAWN
    assert Payment.objects.get().assignment == second.assignment


def test_sweep_accepts_valid_work_with_its_bonus(task):
    confirmed(task, theirs=content(WHO, WHAT, WHEN))
    confirmed(task, theirs=None)
    assert record_new_generations(clock=lambda: NOW) == 2
    assert record_new_generations(clock=lambda: NOW) == 0
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["accepted", "submitted"]
    paid = Payment.objects.order_by("kind").values_list("kind", "amount_cents", "reason")
    assert list(paid) == [
        ("bonus", 5, "Thank you! 3 questions: the first 2 are included, 5 cents."),
        ("reward", 5, ""),
    ]


def test_pending_work_can_be_rejected_with_a_reason(task):
    submission = recorded(confirmed(task, theirs=None))
    with pytest.raises(ValueError, match="reason"):
        reject_submissions(assignment=submission.assignment, reason="", actor="ada", now=NOW)
    reject_submissions(
        assignment=submission.assignment, reason="Nothing was submitted.", actor="ada", now=NOW
    )
    submission.refresh_from_db()
    submission.assignment.refresh_from_db()
    assert submission.state == SubmissionState.REJECTED
    assert submission.assignment.state == AssignmentState.REJECTING
    logged = StateChange.objects.filter(aggregate="annotation.Submission").order_by("pk").last()
    assert (logged.old, logged.new, logged.actor) == ("submitted", "rejected", "ada")
    assert logged.reason == "Nothing was submitted."


def test_unreadable_work_can_be_paid_without_using_it(task):
    submission = recorded(confirmed(task, theirs=None))
    accept_assignment(assignment=submission.assignment, actor="ada", now=NOW)
    submission.refresh_from_db()
    assert submission.state == SubmissionState.WITHDRAWN
    assert Payment.objects.get().amount_cents == 5


def test_accepted_work_with_different_copies_uses_the_copy_of_the_site(task):
    assignment = confirmed(task, theirs=content(WHAT))
    submit(task, assignment, WHO)
    submission = recorded(assignment)
    accept_assignment(assignment=assignment, actor="ada", now=NOW)
    submission.refresh_from_db()
    assert submission.state == SubmissionState.ACCEPTED


# Invalid content that a worker sends directly to the marketplace does not delay other work.
@pytest.mark.parametrize(
    "theirs",
    [
        '{"%s": {"questions": [], "no_question": "a\\u0000b", "odd\\u0000": 1}}',
        '{"%s": {"odd": "\\ud83d"}}',
        '{"%s": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"%s": {"questions": [NaN]}}',
        '{"%s": {"questions": [], "odd": -Infinity}}',
        '{"%s": {"questions": [], "odd": 1e999}}',
        '["%s"]',
    ],
)
def test_unstorable_copy_awaits_review(theirs, task):
    assignment = confirmed(task)
    assignment.answer = {"content": theirs % task.items.get().pk}
    assignment.save()
    assert record_new_generations(clock=lambda: NOW) == 1
    submission = Submission.objects.get()
    assert submission.state == SubmissionState.SUBMITTED
    assert submission.problem


def test_unreadable_copy_has_a_reason_and_can_be_paid(task):
    assignment = confirmed(task)
    assignment.answer = {"content": f'{{"{task.items.get().pk}": NaN}}'}
    assignment.save()
    submission = recorded(assignment)
    assert submission.problem == (
        "No content was received. The crowd provider's copy can't be read: NaN is not a finite number."
    )
    accept_assignment(assignment=assignment, actor="ada", now=NOW)
    assert Payment.objects.get().amount_cents == 5


def test_copy_of_the_site_is_used_if_the_marketplace_copy_is_unreadable(task):
    assignment = confirmed(task)
    submit(task, assignment, WHO)
    assignment.answer = {"content": f'{{"{task.items.get().pk}": Infinity}}'}
    assignment.save()
    submission = recorded(assignment)
    assert texts(submission) == ["Who carried something?"]
    assert (submission.problem, submission.other_version) == ("", None)


@pytest.mark.failing_rows
def test_poisoned_assignment_does_not_delay_others(monkeypatch):
    """Other assignments are recorded whatever the error is, even if its project is first."""
    tasks = [make_task([make_item(make_project(slug))]) for slug in ("one", "two")]
    sound = [confirmed(task, theirs=content(WHO)) for task in tasks]
    poisoned = confirmed(tasks[0], theirs=content(WHO))
    Assignment.objects.filter(pk=poisoned.pk).update(id=0)
    more = [confirmed(task, theirs=content(WHO)) for task in tasks]
    original = annotation.domain.work.record_assignment._marketplace_copy

    def read_copy(assignment):
        copy = original(assignment)
        return ({key: {"odd": float("nan")} for key in copy[0]}, "") if assignment.pk == 0 else copy

    monkeypatch.setattr("annotation.domain.work.record_assignment._marketplace_copy", read_copy)
    assert record_new_generations(clock=lambda: NOW) == 4
    recorded_for = Submission.objects.accepted().values_list("assignment", flat=True)
    assert set(recorded_for) == {assignment.pk for assignment in [*sound, *more]}
    assert SweepFailure.objects.get().object_id == 0
    monkeypatch.undo()
    assert record_new_generations(clock=lambda: NOW) == 0
    assert record_new_generations(clock=lambda: NOW + FIRST_RETRY) == 1
    assert not SweepFailure.objects.exists()
