"""Agreement experiments, in which other workers repeat items through the usual pipeline."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.domain.publishing.publish import PAGE, TaskPlan, create_batch, publish_items
from annotation.domain.publishing.qualification_codes import pool_of
from annotation.domain.publishing.queries import generation_cents
from annotation.enums import SubmissionState
from annotation.models import Item, Submission, Task
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.cases.second_consolidation import open_second_case, second_cases
from consolidation.enums import CaseState
from consolidation.models import Case, Experiment
from crowd.domain.workers.qualifications import group_requirement, requirement_for
from crowd.enums import GrantState
from crowd.models import QualificationGrant, QualificationType, Worker
from jobs.domain.sweep import for_each_row
from projects.enums import Role
from projects.models import Project

REPEATED_ATTEMPT = 1  # the attempt number of repeated generations; see TaskItem


class ExperimentError(TouchstoneError):
    """The experiment can't start. The message explains why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The items of an experiment and its maximum cost in cents, including fees."""

    items: list[Item]
    generators: int
    cents: int


def plan_experiment(*, project: Project, count: int, generators: int | None) -> Plan:
    """Plan an experiment on the next `count` consolidated items of the seeded shuffle.

    Items of earlier experiments are skipped. Without `generators`, each item gets as many as in
    production. Raise ExperimentError.
    """
    number = project.generators_per_item if generators is None else generators
    if count < 1 or not 1 <= number <= 9:
        raise ExperimentError("An experiment needs at least one item and one to nine generators.")
    items = (
        project.items.filter(cases__attempt=0, cases__state=CaseState.CONSOLIDATED)
        .exclude(cases__attempt__gt=0)
        .exclude(task_items__role=Role.GENERATOR, task_items__attempt=REPEATED_ATTEMPT)
        .order_by("position", "pk")
    )
    chosen = list(items[:count])
    if not chosen:
        raise ExperimentError(f"{project.slug} has no consolidated item left to annotate again.")
    cents = generation_cents(project=project, count=1) // project.generators_per_item
    return Plan(chosen, number, cents * number * len(chosen))


@transaction.atomic
def begin_experiment(
    *,
    project: Project,
    count: int,
    generators: int | None,
    workers: Collection[Worker] = (),
    by: str,
    now: datetime,
) -> Experiment:
    """Publish items again, each closed to the workers who contributed to it.

    Without `generators`, each item gets as many as in production and then a second consolidation,
    so that the teams are disjoint. With `workers`, only these may accept the HITs. Otherwise the
    whole trained pool may.

    Publication is all or nothing, and a sweep creates the HITs. Raise ExperimentError,
    BudgetExceededError.
    """
    Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    plan = plan_experiment(project=project, count=count, generators=generators)
    pool = pool_of(project=project, role=Role.GENERATOR)
    if pool is None:
        raise ExperimentError(
            "An experiment needs a trained pool of generators, whose qualification is used to exclude "
            "an item's contributors."
        )
    holders = _holders(pool, workers)
    batch = create_batch(
        project=project,
        role=Role.GENERATOR,
        qualifications=[],
        now=now,
    )
    experiment = Experiment.objects.create(
        project=project,
        batch=batch,
        generators=plan.generators,
        consolidates=generators is None,
        started_by=by,
        started_at=now,
    )
    for item in plan.items:
        own = _requirement(pool, holders, item, plan.generators, chosen=bool(workers))
        publish_items(
            batch=batch,
            plans=[TaskPlan([item], REPEATED_ATTEMPT)],
            page=PAGE,
            now=now,
            qualifications=[*batch.qualifications, own],
            max_assignments=plan.generators,
        )
    log_state_change(instance=experiment, old="", new="begun", actor=by, now=now)
    return experiment


def _holders(pool: QualificationType, workers: Collection[Worker]) -> list[QualificationGrant]:
    grants = pool.grants.filter(state__in=[GrantState.PENDING, GrantState.HELD])
    if workers:
        grants = grants.filter(worker__in=[worker.pk for worker in workers])
    return list(grants.order_by("value"))


