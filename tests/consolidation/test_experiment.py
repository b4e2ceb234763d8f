"""Tests of experiments, in which uninvolved workers annotate items again."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Submission, TaskItem
from consolidation.domain.cases.experiment import (
    ExperimentError,
    annotations_for_gold,
    begin_experiment,
    items_of_experiment,
    open_experiment_cases,
    progress_of,
)
from consolidation.domain.cases.open_cases import publish_case
from consolidation.domain.cases.queries import items_of
from consolidation.models import Case, Experiment
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.models import Hit
from datasets.domain.agreement.agreement import consolidation_agreement, worker_agreement
from tests.consolidation.factories import make_generation
from tests.consolidation.gold import FIRST, SECOND, consolidate, consolidation_of, make_gold_item
from tests.crowd.factories import NOW, make_assignment, make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def gold():
    return make_gold_item()


def participants_of(gold) -> list:
    return [
        *(source.submission.worker for source in gold.case.sources.all()),
        gold.submission.worker,
    ]


def make_pool(project, role: str, workers) -> dict[int, int]:
    """Create the trained pool of a role. Return the qualification number of each worker id."""
    code = f"{project.slug}-{role}"
    qualification = define_qualification(
        provider=project.provider, code=code, name=code, description=code
    )
    return {
        worker.pk: grant_qualification(qualification=qualification, worker=worker, now=NOW).value
        for worker in workers
    }


def start_experiment(gold, **more) -> Experiment:
    options = {"count": 5, "generators": None, "by": "rita", "now": NOW} | more
    return begin_experiment(project=gold.item.project, **options)


def requirement(hit: Hit) -> dict:
    return hit.hit_type.qualifications[-1]


def annotate(experiment, content, worker) -> Submission:
    """Create an accepted generation under the experiment's HIT."""
    hit = Hit.objects.get(task__batch=experiment.batch)
    submission = make_generation(items_of_experiment(experiment=experiment).get(), content, worker)
    submission.assignment = make_assignment(hit=hit, worker=worker)
    submission.save(update_fields=["assignment"])
    return submission


def test_experiment_offers_items_to_uninvolved_workers(gold):
    others = [make_worker(), make_worker()]
    numbers = make_pool(gold.item.project, "generator", [*participants_of(gold), *others])
    budget = gold.item.project.budget
    budget.refresh_from_db()
    before = budget.reserved_cents
    experiment = start_experiment(gold)
    offered = TaskItem.objects.get(task__batch=experiment.batch)
    assert (offered.item, offered.attempt, offered.task.hit.max_assignments) == (gold.item, 1, 2)
    assert requirement(offered.task.hit) == {
        "code": f"{gold.item.project.slug}-generator",
        "comparator": "NotIn",
        "integers": sorted(numbers[participant.pk] for participant in participants_of(gold)),
    }
    budget.refresh_from_db()
    assert budget.reserved_cents > before
    assert progress_of(experiment=experiment).wanted == 2


def test_only_selected_workers_may_annotate(gold):
    others = [make_worker() for _ in range(4)]
    numbers = make_pool(gold.item.project, "generator", [*participants_of(gold), *others])
    experiment = start_experiment(
        gold, generators=3, workers=[*others[:3], participants_of(gold)[0]]
    )
    hit = Hit.objects.get(task__batch=experiment.batch)
    assert requirement(hit)["integers"] == sorted(numbers[worker.pk] for worker in others[:3])
    assert hit.max_assignments == 3
    assert not experiment.consolidates


