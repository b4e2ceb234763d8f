"""Factories for pay that waits for consolidation: published items, their work and their gold."""

import json
from datetime import datetime, timedelta

from annotation.domain.work.record_generations import record_new_generations
from annotation.models import HeldBonus, Item, Task
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.gold.kept_work import count_kept_work
from consolidation.domain.reviews.decide_waiting import decide_waiting_bonuses, decide_waiting_work
from consolidation.models import Case
from consolidation.protocols import PROTOCOLS
from crowd.domain.money.decide_assignment import apply_provider_decision
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Hit, Payment, Worker
from projects.models import Project
from schemes.contract.values import Json
from tests.annotation.factories import make_item, make_project, make_task
from tests.crowd.factories import NOW, make_assignment, make_worker

# Four questions earn a bonus of 5 + 6 = 11 cents. SENTENCE of the factories has the answers.
QUESTIONS = [
    {"question": "Who carried something?", "answers": [[0, 2]]},
    {"question": "What did someone carry?", "answers": [[3, 6]]},
    {"question": "Where did someone carry something?", "answers": [[8, 11]]},
    {"question": "When did someone carry something?", "answers": [[12, 13]]},
]


def clock() -> datetime:
    return NOW


def make_waiting_project(**options: object) -> Project:
    return make_project(bonus_timing="by-trust", **options)


def publish(*items: Item) -> Task:
    task = make_task(items)
    Hit.objects.filter(task=task).update(
        state=HitState.LIVE, external_id=f"HIT{task.hit_id}", created_at=NOW
    )
    task.hit.refresh_from_db()
    return task


def generate(task: Task, *contents: Json, worker: Worker | None = None) -> Payment | None:
    """Submit and record a generation of the task's items. Return its bonus, if it has one now."""
    assignment = make_assignment(task.hit, worker or make_worker())
    items = [row.item_id for row in task.task_items.order_by("ordinal")]
    answers = {str(item): content for item, content in zip(items, contents, strict=True)}
    Assignment.objects.filter(pk=assignment.pk).update(answer={"content": json.dumps(answers)})
    record_new_generations(clock=clock)
    return assignment.payments.filter(kind="bonus").first()


NOTHING = {"questions": [], "no_question": "Nothing to ask."}


def asked(*numbers: int) -> Json:
    return {"questions": [QUESTIONS[number] for number in numbers]}


def consolidate(item: Item, *, keeps: int) -> None:
    """Open the item's case and keep the first questions of the first source that has any."""
    Hit.objects.filter(task__items=item, task__role="generator").update(state=HitState.FINISHED)
    open_due_cases(clock=clock)
    publish_open_cases(clock=clock)
    case = Case.objects.get(item=item)
    questions: list[Json] = []
    for source in case.sources.order_by("position"):
        own, is_first = source.submission.content["questions"], not questions
        for number, question in enumerate(own):
            is_kept = is_first and number < keeps
            questions.append(
                {
                    "question": question["question"],
                    "answers": question["answers"] if is_kept else [],
                    "source": {"submission": source.position, "question": number},
                    "verdict": "keep" if is_kept else "invalid",
                    "same_as": None,
                }
            )
    assignment = make_assignment(case.task.hit)
    content = {str(item.pk): {"questions": questions}}
    Assignment.objects.filter(pk=assignment.pk).update(answer={"content": json.dumps(content)})
    settle()


def settle(after: timedelta = timedelta(0)) -> int:
    """Write due gold, and decide waiting work and bonuses. Return how many bonuses were decided."""
    record_new_case_work(clock=clock)
    for protocol in PROTOCOLS.values():
        protocol.write_due_gold(clock=clock)
    count_kept_work(clock=clock)
    decide_waiting_work(clock=lambda: NOW + after)
    return decide_waiting_bonuses(clock=lambda: NOW + after)


def approve_at_marketplace(decision: AssignmentState = AssignmentState.APPROVED) -> None:
    """Let the marketplace decide all undecided work, and end its wait."""
    for assignment in Assignment.objects.filter(state=AssignmentState.SUBMITTED):
        apply_provider_decision(assignment=assignment, provider_state=decision, now=NOW)
    decide_waiting_work(clock=clock)


def waiting_bonus() -> tuple[HeldBonus, Item]:
    """Return a bonus of 11 cents that waits, and its item. The marketplace has approved the work."""
    item = make_item(make_waiting_project())
    generate(publish(item), asked(0, 1, 2, 3))
    approve_at_marketplace()
    return HeldBonus.objects.get(), item


def waiting_work(*, keeps: int | None = None) -> Assignment:
    """Return an assignment of four questions that waited, and `keeps` of which the gold kept, if any."""
    item = make_item(make_waiting_project())
    task = publish(item)
    worker = make_worker()
    generate(task, asked(0, 1, 2, 3), worker=worker)
    if keeps is not None:
        generate(task, NOTHING)
        consolidate(item, keeps=keeps)
    return worker.assignments.get()
