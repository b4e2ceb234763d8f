"""Factories for a project with rounds, and for the work of its trainees."""

import json
from collections.abc import Sequence
from datetime import timedelta

from annotation.domain.corpus.item_context import context_of
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Draft, Item, Task
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from consolidation.models import Gold
from consolidation.protocols.consolidation import CONSOLIDATION
from crowd.models import Assignment, Message, Worker
from projects.domain.schemes import scheme_of
from projects.enums import Role
from qualification.domain.rounds.publish_round import invite_workers, publish_round
from qualification.domain.rounds.set_up_rounds import RoundPlan, set_up_rounds
from qualification.domain.training.decide import Verdict, decide
from qualification.domain.training.evaluate import enrol_newcomers, evaluate_due
from qualification.enums import RoundEntry
from qualification.models import Cohort, Enrolment, Round
from schemes.qasrl.simulated_generator import question_of
from schemes.simulated_person import Person
from tests.consolidation.factories import (
    CONTAIN,
    IDENTIFIED,
    SURVEY,
    make_item,
    make_project,
    source,
)
from tests.crowd.factories import NOW, make_worker

LATER = NOW + timedelta(hours=1)
# The expert's content for "identified" and for "contain".
EXPERT = {
    IDENTIFIED: source(
        SURVEY,
        ("Who identified something?", ["the U.S. Geological Survey", "USGS"]),
        ("What did someone identify?", ["a basin"]),
        ("When did someone identify something?", ["In 1996"]),
    ),
    CONTAIN: source(
        SURVEY,
        ("What might contain something?", ["that basin"]),
        ("What might something contain?", ["natural gas"]),
    ),
}
# A worker's content: the expert's two names as one answer, no modal, and no time.
WORKER = {
    IDENTIFIED: source(
        SURVEY,
        ("Who identified something?", ["the U.S. Geological Survey ( USGS )"]),
        ("What did someone identify?", ["a basin"]),
    ),
    CONTAIN: source(
        SURVEY,
        ("What contains something?", ["that basin"]),
        ("What might something contain?", ["natural gas"]),
    ),
}
# Two annotations for a consolidator to merge.
GIVEN = {verb: [EXPERT[verb], WORKER[verb]] for verb in EXPERT}
THRESHOLDS = {"UA": 0.7, "LA": 0.65}


def write_reference(item: Item, content) -> Gold:
    content = {"questions": content["questions"]}
    parsed = scheme_of(item.project).content.parse_gold(content, context_of(item))
    return add_gold(item=item, source=GoldSource.EXPERT, content=parsed, provenance=[], now=NOW)


def make_items(project, pairs: int = 1) -> list[Item]:
    """Create `pairs` times the two verbs of the sentence, with their expert references."""
    items = [make_item(SURVEY, verb, project) for _ in range(pairs) for verb in EXPERT]
    for item in items:
        write_reference(item, EXPERT[item.target["verb_idx"]])
    return items


def make_rounds(project=None, *, pairs: int = 1, rounds: int = 2) -> list[Round]:
    """Create training rounds of 2 x `pairs` items each. The last one opens both pools."""
    project = project or make_project()
    plans = [
        RoundPlan(
            title=f"Training {number}",
            entry=RoundEntry.PASSED if number > 1 else RoundEntry.INVITED,
            keys=[item.key for item in make_items(project, pairs)],
            thresholds=THRESHOLDS,
            pool_roles=[Role.GENERATOR, Role.CONSOLIDATOR] if number == rounds else [],
        )
        for number in range(1, rounds + 1)
    ]
    return set_up_rounds(project=project, plans=plans, actor="tests", now=NOW)


def make_consolidator_round(project=None, *, pairs: int = 1) -> Round:
    """Create a round with two annotations per item to merge, the expert's and a worker's."""
    items = make_items(project or make_project(), pairs)
    plan = RoundPlan(
        title="Consolidation training",
        role=Role.CONSOLIDATOR,
        entry=RoundEntry.PASSED,
        keys=[item.key for item in items],
        given={item.key: GIVEN[item.target["verb_idx"]] for item in items},
        thresholds=THRESHOLDS,
        pool_roles=[Role.CONSOLIDATOR],
    )
    return set_up_rounds(project=items[0].project, plans=[plan], actor="tests", now=NOW)[0]