def _requirement(
    pool: QualificationType,
    holders: Sequence[QualificationGrant],
    item: Item,
    generators: int,
    *,
    chosen: bool,
) -> dict[str, Any]:
    """Return the requirement for the item's HIT, which excludes its contributors.

    Workers are excluded by their qualification values. Raise ExperimentError if too few workers
    remain.
    """
    involved = set(item.submissions.exclude(worker=None).values_list("worker", flat=True))
    taken = set(pool.grants.filter(worker__in=involved).values_list("value", flat=True))
    free = [grant for grant in holders if grant.value not in taken]
    if len(free) < generators:
        raise ExperimentError(
            f"Item {item.key} needs {generators} workers who did not contribute to it, but only "
            f"{len(free)} are available."
        )
    if chosen:
        return group_requirement(qualification=pool, values=[grant.value for grant in free])
    return requirement_for(qualification=pool, without=Worker.objects.filter(pk__in=involved))


def items_of_experiment(*, experiment: Experiment) -> QuerySet[Item]:
    return experiment.project.items.filter(
        task_items__task__batch=experiment.batch_id, task_items__attempt=REPEATED_ATTEMPT
    )


def open_experiment_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Open up to `limit` second cases of items with all repeated generations accepted.

    Return the number opened. They are published in the same way as first cases.
    """
    fresh = Count(
        "submissions",
        filter=Q(
            submissions__role=Role.GENERATOR,
            submissions__state=SubmissionState.ACCEPTED,
            submissions__assignment__hit__task__batch__experiment__consolidates=True,
        ),
    )
    due = (
        Item.objects.filter(task_items__task__batch__experiment__consolidates=True)
        .exclude(cases__attempt=1)
        .annotate(fresh=fresh)
        .filter(fresh__gte=F("project__generators_per_item"))
        .order_by("pk")
    )
    return for_each_row(
        sweep="open second cases",
        rows=due,
        process=lambda item, now: open_second_case(item=item, now=now),
        clock=clock,
        limit=limit,
    )


@dataclass(frozen=True, slots=True)
class ExperimentProgress:
    """An experiment's accepted generations and consolidations, and their targets.

    The targets are `wanted` and `to_consolidate` (0 without second consolidations).
    """

    items: int
    accepted: int
    wanted: int
    consolidated: int
    to_consolidate: int

    @property
    def is_finished(self) -> bool:
        return self.accepted >= self.wanted and self.consolidated >= self.to_consolidate


def progress_of(*, experiment: Experiment) -> ExperimentProgress:
    items = items_of_experiment(experiment=experiment).values("pk")
    count = items.count()
    accepted = Submission.objects.accepted().filter(
        assignment__hit__task__batch=experiment.batch_id, role=Role.GENERATOR
    )
    second = Case.objects.filter(item__in=items, attempt=1, state=CaseState.CONSOLIDATED)
    return ExperimentProgress(
        items=count,
        accepted=accepted.count(),
        wanted=count * experiment.generators,
        consolidated=second.count() if experiment.consolidates else 0,
        to_consolidate=count if experiment.consolidates else 0,
    )


def experiment_tasks(*, project: Project) -> QuerySet[Task]:
    """Return the tasks that repeat items to measure agreement."""
    second = second_cases(project=project)
    repeated = Q(batch__experiment__isnull=False) | Q(case_task__case__in=second)
    return Task.objects.filter(repeated, batch__project=project)


def without_experiments(
    submissions: QuerySet[Submission], *, project: Project
) -> QuerySet[Submission]:
    """Leave out the work in the project's agreement experiments."""
    batches = list(project.experiments.values_list("batch", flat=True))
    if not batches:
        return submissions
    tasks = Task.objects.filter(batch__in=batches)
    return submissions.filter(~_of(tasks))


def annotations_for_gold(
    *, project: Project, states: Collection[str] = (SubmissionState.ACCEPTED,)
) -> QuerySet[Submission]:
    """Return the annotations in these states that contribute to gold.

    Work in training rounds and agreement experiments is excluded.
    """
    own = Submission.objects.filter(
        item__project=project, item__in_production=True, state__in=states
    )
    accepted = without_experiments(own, project=project)
    second = Task.objects.filter(case_task__case__in=second_cases(project=project))
    if second.exists():
        accepted = accepted.filter(~_of(second))
    return accepted


def _of(tasks: QuerySet[Task]) -> Exists:
    """Return the condition that a submission is an answer to one of the tasks."""
    return Exists(tasks.filter(hit=OuterRef("assignment__hit")))
