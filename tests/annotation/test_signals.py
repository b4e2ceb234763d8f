"""Signals of submissions and workers, their base rates, and bonuses that are held because of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.decisions.project_signals import BaseRate, project_signals
from annotation.domain.work.record_generations import record_new_generations
from annotation.enums import SubmissionState
from annotation.models import Arm, Draft, HeldBonus, Item, ItemArm, Submission, Task
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Assignment, Hit, Payment, Worker
from model_annotators.models import ModelAnswer
from projects.enums import MemberRole
from projects.models import Project
from tests.annotation.factories import NOW, make_item, make_project, make_task
from tests.annotation.test_held_bonuses import QUESTIONS as SEVEN
from tests.crowd.factories import make_assignment, make_worker
from tests.dashboard.campaign import make_user
from tests.model_annotators.factories import make_model

pytestmark = pytest.mark.django_db

# Five questions earn a bonus, and are too few to be held for their number.
QUESTIONS = SEVEN[:5]
TYPED = {
    "fields": [{"name": "question", "typed": 150}],
    "intervals": {"11": 20, "12": 30, "13": 40, "14": 30, "15": 15, "17": 8},
    "counts": {"gestures": 190},
}
PASTED = {
    "fields": [{"name": "question", "typed": 4, "pasted": 196, "pastes": 7}],
    "intervals": {"13": 3},
    "counts": {"gestures": 30, "absences": 7, "away": 41_000},
}
SCRIPTED = {"fields": [{"name": "question", "untrusted": 200}], "counts": {"untrusted": 14}}
ASSISTED = {
    "fields": [{"name": "question", "words": 120, "composed": 60, "replaced": 20}],
    "intervals": {},
    "counts": {"gestures": 3},
}


@pytest.fixture
def project() -> Project:
    project = make_project()
    project.input_signals = "hold"
    project.save()
    return project


def task_of(items: Sequence[Item]) -> Task:
    task = make_task(items)
    Hit.objects.filter(pk=task.hit_id).update(
        state=HitState.LIVE, external_id=f"HIT{task.pk}", created_at=NOW
    )
    return task


def submit(
    task: Task, worker: Worker | None = None, *, inputs: Any = None, questions: Any = QUESTIONS
) -> Assignment:
    assignment = make_assignment(task.hit, worker or make_worker())
    items = [str(pk) for pk in task.items.values_list("pk", flat=True)]
    Draft.objects.create(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=assignment.worker.external_id,
        content={pk: {"questions": questions} for pk in items},
        inputs={pk: {"intervals": {}, **inputs} for pk in items} if inputs else {},
        opened_at=NOW,
        saved_at=NOW,
        submitted_at=NOW,
        active_seconds=120,
    )
    record_new_generations(clock=lambda: NOW)
    return assignment


def codes_of(project: Project, worker: Worker) -> set[str]:
    return project_signals(project=project).by_worker[worker.pk].codes


def other_questions(number: int) -> list:
    """Return other answers to the questions, so that two workers' are not alike."""
    return [
        {**question, "answers": [[start, start + 1 + (number + start) % 2]]}
        for start, question in zip((0, 3, 7, 11), QUESTIONS, strict=False)
    ]


@pytest.mark.parametrize(
    ("inputs", "codes"),
    [
        (TYPED, set()),
        (ASSISTED, set()),
        (None, set()),
        (PASTED, {"pasted"}),
        (SCRIPTED, {"scripted"}),
    ],
)
def test_signals_of_inputs(project, inputs, codes):
    assignment = submit(task_of([make_item(project)]), inputs=inputs)
    assert codes_of(project, assignment.worker) == codes


def test_evidence_has_the_numbers(project):
    submit(task_of([make_item(project)]), inputs=PASTED)
    signals = project_signals(project=project)
    [(signal, rate)] = signals.evidence_of(Submission.objects.get().pk)
    assert signal.evidence == (
        "196 of 200 characters were pasted, and the page had no focus for 41 seconds."
    )
    assert (rate.submissions, rate.of_submissions) == (1, 1)


def test_base_rate_counts_submissions_and_workers(project):
    [first, second] = [task_of([make_item(project)]) for _ in range(2)]
    pasting = make_worker()
    submit(first, pasting, inputs=PASTED)
    submit(second, pasting, inputs=PASTED)
    submit(first, inputs=TYPED)
    submit(second, inputs=None)
    rate = project_signals(project=project).rates["pasted"]
    assert rate == BaseRate(code="pasted", submissions=2, of_submissions=4, workers=1, of_workers=3)


def test_simulated_workers_show_no_signals(project):
    worker = make_worker()
    Worker.objects.update(is_simulated=True)
    submit(task_of([make_item(project)]), worker, inputs=SCRIPTED)
    assert project_signals(project=project).by_worker == {}
    assert not HeldBonus.objects.exists()


def test_two_workers_with_the_same_rhythm_twice(project):
    tasks = [task_of([make_item(project)]) for _ in range(2)]
    replaying, person = make_worker(), make_worker()
    for task in tasks:
        submit(task, replaying, inputs=TYPED)
    submit(tasks[0], person, inputs=TYPED)
    varied = {**TYPED, "intervals": {"12": 25, "13": 30, "14": 45, "16": 21, "18": 9}}
    submit(tasks[1], person, inputs=varied, questions=other_questions(1))
    assert "same-rhythm" in codes_of(project, replaying)
    assert "same-rhythm" not in codes_of(project, person)


