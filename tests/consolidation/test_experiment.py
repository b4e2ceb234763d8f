"""Items annotated again by people who had no part in them, from offer to second gold."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Submission, TaskItem
from consolidation.domain.experiment import (
    ExperimentError,
    annotations_for_gold,
    begin_experiment,
    items_of_experiment,
    open_experiment_cases,
    progress_of,
)
from consolidation.domain.open_cases import publish_case
from consolidation.domain.queries import items_of
from consolidation.models import Case, Experiment
from crowd.domain.ledger import BudgetExceededError
from crowd.domain.qualifications import define_qualification, grant_qualification
from crowd.models import Hit
from datasets.domain.agreement import consolidation_agreement, worker_agreement
from tests.consolidation.factories import make_generation
from tests.consolidation.gold import FIRST, SECOND, consolidate, consolidation_of, make_gold_item
from tests.crowd.factories import NOW, make_assignment, make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def gold():
    return make_gold_item()


def people_of(gold) -> list:
    return [*(one.submission.worker for one in gold.case.sources.all()), gold.submission.worker]


def make_pool(project, role: str, workers) -> dict[int, int]:
    """The trained pool of a role; worker id -> their number."""
    code = f"{project.slug}-{role}"
    qualification = define_qualification(
        provider=project.provider, code=code, name=code, description=code
    )
    return {
        one.pk: grant_qualification(qualification=qualification, worker=one, now=NOW).value
        for one in workers
    }


def begin(gold, **more) -> Experiment:
    wanted = {"count": 5, "generators": None, "by": "rita", "now": NOW} | more
    return begin_experiment(project=gold.item.project, **wanted)


def requirement(hit: Hit) -> dict:
    return hit.hit_type.qualifications[-1]


def annotate(experiment, content, worker) -> Submission:
    """An accepted generation under the experiment's HIT."""
    hit = Hit.objects.get(task__batch=experiment.batch)
    submission = make_generation(items_of_experiment(experiment=experiment).get(), content, worker)
    submission.assignment = make_assignment(hit=hit, worker=worker)
    submission.save(update_fields=["assignment"])
    return submission


def test_items_are_offered_again_to_those_who_had_no_part_in_them(gold):
    others = [make_worker(), make_worker()]
    numbers = make_pool(gold.item.project, "generator", [*people_of(gold), *others])
    budget = gold.item.project.budget
    budget.refresh_from_db()
    before = budget.reserved_cents
    experiment = begin(gold)
    offered = TaskItem.objects.get(task__batch=experiment.batch)
    assert (offered.item, offered.attempt, offered.task.hit.max_assignments) == (gold.item, 1, 2)
    assert requirement(offered.task.hit) == {
        "code": f"{gold.item.project.slug}-generator",
        "comparator": "NotIn",
        "integers": sorted(numbers[one.pk] for one in people_of(gold)),
    }
    budget.refresh_from_db()
    assert budget.reserved_cents > before
    assert progress_of(experiment=experiment).wanted == 2


def test_chosen_workers_alone_may_take_them(gold):
    others = [make_worker() for _ in range(4)]
    numbers = make_pool(gold.item.project, "generator", [*people_of(gold), *others])
    experiment = begin(gold, generators=3, workers=[*others[:3], people_of(gold)[0]])
    hit = Hit.objects.get(task__batch=experiment.batch)
    assert requirement(hit)["integers"] == sorted(numbers[one.pk] for one in others[:3])
    assert hit.max_assignments == 3
    assert not experiment.consolidates


