"""What a site deletes after a time, and what it keeps."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from annotation.models import Draft, Submission
from audit.models import StateChange
from crowd.enums import MailState, MessageState
from crowd.models import Assignment, Mail, Message, ReceivedMessage, Worker
from database.in_batches import AT_A_TIME
from operations.domain.retention import delete_expired
from tests.annotation.factories import make_item, make_project, make_task
from tests.crowd.factories import NOW, make_assignment, make_budget, make_worker

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def recorded(days: int, worker: Worker) -> Assignment:
    """Return an assignment with its draft, recorded that many days before NOW."""
    task = make_task([make_item(make_project(f"p{Assignment.objects.count()}"))])
    assignment = make_assignment(task.hit, worker)
    assignment.answer, assignment.recorded_at = {"content": "{}"}, NOW - days * DAY
    assignment.save()
    Draft.objects.create(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=worker.external_id,
        content={"1": "text"},
        opened_at=NOW,
        saved_at=NOW,
        is_confirmed=True,
    )
    return assignment


def test_copies_of_recorded_work_are_deleted_after_their_days():
    old, new = recorded(61, make_worker()), recorded(59, make_worker())
    counts = delete_expired(now=NOW)
    assert (counts["drafts"], counts["answers"]) == (1, 1)
    assert [draft.assignment_ref for draft in Draft.objects.all()] == [new.external_id]
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.answer, new.answer) == ({}, {"content": "{}"})
    again = delete_expired(now=NOW)
    assert (again["drafts"], again["answers"]) == (0, 0)


def test_unrecorded_work_keeps_its_draft():
    assignment = recorded(61, make_worker())
    Assignment.objects.filter(pk=assignment.pk).update(recorded_at=None)
    assert delete_expired(now=NOW)["drafts"] == 0
    assert Draft.objects.count() == 1


def test_draft_of_another_worker_with_the_same_assignment_id_is_kept():
    assignment = recorded(61, make_worker())
    Draft.objects.update(worker_ref="SOMEBODY")
    counts = delete_expired(now=NOW)
    assert (counts["drafts"], counts["answers"]) == (0, 1)
    assert Draft.objects.get().assignment_ref == assignment.external_id


def test_zero_keeps_everything(settings):
    settings.COPIES_DAYS = settings.MESSAGES_DAYS = settings.LOG_DAYS = 0
    recorded(10_000, make_worker())
    write(10_000, MessageState.SENT)
    log(10_000)
    assert set(delete_expired(now=NOW).values()) == {0}
    assert Draft.objects.get().content
    assert Message.objects.get().text
    assert StateChange.objects.filter(actor="tester").count() == 1


def write(days: int, state: MessageState) -> Message:
    return Message.objects.create(
        worker=make_worker(),
        subject="Feedback",
        text="You missed a question.",
        state=state,
        written_at=NOW - days * DAY,
    )


def test_texts_of_old_messages_are_cleared_and_the_rows_stay():
    old, new = write(366, MessageState.SENT), write(364, MessageState.SENT)
    waiting = write(366, MessageState.PENDING)
    Mail.objects.create(message=old, address="a@example.org", state=MailState.SENT)
    being_sent = write(366, MessageState.SENT)
    Mail.objects.create(message=being_sent, address="b@example.org", state=MailState.PENDING)
    ReceivedMessage.objects.create(
        worker=make_worker(),
        budget=make_budget(),
        external_id="M1",
        subject="Question",
        text="Why?",
        sent_at=NOW - 366 * DAY,
    )
    assert delete_expired(now=NOW)["messages"] == 2
    texts = dict(Message.objects.values_list("pk", "text"))
    assert texts[old.pk] == ""
    assert all(texts[row.pk] for row in (new, waiting, being_sent))
    assert sorted(Mail.objects.values_list("address", flat=True)) == ["", "b@example.org"]
    received = ReceivedMessage.objects.get()
    assert (received.external_id, received.subject, received.text) == ("M1", "deleted", "")
    assert delete_expired(now=NOW)["messages"] == 0


def log(days: int, number: int = 1) -> None:
    StateChange.objects.bulk_create(
        StateChange(
            aggregate="annotation.Item",
            object_id=key,
            old="",
            new="new",
            actor="tester",
            at=NOW - days * DAY,
        )
        for key in range(number)
    )


def test_log_is_deleted_only_with_a_setting(settings):
    settings.LOG_DAYS = 100
    log(101, AT_A_TIME + 1)
    log(99)
    assert delete_expired(now=NOW)["state_changes"] == AT_A_TIME + 1
    assert StateChange.objects.filter(actor="tester").count() == 1


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite refuses updates only")
@pytest.mark.django_db(transaction=True)
def test_other_deletions_of_the_log_are_refused(settings):
    settings.LOG_DAYS = 100
    log(101)
    log(99)
    delete_expired(now=NOW)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        StateChange.objects.filter(actor="tester").delete()


def test_submissions_are_never_deleted():
    assignment = recorded(10_000, make_worker())
    item = make_item(make_project("other"))
    Submission.objects.create(
        item=item,
        role="generator",
        worker=assignment.worker,
        assignment=assignment,
        content={"questions": []},
        schema_version=1,
        opened_at=NOW,
        submitted_at=NOW - 10_000 * DAY,
    )
    delete_expired(now=NOW)
    assert Submission.objects.get().content == {"questions": []}