def test_workers_who_copy_from_each_other(project):
    copying, copied, others = make_worker(), make_worker(), [make_worker(), make_worker()]
    for number in range(6):
        task = make_task([make_item(project)])
        Hit.objects.filter(pk=task.hit_id).update(max_assignments=4)
        same = other_questions(number)[number % 2 :]
        for worker, questions in (
            (copying, same),
            (copied, same),
            (others[0], QUESTIONS[: 2 + number % 2]),
            (others[1], other_questions(number + 1)[3:]),
        ):
            submit(task, worker, inputs=TYPED, questions=questions)
    assert "alike" in codes_of(project, copying)
    assert "alike" in codes_of(project, copied)
    assert all("alike" not in codes_of(project, worker) for worker in others)


def answer_of_model(item: Item, questions: Any) -> None:
    ModelAnswer.objects.create(
        annotator=item.project.model_annotators.first() or make_model(item.project),
        item=item,
        digest="",
        attempt=0,
        raw="{}",
        content=parse_generation(item, {"questions": questions}),
        schema_version=1,
        input_tokens=0,
        output_tokens=0,
        cost_cents=0,
        seconds=0,
        answered_at=NOW,
    )


def test_answers_near_those_of_a_model(project):
    item = make_item(project)
    answer_of_model(item, QUESTIONS)
    task = task_of([item])
    person = submit(task, inputs=TYPED, questions=other_questions(0)[3:])
    copying = submit(task, inputs=TYPED)
    assert "model" in codes_of(project, copying.worker)
    assert "model" not in codes_of(project, person.worker)
    [held] = HeldBonus.objects.all()
    assert held.payment.assignment == copying
    assert "registered model" in held.reasons[0]["text"]


def test_answers_that_all_give_are_not_near_a_model(project):
    item = make_item(project)
    answer_of_model(item, QUESTIONS)
    task = task_of([item])
    workers = [submit(task, inputs=TYPED).worker for _ in range(2)]
    assert all("model" not in codes_of(project, worker) for worker in workers)


def test_bonus_is_held_and_the_work_is_accepted_and_paid(project):
    assignment = submit(task_of([make_item(project)]), inputs=PASTED)
    [submission] = assignment.submissions.all()
    assert submission.state == SubmissionState.ACCEPTED
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.APPROVED
    [held] = HeldBonus.objects.all()
    assert [reason["code"] for reason in held.reasons] == ["signals"]
    assert "196 of 200 characters were pasted" in held.news
    payments = Payment.objects.filter(assignment=assignment).values_list("kind", "state")
    assert dict(payments)["bonus"] == PaymentState.REVIEW


@pytest.mark.parametrize("setting", ["shown", "off"])
def test_bonus_is_not_held_unless_the_project_says_so(project, setting):
    Project.objects.update(input_signals=setting)
    submit(task_of([make_item(project)]), inputs=PASTED)
    assert not HeldBonus.objects.exists()
    assert Payment.objects.get(kind="bonus").state == PaymentState.PENDING


@pytest.mark.parametrize("inputs", [PASTED, SCRIPTED])
def test_work_without_a_bonus_is_accepted_whatever_its_signals(project, inputs):
    assignment = submit(task_of([make_item(project)]), inputs=inputs, questions=QUESTIONS[:1])
    assert assignment.submissions.get().state == SubmissionState.ACCEPTED
    assert not HeldBonus.objects.exists()


@pytest.fixture
def office(project) -> Client:
    client = Client()
    client.force_login(make_user("office", project, MemberRole.ADMIN))
    return client


def page(office: Client, name: str, *args: object) -> str:
    response = office.get(reverse(name, args=["news", *args]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_page_of_a_worker_shows_signals_beside_those_of_all(project, office):
    task = task_of([make_item(project)])
    pasting = submit(task, inputs=PASTED).worker
    person = submit(task, inputs=TYPED, questions=other_questions(1)).worker
    html = page(office, "qualification:worker", pasting.pseudonym)
    assert "<strong>Pasted answers</strong>" in html
    assert "196 of 200 characters were pasted" in html
    assert "1 of 1" in html
    assert "50.0 %" in html
    html = page(office, "qualification:worker", person.pseudonym)
    assert "<strong>Pasted answers</strong>" not in html
    assert "0 of 1" in html


def test_page_of_a_worker_shows_signals_of_the_work_as_a_whole(project, office):
    worker = make_worker()
    for _ in range(2):
        submit(task_of([make_item(project)]), worker, inputs=TYPED)
    html = page(office, "qualification:worker", worker.pseudonym)
    assert "1 of 1 pairs of submissions have the same rhythm." in html
    assert "shown</td>" in html
    assert "100.0 % of 1" in html


def test_held_bonus_has_the_base_rate_beside_the_evidence(project, office):
    submit(task_of([make_item(project)]), inputs=PASTED)
    html = page(office, "annotation:held_bonuses")
    assert "100.0 % of the project’s newest submissions show it." in html
    assert "Signals of how it was entered" in html


def test_review_queue_shows_signals_of_submissions(project, office):
    submit(task_of([make_item(project)]), inputs=PASTED)
    Submission.objects.update(state=SubmissionState.SUBMITTED, problem="The copies differ.")
    assert "196 of 200 characters were pasted" in page(office, "consolidation:submissions")


def test_pages_show_no_signals_if_nothing_is_recorded(project, office):
    worker = submit(task_of([make_item(project)]), inputs=PASTED).worker
    Project.objects.update(input_signals="off")
    assert "Pasted answers" not in page(office, "qualification:worker", worker.pseudonym)


def test_work_that_started_from_a_model_shows_no_signal(project):
    item = make_item(project)
    task = task_of([item])
    arm = Arm.objects.create(
        batch=task.batch, ordinal=0, percent=100, system="model", use="pre-annotation"
    )
    ItemArm.objects.create(item=item, arm=arm, content={}, assigned_at=NOW)
    assignment = submit(task, inputs=SCRIPTED)
    assert project_signals(project=project).by_submission == {}
    assert not HeldBonus.objects.filter(payment__assignment=assignment).exists()
