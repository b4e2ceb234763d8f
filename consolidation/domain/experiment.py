"""Experiments on agreement: items done again, by other people, through the ordinary machinery."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from annotation.domain.publish import (
    DESCRIPTION,
    PAGE,
    TITLE,
    Offer,
    create_batch,
    offer_items,
)
from annotation.domain.qualification_codes import pool_code
from annotation.domain.queries import generation_cents
from annotation.enums import Role, SubmissionState
from annotation.models import Item, Project, Submission, Task
from audit.domain.change_state import log_state_change
from consolidation.domain.second_consolidation import open_second_case
from consolidation.enums import CaseState
from consolidation.models import Case, Experiment
from crowd.domain.qualifications import group_requirement, requirement_for
from crowd.enums import GrantState
from crowd.models import QualificationGrant, QualificationType, Worker

PLACE = 1  # of a generation that is offered again; see TaskItem


class ExperimentRefused(Exception):
    """The experiment can't begin; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an experiment would offer, and what it costs at most, in cents, fees included."""

    items: list[Item]
    generators: int
    cents: int


def plan_experiment(*, project: Project, count: int, generators: int | None) -> Plan:
    """The next `count` items of the seeded shuffle whose gold is consolidated and that no experiment
    has had; `generators` for each, as many as in production where None. Raises ExperimentRefused."""
    many = project.generators_per_item if generators is None else generators
    if count < 1 or not 1 <= many <= 9:
        raise ExperimentRefused("An experiment needs an item or more, and one to nine generators.")
    items = (
        project.items.filter(cases__place=0, cases__state=CaseState.CONSOLIDATED)
        .exclude(cases__place__gt=0)
        .exclude(task_items__role=Role.GENERATOR, task_items__place=PLACE)
        .order_by("position", "pk")
    )
    chosen = list(items[:count])
    if not chosen:
        raise ExperimentRefused(
            f"{project.slug} has no consolidated item that was not annotated again already."
        )
    one = generation_cents(project=project, count=1) // project.generators_per_item
    return Plan(chosen, many, one * many * len(chosen))


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
    """Offer items again, all or nothing, each closed to those who worked on it; the sweep makes the
    HITs. Without `generators` each item gets as many as in production and then a second consolidation
    (disjoint teams). With `workers` only these may take them, else the whole trained pool.

    Raises ExperimentRefused, BudgetExceeded.
    """
    Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    plan = plan_experiment(project=project, count=count, generators=generators)
    pool = QualificationType.objects.filter(
        provider=project.provider, code=pool_code(project, Role.GENERATOR)
    ).first()
    if pool is None:
        raise ExperimentRefused(
            "An experiment needs the trained pool of generators: only by their qualification can those "
            "who worked on an item be kept from it."
        )
    holders = _holders(pool, workers)
    batch = create_batch(
        project=project,
        role=Role.GENERATOR,
        title=TITLE,
        description=DESCRIPTION,
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
        offer_items(
            batch=batch,
            offers=[Offer([item], PLACE)],
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
        grants = grants.filter(worker__in=[one.pk for one in workers])
    return list(grants.order_by("value"))


def _requirement(
    pool: QualificationType,
    holders: Sequence[QualificationGrant],
    item: Item,
    generators: int,
    *,
    chosen: bool,
) -> dict[str, Any]:
    """Who may take the item's HIT: holders whose number nobody holds who worked on it. Raises
    ExperimentRefused where they are too few."""
    involved = set(_involved(item).values_list("pk", flat=True))
    taken = set(pool.grants.filter(worker__in=involved).values_list("value", flat=True))
    free = [one for one in holders if one.value not in taken]
    if len(free) < generators:
        raise ExperimentRefused(
            f"Item {item.key} needs {generators} people who had no part in it; "
            f"{len(free)} of those who may take it had none."
        )
    if chosen:
        return group_requirement(qualification=pool, values=[one.value for one in free])
    return requirement_for(qualification=pool, without=Worker.objects.filter(pk__in=involved))


def _involved(item: Item) -> QuerySet[Worker]:
    return Worker.objects.filter(submissions__item=item).distinct()


# --- while it runs -------------------------------------------------------------------------------


def items_of_experiment(*, experiment: Experiment) -> QuerySet[Item]:
    return experiment.project.items.filter(
        task_items__task__batch=experiment.batch_id, task_items__place=PLACE
    )


def open_experiment_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Open the second case of up to `limit` items whose fresh generations are all accepted; returns how
    many. They are offered as first cases are."""
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
        .exclude(cases__place=1)
        .annotate(fresh=fresh)
        .filter(fresh__gte=F("project__generators_per_item"))
        .order_by("pk")
    )
    opened = 0
    for item in due[:limit]:
        opened += open_second_case(item=item, now=clock())
    return opened


@dataclass(frozen=True, slots=True)
class ExperimentProgress:
    """How far an experiment is: its items, generations accepted of those wanted, second
    consolidations finished of those wanted (0 where none are)."""

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
    second = Case.objects.filter(item__in=items, place=1, state=CaseState.CONSOLIDATED)
    return ExperimentProgress(
        items=count,
        accepted=accepted.count(),
        wanted=count * experiment.generators,
        consolidated=second.count() if experiment.consolidates else 0,
        to_consolidate=count if experiment.consolidates else 0,
    )


def annotations_for_gold(*, project: Project) -> QuerySet[Submission]:
    """The accepted annotations that gold is made of: not those of rounds of training, nor of experiments
    on agreement."""
    accepted = Submission.objects.accepted().filter(item__project=project)
    kept = accepted.filter(item__in_production=True)
    again = list(project.experiments.values_list("batch", flat=True))
    if again:
        kept = kept.exclude(assignment__hit__in=Task.objects.filter(batch__in=again).values("hit"))
    second = Task.objects.filter(case__item__project=project, case__place__gt=0)
    if second.exists():
        kept = kept.exclude(assignment__hit__in=second.values("hit"))
    return kept
