"""Records of how workers enter their answers: bounded, stored, kept for a time, and never a refusal."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.work.drafts import PageState, save_draft, submit_draft
from annotation.domain.work.input_records import MAX_FIELDS, MAX_NUMBER, bounded_records
from annotation.domain.work.record_generations import record_new_generations
from annotation.domain.work.worker_page import PageToken
from annotation.models import Draft, Submission, Task
from crowd.enums import PaymentState
from crowd.models import Assignment
from metrics.input_signals import COUNTS, KINDS
from operations.domain.retention import delete_expired
from projects.models import Project
from qualification.domain.pool.erase_worker import Erasure, erase_worker
from schemes.contract.values import Json
from tests.annotation.factories import NOW, make_item, make_project, make_task, task_url
from tests.annotation.onboarding import publish_text
from tests.annotation.page_data import page_data
from tests.crowd.factories import make_assignment, make_worker

WHO = {"questions": [{"question": "Who carried something?", "answers": [[0, 2]]}]}
RECORD: dict[str, Any] = {
    "fields": [
        {"name": "why", "insertText": 12, "wordsinsertText": 6, "insertFromPaste": 40, "pastes": 1}
    ],
    "intervals": {"13": 9, "14": 2},
    "counts": {"gestures": 14, "absences": 1, "away": 2500},
}
STORED = {
    "fields": [{"name": "why", "typed": 12, "words": 6, "pasted": 40, "pastes": 1}],
    "intervals": {"13": 9, "14": 2},
    "counts": {"gestures": 14, "absences": 1, "away": 2500},
}


def task_of_one() -> Task:
    return make_task([make_item(make_project())])


def claim_of(task: Task, assignment: Assignment) -> PageToken:
    return PageToken(str(task.public_id), assignment.external_id, assignment.worker.external_id)


def state_of(task: Task, inputs: object) -> PageState:
    return PageState(
        revision=0, content={str(task.items.get().pk): WHO}, active_seconds=30, inputs=inputs
    )


def submit(task: Task, inputs: object) -> Submission:
    assignment = make_assignment(task.hit, make_worker())
    submit_draft(
        claim=claim_of(task, assignment),
        state=state_of(task, inputs),
        parse=parse_generation,
        now=NOW,
    )
    record_new_generations(clock=lambda: NOW)
    return Submission.objects.get(assignment=assignment)


def html_of(client: Client, task: Task, assignment: str = "A1", worker: str = "W1") -> str:
    origin = settings.MTURK_WORKER_ORIGINS[0]
    address = task_url(task, assignment=assignment, worker=worker, submit_to=origin)
    return client.get(address).content.decode()


def opened(client: Client, task: Task, assignment: str, worker: str) -> Json:
    return page_data(html_of(client, task, assignment, worker))


def test_kinds_of_browsers_get_their_own_names():
    kinds = {
        "insertText": "typed",
        "insertLineBreak": "typed",
        "wordsinsertText": "words",
        "insertCompositionText": "composed",
        "wordsinsertCompositionText": "composed",
        "insertReplacementText": "replaced",
        "wordsinsertReplacementText": "replaced",
        "insertFromPaste": "pasted",
        "wordsinsertFromPasteAsQuotation": "pasted",
        "insertFromYank": "pasted",
        "insertFromDrop": "dropped",
        "historyUndo": "restored",
        "untrusted": "untrusted",
        "": "other",
        "insertSomethingNew": "other",
    }
    for sent, kind in kinds.items():
        stored = bounded_records({"1": {"fields": [{"name": "a", sent: 3}]}})["1"]
        assert stored["fields"] == [{"name": "a", kind: 3}], sent


def test_stored_record_that_a_page_continues_stays_the_same():
    once = bounded_records({"7": RECORD})
    assert once == {"7": STORED}
    assert bounded_records(once) == once
    once["7"]["fields"][0]["insertText"] = 5
    assert bounded_records(once)["7"]["fields"][0]["typed"] == 17


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)
_FIELD = st.dictionaries(st.sampled_from([*KINDS, "name", "pastes", "insertText", "x"]), _JSON)
_RECORD = st.fixed_dictionaries(
    {}, optional={"fields": st.lists(_FIELD) | _JSON, "intervals": _JSON, "counts": _JSON}
)


@given(_JSON | st.dictionaries(st.sampled_from(["1", "2", "-1", "x"]), _RECORD | _JSON))
def test_whatever_a_page_sends_is_bounded(sent):
    for item, record in bounded_records(sent).items():
        assert item in ("1", "2") or item.isdecimal()
        assert set(record) == {"fields", "intervals", "counts"}
        assert set(record["counts"]) <= set(COUNTS)
        for field in record["fields"]:
            numbers = {kind: number for kind, number in field.items() if kind != "name"}
            assert set(numbers) <= {*KINDS, "pastes"}
            assert all(type(number) is int for number in numbers.values())
            assert all(0 < number <= MAX_NUMBER for number in numbers.values())


def test_intervals_outside_the_buckets_are_in_the_outer_ones():
    sent = {"-3": 1, "0": 2, "24": 3, "31": 4, "x": 5, "1e3": 6, "-Infinity": 7}
    assert bounded_records({"1": {"intervals": sent}})["1"]["intervals"] == {"0": 10, "24": 7}


def test_number_of_fields_is_bounded():
    many = [{"name": f"field-{at}", "insertText": 10**12} for at in range(1000)]
    records = bounded_records({str(pk): {"fields": many} for pk in range(500)})
    assert sum(len(record["fields"]) for record in records.values()) == MAX_FIELDS
    assert len(json.dumps(records)) < 64_000


def test_text_in_place_of_a_name_is_not_stored():
    field = {"name": "Ada Lovelace wrote it, and more", "insertText": 3, "Ada": 4}
    assert bounded_records({"1": {"fields": [field]}})["1"]["fields"] == [
        {"name": "", "typed": 3, "other": 4}
    ]


@pytest.mark.django_db
def test_submission_has_the_record_of_its_item():
    task = task_of_one()
    pk = task.items.get().pk
    submission = submit(task, {str(pk): RECORD, "999": RECORD})
    assert submission.inputs == STORED
    assert Draft.objects.get().inputs == {str(pk): STORED, "999": STORED}


@pytest.mark.django_db
@pytest.mark.parametrize("inputs", [None, "junk", [1], {"x": {"fields": 3}}, {"1": []}])
def test_work_with_any_record_is_accepted(inputs):
    submission = submit(task_of_one(), inputs)
    assert (submission.state, submission.inputs) == ("accepted", {})


@pytest.mark.django_db
def test_saved_record_is_continued_by_the_page(client):
    task = task_of_one()
    assignment = make_assignment(task.hit, make_worker())
    pk = str(task.items.get().pk)
    save_draft(claim=claim_of(task, assignment), state=state_of(task, {pk: RECORD}), now=NOW)
    page = opened(client, task, assignment.external_id, assignment.worker.external_id)
    assert page["inputs"] == {pk: STORED}


@pytest.mark.django_db
def test_project_that_records_nothing_stores_nothing(client):
    task = task_of_one()
    Project.objects.update(input_signals="off")
    assert submit(task, {str(task.items.get().pk): RECORD}).inputs == {}
    assert "inputs" not in opened(client, task, "A2", "W2")


@pytest.mark.django_db
def test_records_are_deleted_with_the_copies_of_answers():
    task = task_of_one()
    submission = submit(task, {str(task.items.get().pk): RECORD})
    assert delete_expired(now=NOW + timedelta(days=59))["inputs"] == 0
    assert delete_expired(now=NOW + timedelta(days=61))["inputs"] == 1
    submission.refresh_from_db()
    assert submission.inputs == {}
    assert submission.content["questions"]
    assert not Draft.objects.exists()
    assert delete_expired(now=NOW + timedelta(days=61))["inputs"] == 0


@pytest.mark.django_db
def test_erased_worker_has_no_records():
    task = task_of_one()
    submission = submit(task, {str(task.items.get().pk): RECORD})
    submission.assignment.payments.update(state=PaymentState.CONFIRMED, confirmed_at=NOW)
    worker = submission.worker
    erase_worker(worker=worker, how=Erasure.ERASE, reason="asked", actor="office", now=NOW)
    submission.refresh_from_db()
    assert submission.inputs == {}
    assert Draft.objects.get().inputs == {}


NOTICE, SHORT = (
    "the page records how answers are entered",
    "This page records how answers are entered",
)


@pytest.mark.django_db
def test_consent_text_says_what_is_recorded_and_for_how_long(client, settings):
    task = task_of_one()
    publish_text(task.batch.project)
    html = html_of(client, task)
    assert "Before your first task" in html
    assert NOTICE in html
    assert "deleted after 60 days" in html
    settings.COPIES_DAYS = 0
    assert "The records are kept with your work." in html_of(client, task)
    Project.objects.update(input_signals="off")
    assert NOTICE not in html_of(client, task)


@pytest.mark.django_db
def test_page_without_a_consent_text_says_that_it_records(client):
    task = task_of_one()
    assert SHORT in html_of(client, task)
    Project.objects.update(input_signals="off")
    assert SHORT not in html_of(client, task)
