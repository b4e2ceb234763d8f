"""Whose work and bonuses wait for consolidation, and what the task page says about it."""

import json
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils.html import escape

from annotation.domain.decisions.bonus_timing import RECORD_ITEMS, stated_timing, waits_for_gold
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Batch, Item, Submission, Task
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.models import Assignment, Worker
from projects.enums import Role
from projects.models import Project
from tests.annotation.factories import make_item, make_project, make_task, task_url
from tests.crowd.factories import NOW, make_assignment, make_worker

pytestmark = pytest.mark.django_db

NOW_TEXT = "Your bonus is paid as soon as your work is accepted."
LATER = (
    "Your work is accepted when the item is consolidated, or after 3 days without a result. If less than "
    "50% of the questions in your newest 30 items were kept, or if the work was too fast, a person "
    "decides. "
    "Your bonus is in review until the item is consolidated. It is paid for the questions that are kept, "
    "and in full if there is no result after 14 days."
)
NEW = (
    f"{LATER} This applies until 30 of your items are consolidated and at least 50% of their questions "
    "were kept."
)
ASKED = {"question": "Who carried something?", "answers": [[0, 2]]}


@pytest.fixture
def project() -> Project:
    return make_project(bonus_timing="by-trust")


@pytest.fixture
def task(project) -> Task:
    return make_task([make_item(project)])


def admit(project: Project, worker: Worker) -> None:
    pool = define_qualification(
        provider="mturk", code=f"{project.slug}-generator", name="Pool", description="Trained."
    )
    grant_qualification(qualification=pool, worker=worker, now=NOW)


def do_items(project: Project, worker: Worker, count: int, *, kept: int | None = None) -> None:
    """Create accepted work of two questions per item, of which the gold has `kept`."""
    hit = make_task([make_item(project)]).hit
    first = project.items.count()
    for number in range(count):
        Submission.objects.create(
            item=Item.objects.create(
                project=project,
                sentence=project.sentences.first(),
                key=f"more:{first + number}",
                target={},
                position=first + number,
            ),
            role=Role.GENERATOR,
            worker=worker,
            assignment=make_assignment(hit, worker),
            content={"questions": [ASKED, ASKED]},
            schema_version=1,
            state="accepted",
            opened_at=NOW,
            submitted_at=NOW,
            kept_units=kept,
            judged_units=None if kept is None else 2,
        )


def state_of(task: Task, worker: Worker) -> tuple[bool, str]:
    """Return whether a bonus of the worker waits, and what the page says."""
    assignment = make_assignment(task.hit, worker)
    text = stated_timing(batch=task.batch, worker_ref=worker.external_id)
    return waits_for_gold(assignment=assignment, batch=task.batch), text


@pytest.mark.parametrize(
    ("timing", "expected"),
    [
        ("at-once", (False, NOW_TEXT)),
        ("after-consolidation", (True, LATER)),
        ("by-trust", (True, NEW)),
    ],
)
def test_new_workers_are_decided_by_the_setting(timing, expected):
    project = make_project(bonus_timing=timing)
    assert state_of(make_task([make_item(project)]), make_worker()) == expected


def test_trained_pool_is_paid_at_once_by_trust(project, task):
    worker = make_worker()
    admit(project, worker)
    assert state_of(task, worker) == (False, NOW_TEXT)
    project.bonus_timing = "after-consolidation"
    project.save()
    task.batch.refresh_from_db()
    assert state_of(Task.objects.get(pk=task.pk), worker) == (True, LATER)


@pytest.mark.parametrize(("count", "waits"), [(RECORD_ITEMS - 1, True), (RECORD_ITEMS, False)])
def test_first_items_of_others_wait(project, task, count, waits):
    worker = make_worker()
    do_items(project, worker, count, kept=2)
    assert state_of(task, worker) == (waits, NEW if waits else NOW_TEXT)


@pytest.mark.parametrize(
    ("kept", "waits"), [(2, False), (1, False), (0, True), (None, True)], ids=str
)
def test_later_items_wait_while_too_little_is_kept(project, task, kept, waits):
    worker = make_worker()
    do_items(project, worker, RECORD_ITEMS, kept=kept)
    assert state_of(task, worker) == (waits, NEW if waits else NOW_TEXT)


def test_record_is_that_of_the_newest_items_with_gold(project, task):
    worker = make_worker()
    do_items(project, worker, RECORD_ITEMS, kept=0)
    do_items(project, worker, RECORD_ITEMS, kept=2)
    do_items(project, worker, 10)
    assert state_of(task, worker)[0] is False


def test_work_in_other_projects_does_not_count(project, task):
    worker = make_worker()
    do_items(make_project("other", bonus_timing="by-trust"), worker, RECORD_ITEMS, kept=2)
    assert state_of(task, worker) == (True, NEW)


@pytest.mark.parametrize("role", [Role.CONSOLIDATOR, Role.VALIDATOR])
def test_people_who_judge_are_paid_at_once(project, task, role):
    Batch.objects.update(role=role)
    task = Task.objects.get(pk=task.pk)
    assert state_of(task, make_worker()) == (False, NOW_TEXT)


def test_training_rounds_are_paid_at_once(project, task):
    Batch.objects.update(for_training=True)
    assert state_of(Task.objects.get(pk=task.pk), make_worker()) == (False, NOW_TEXT)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(600, "an hour"), (36 * 3600, "36 hours"), (3 * 86400, "3 days"), (30 * 86400, "14 days")],
)
def test_page_states_how_long_work_waits(project, task, seconds, text):
    """The marketplace approves undecided work, and no work waits longer than the limit."""
    Batch.objects.update(auto_approval_seconds=seconds)
    batch = Batch.objects.get()
    assert f"or after {text} without" in stated_timing(batch=batch, worker_ref="")


def test_terms_without_a_bonus_state_nothing_about_it(project, task):
    task.batch.terms = project.pay_scheme["generator"] | {
        "bonus_first_cents": 0,
        "bonus_step_cents": 0,
    }
    task.batch.save()
    assert "bonus" not in stated_timing(batch=task.batch, worker_ref="")
    project.bonus_timing = "at-once"
    project.save()
    task = Task.objects.get(pk=task.pk)
    assert stated_timing(batch=task.batch, worker_ref="") == ""


def test_pages_state_what_applies(project, task):
    """The preview does not know its worker."""
    known = make_worker()
    admit(project, known)
    client = Client()
    preview = client.get(f"/generate/{task.public_id}/").content.decode()
    assert escape(f"{LATER} Workers who are trained for this project don't wait.") in preview

    def page_of(worker: str) -> str:
        address = task_url(task, worker=worker, submit_to=settings.MTURK_WORKER_ORIGINS[0])
        return client.get(address).content.decode()

    assert NOW_TEXT in page_of(known.external_id)
    assert NEW in page_of("A0STRANGER")


def test_fast_work_of_new_workers_waits_like_other_work(task):
    """The gold decides, and not the time."""
    assignment = make_assignment(task.hit)
    content = {str(task.items.get().pk): {"questions": [ASKED]}}
    Assignment.objects.filter(pk=assignment.pk).update(
        submitted_at=assignment.accepted_at + timedelta(seconds=1),
        answer={"content": json.dumps(content)},
    )
    record_new_generations(clock=lambda: NOW)
    submission = assignment.submissions.get()
    assert (submission.state, submission.problem) == ("waiting", "")