def consolidated(item: Item, *, skill: float = 1.0):
    """Return a consolidation of the item's given annotations. Skill 1 yields the expert's."""
    given, scheme = item.round_items.get().given, scheme_of(item.project)
    if skill < 1:
        consolidate = scheme.get_simulation().consolidate
        # The verb is the same in every run, unlike ids and the order of the items.
        return consolidate(given, context_of(item), Person(skill), f"a{item.target['verb_idx']}")
    # The first of the given annotations is the expert's.
    kept = scheme.get_merging().keep_all(given[0])
    places = {question["question"]: at for at, question in enumerate(kept["questions"])}
    rest = [
        {
            **question_of(question),
            "answers": [],
            "source": {"submission": submission, "question": position},
            "verdict": "redundant" if question["question"] in places else "invalid",
            "same_as": places.get(question["question"]),
        }
        for submission, source in enumerate(given[1:], 1)
        for position, question in enumerate(source["questions"])
    ]
    return {**kept, "questions": [*kept["questions"], *rest]}


def merge_through(cohort: Cohort, worker: Worker, *, skill: float = 1.0) -> None:
    """Submit the worker's consolidation of every item of the cohort."""
    for task in cohort.batch.tasks.order_by("pk"):
        item = task.items.get()
        submit_work(task, worker, {item.target["verb_idx"]: consolidated(item, skill=skill)})
    record()


def open_round(training_round: Round, workers: Sequence[Worker]) -> Cohort:
    """Publish the round to the workers, without its messages, so that tests see later ones."""
    invite_workers(round=training_round, workers=workers, actor="tests", now=NOW)
    earlier = list(Message.objects.values_list("pk", flat=True))
    cohort = publish_round(round=training_round, actor="tests", now=NOW)
    Message.objects.exclude(pk__in=earlier).delete()
    return cohort


def submit_work(task: Task, worker: Worker, contents=WORKER, *, seconds: int = 90) -> Assignment:
    """Create the worker's finished assignment at the marketplace, and its draft."""
    assignment = Assignment.objects.create(
        hit=task.hit,
        worker=worker,
        external_id=f"A-{task.pk}-{worker.pk}",
        accepted_at=NOW,
        submitted_at=NOW + timedelta(minutes=3),
    )
    items = list(task.items.all())
    content = {str(item.pk): contents[item.target["verb_idx"]] for item in items}
    assignment.answer = {"content": json.dumps(content)}
    assignment.save(update_fields=["answer"])
    Draft.objects.create(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=worker.external_id,
        content=content,
        opened_at=NOW,
        saved_at=NOW,
        active_seconds=seconds,
    )
    return assignment


def record() -> None:
    """Run the sweeps that record finished work and evaluate finished rounds."""
    record_new_generations(clock=lambda: LATER, limit=500)
    record_new_case_work(clock=lambda: LATER, limit=500)
    CONSOLIDATION.write_due_gold(clock=lambda: LATER, limit=500)
    enrol_newcomers(clock=lambda: LATER)
    evaluate_due(clock=lambda: LATER, limit=500)


def work_through(cohort: Cohort, worker: Worker, contents=WORKER) -> None:
    for task in cohort.batch.tasks.order_by("pk"):
        submit_work(task, worker, contents)
    record()


def make_evaluated(contents=WORKER, *, pairs: int = 1) -> Enrolment:
    """Create an evaluated worker who has finished the first of two rounds."""
    training_round = make_rounds(pairs=pairs)[0]
    worker = make_worker()
    cohort = open_round(training_round, [worker])
    work_through(cohort, worker, contents)
    return Enrolment.objects.get(round=training_round, worker=worker)


def make_passed(*, opens_pool: bool = False) -> Enrolment:
    """Create a worker who passed the only round, which by default does not admit to production."""
    [training_round] = make_rounds(rounds=1)
    if not opens_pool:
        Round.objects.update(pool_roles=[])
    worker = make_worker()
    work_through(open_round(training_round, [worker]), worker, EXPERT)
    enrolment = Enrolment.objects.get()
    decide(enrolment=enrolment, verdict=Verdict.PASS, reason="ok", actor="tina", now=LATER)
    return enrolment