def test_fresh_generations_become_a_second_case_and_a_disjoint_team(gold):
    project = gold.item.project
    others = [make_worker() for _ in range(3)]
    make_pool(project, "generator", [*people_of(gold), *others])
    numbers = make_pool(project, "consolidator", [*people_of(gold), *others])
    experiment = begin(gold)
    fresh = [annotate(experiment, FIRST, others[0])]
    assert open_experiment_cases(clock=lambda: NOW) == 0
    fresh.append(annotate(experiment, SECOND, others[1]))
    assert open_experiment_cases(clock=lambda: NOW) == 1
    assert open_experiment_cases(clock=lambda: NOW) == 0
    case = Case.objects.get(item=gold.item, attempt=1)
    assert {one.submission for one in case.sources.all()} == set(fresh)
    assert publish_case(case_id=case.pk, now=NOW)
    case.refresh_from_db()
    kept_out = [*people_of(gold), *others[:2]]
    assert requirement(case.task.hit)["integers"] == sorted(numbers[one.pk] for one in kept_out)
    assert not progress_of(experiment=experiment).is_finished
    content = consolidation_of()
    if case.sources.get(position=0).submission != fresh[0]:
        for question in content["questions"]:
            question["source"]["submission"] = 1 - question["source"]["submission"]
    consolidate(case, content, others[2])
    found = progress_of(experiment=experiment)
    assert (found.accepted, found.wanted, found.consolidated, found.to_consolidate) == (2, 2, 1, 1)
    assert found.is_finished
    items = items_of_experiment(experiment=experiment)
    report = consolidation_agreement(project=project, disjoint=True, among=items)
    assert (report.items, report.figures["UA"].value) == (1, 1)
    workers = worker_agreement(project=project, among=items)
    assert len(workers.pairs) == 6
    # What the experiment adds measures the gold, and is no part of what it is made of.
    made_of = annotations_for_gold(project=project)
    assert sorted(one.role for one in made_of) == ["consolidator", "generator", "generator"]
    assert {one.worker for one in made_of} == set(people_of(gold))
    assert items_of(project=project).get().generations == 2


def test_experiment_without_consolidation_opens_no_case(gold):
    others = [make_worker(), make_worker()]
    make_pool(gold.item.project, "generator", others)
    experiment = begin(gold, generators=2)
    for worker in others:
        annotate(experiment, FIRST, worker)
    assert open_experiment_cases(clock=lambda: NOW) == 0
    assert progress_of(experiment=experiment).is_finished


def test_item_is_never_offered_again_twice(gold):
    make_pool(gold.item.project, "generator", [make_worker(), make_worker()])
    begin(gold)
    with pytest.raises(ExperimentError, match="no consolidated item"):
        begin(gold)
    assert Experiment.objects.count() == 1


@pytest.mark.parametrize("more", [{"count": 0}, {"generators": 0}, {"generators": 10}])
def test_numbers_that_make_no_sense_are_refused(gold, more):
    make_pool(gold.item.project, "generator", [make_worker() for _ in range(10)])
    with pytest.raises(ExperimentError, match="one to nine"):
        begin(gold, **more)


def test_without_a_pool_or_enough_people_nothing_is_offered(gold):
    with pytest.raises(ExperimentError, match="needs a trained pool"):
        begin(gold)
    make_pool(gold.item.project, "generator", [*people_of(gold), make_worker()])
    with pytest.raises(
        ExperimentError, match="needs 2 workers who did not contribute to it, but only 1"
    ):
        begin(gold)
    assert not Experiment.objects.exists()
    assert not TaskItem.objects.filter(attempt=1).exists()


def test_budget_that_is_too_small_leaves_nothing_behind(gold):
    make_pool(gold.item.project, "generator", [make_worker(), make_worker()])
    budget = gold.item.project.budget
    budget.refresh_from_db()
    budget.cap_cents = budget.reserved_cents + budget.spent_cents + 1
    budget.save()
    with pytest.raises(BudgetExceededError):
        begin(gold)
    assert not TaskItem.objects.filter(attempt=1).exists()


def test_command_begins_one_and_tells_what_is_missing(gold):
    slug = gold.item.project.slug
    with pytest.raises(CommandError, match="needs a trained pool") as refused:
        call_command("agreement", slug, "--again", "3")
    assert refused.value.returncode == 2
    others = [make_worker(), make_worker()]
    make_pool(gold.item.project, "generator", others)
    names = ",".join(one.pseudonym for one in others)
    call_command(
        "agreement",
        slug,
        "--again",
        "3",
        "--generators",
        "2",
        "--workers",
        names,
        stdout=StringIO(),
    )
    assert Experiment.objects.get().started_by == "command agreement"
