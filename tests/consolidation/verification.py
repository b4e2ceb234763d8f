"""Factories for a project of the labels scheme under verification, and the work in it."""

import json

from annotation.domain.publishing.publish import publish_batch
from annotation.domain.publishing.republish import republish_due_items
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Item, Sentence, Submission
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.cases.republish_cases import republish_due_cases
from consolidation.domain.cases.revise import (
    accept_due_revisions,
    give_up_revisions,
    publish_due_revisions,
)
from consolidation.models import Case
from consolidation.protocols import PROTOCOLS
from crowd.enums import HitState
from crowd.models import Assignment, Hit, Worker
from projects.domain.choose_protocol import choose_protocol
from projects.domain.create_project import create_project
from projects.enums import Protocol
from projects.models import Project
from tests.crowd.factories import NOW, make_assignment, make_worker


def clock():
    return NOW


def make_verification_project(
    *, items: int = 1, cap_cents: int | None = None, bonus_timing: str = "at-once", **options
) -> Project:
    """Create a project with published items. `options` are those of `choose_protocol`."""
    project = create_project(
        slug="moods", scheme="labels", cap_cents=cap_cents, bonus_timing=bonus_timing, now=NOW
    )
    project = choose_protocol(
        project=project, protocol=Protocol.VERIFICATION, actor="test", now=NOW, **options
    )
    for number in range(items):
        sentence = Sentence.objects.create(
            project=project, external_id=f"s{number}", tokens=["A", "fine", "day"]
        )
        Item.objects.create(
            project=project, sentence=sentence, key=f"s{number}:0", target={}, position=number
        )
    publish_batch(project=project, now=NOW)
    return project


def sweep() -> None:
    """Run every sweep of the protocol until nothing changes."""
    for _ in range(3):
        record_new_generations(clock=clock)
        record_new_case_work(clock=clock)
        accept_due_revisions(clock=clock)
        for protocol in PROTOCOLS.values():
            protocol.write_due_gold(clock=clock)
        open_due_cases(clock=clock)
        publish_open_cases(clock=clock)
        publish_due_revisions(clock=clock)
        republish_due_items(clock=clock)
        republish_due_cases(clock=clock)
        give_up_revisions(clock=clock)


def submit(hit: Hit, worker: Worker, content: object) -> Assignment:
    """Submit work at the marketplace, and end the HIT if its places are filled."""
    assignment = make_assignment(hit, worker)
    assignment.answer = {"content": json.dumps({str(hit.task.items.get().pk): content})}
    assignment.save()
    if hit.assignments.count() >= hit.max_assignments:
        end(hit, HitState.FINISHED)
    return assignment


def end(hit: Hit, state: str) -> None:
    Hit.objects.filter(pk=hit.pk).update(
        state=state,
        external_id=f"HIT{hit.pk}",
        created_at=NOW,
        attempted_at=NOW,
        increase_to=None,
        expiration_wanted=None,
    )


def generate(item: Item, label: str = "positive", worker: Worker | None = None) -> Case:
    """Annotate the item and return its case, which is published to verifiers."""
    submit(item.tasks.get(role="generator").hit, worker or make_worker(), {"label": label})
    sweep()
    return Case.objects.get(item=item)


def verify(case: Case, *verdicts: bool, workers: list[Worker] | None = None) -> Case:
    """Verify (True) or dispute (False) the case's annotation, and return the updated case."""
    case.refresh_from_db()
    people = workers or [make_worker() for _ in verdicts]
    for verdict, worker in zip(verdicts, people, strict=True):
        submit(case.task.hit, worker, {"valid": verdict})
    sweep()
    case.refresh_from_db()
    return case


def revise(case: Case, label: str, worker: Worker | None = None) -> Case:
    """Submit the revision, by default as the annotation's author. Return the case."""
    case.refresh_from_db()
    author = Submission.objects.get(item=case.item, role="generator").worker
    submit(case.task.hit, worker or author, {"label": label})
    sweep()
    case.refresh_from_db()
    return case