def test_new_generations_form_a_second_case_for_a_separate_team(gold):
    project = gold.item.project
    others = [make_worker() for _ in range(3)]
    make_pool(project, "generator", [*participants_of(gold), *others])
    numbers = make_pool(project, "consolidator", [*participants_of(gold), *others])
    experiment = start_experiment(gold)
    generations = [annotate(experiment, FIRST, others[0])]
    assert open_experiment_cases(clock=lambda: NOW) == 0
    generations.append(annotate(experiment, SECOND, others[1]))
    assert open_experiment_cases(clock=lambda: NOW) == 1
    assert open_experiment_cases(clock=lambda: NOW) == 0
    case = Case.objects.get(item=gold.item, attempt=1)
    assert {source.submission for source in case.sources.all()} == set(generations)
    assert publish_case(case_id=case.pk, now=NOW)
    case.refresh_from_db()
    excluded = [*participants_of(gold), *others[:2]]
    assert requirement(case.task.hit)["integers"] == sorted(
        numbers[worker.pk] for worker in excluded
    )
    assert not progress_of(experiment=experiment).is_finished
    content = consolidation_of()
    if case.sources.get(position=0).submission != generations[0]:
        for question in content["questions"]:
            question["source"]["submission"] = 1 - question["source"]["submission"]
    consolidate(case, content, others[2])
    progress = progress_of(experiment=experiment)
    assert (progress.accepted, progress.wanted, progress.consolidated, progress.to_consolidate) == (
        2,
        2,
        1,
        1,
    )
    assert progress.is_finished
    items = items_of_experiment(experiment=experiment)
    report = consolidation_agreement(project=project, disjoint=True, among=items)
    assert (report.items, report.figures["UA"].value) == (1, 1)
    workers = worker_agreement(project=project, among=items)
    assert len(workers.pairs) == 6
    # The experiment's annotations measure the gold, and are not part of its sources.
    annotations = annotations_for_gold(project=project)
    assert sorted(annotation.role for annotation in annotations) == [
        "consolidator",
        "generator",
        "generator",
    ]
    assert {annotation.worker for annotation in annotations} == set(participants_of(gold))
    assert items_of(project=project).get().generations == 2


def test_experiment_without_consolidation_opens_no_case(gold):
    others = [make_worker(), make_worker()]
    make_pool(gold.item.project, "generator", others)
    experiment = start_experiment(gold, generators=2)
    for worker in others:
        annotate(experiment, FIRST, worker)
    assert open_experiment_cases(clock=lambda: NOW) == 0
    assert progress_of(experiment=experiment).is_finished


def test_item_is_used_in_only_one_experiment(gold):
    make_pool(gold.item.project, "generator", [make_worker(), make_worker()])
    start_experiment(gold)
    with pytest.raises(ExperimentError, match="no consolidated item"):
        start_experiment(gold)
    assert Experiment.objects.count() == 1


@pytest.mark.parametrize("more", [{"count": 0}, {"generators": 0}, {"generators": 10}])
def test_invalid_numbers_are_refused(gold, more):
    make_pool(gold.item.project, "generator", [make_worker() for _ in range(10)])
    with pytest.raises(ExperimentError, match="one to nine"):
        start_experiment(gold, **more)


def test_missing_pool_or_workers_offers_nothing(gold):
    with pytest.raises(ExperimentError, match="needs a trained pool"):
        start_experiment(gold)
    make_pool(gold.item.project, "generator", [*participants_of(gold), make_worker()])
    with pytest.raises(
        ExperimentError, match="needs 2 workers who did not contribute to it, but only 1"
    ):
        start_experiment(gold)
    assert not Experiment.objects.exists()
    assert not TaskItem.objects.filter(attempt=1).exists()


def test_insufficient_budget_changes_nothing(gold):
    make_pool(gold.item.project, "generator", [make_worker(), make_worker()])
    budget = gold.item.project.budget
    budget.refresh_from_db()
    budget.cap_cents = budget.reserved_cents + budget.spent_cents + 1
    budget.save()
    with pytest.raises(BudgetExceededError):
        start_experiment(gold)
    assert not TaskItem.objects.filter(attempt=1).exists()


def test_command_starts_an_experiment_and_explains_errors(gold):
    slug = gold.item.project.slug
    with pytest.raises(CommandError, match="needs a trained pool") as refused:
        call_command("agreement", slug, "--again", "3")
    assert refused.value.returncode == 2
    others = [make_worker(), make_worker()]
    make_pool(gold.item.project, "generator", others)
    names = ",".join(worker.pseudonym for worker in others)
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
