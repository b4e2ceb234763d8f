"""A project's costs per item, step and day, and the hourly earnings of workers."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Sum
from django.db.models.functions import TruncDate

from annotation.domain.publishing.queries import Cost, settled_entries
from annotation.models import Submission
from consolidation.domain.cases.experiment import annotations_for_gold
from consolidation.domain.cases.queries import cost_by_step, finished_costs
from datasets.domain.costs.cost_distribution import Distribution, distribution_of
from projects.enums import Role
from projects.models import Project


@dataclass(frozen=True, slots=True)
class StepCost:
    """The cost and active seconds of a role's work in production or of training, or other costs."""

    name: str
    cost: Cost
    active_seconds: int | None

    @property
    def hourly_cents(self) -> float | None:
        return hourly_cents(self.cost.amount_cents, self.active_seconds or 0)


@dataclass(frozen=True, slots=True)
class CostFigures:
    """A project's cost figures.

    `to_workers` is the mean amount paid to workers per finished item, in cents (None without
    finished items).
    """

    distribution: Distribution
    to_workers: float | None
    steps: tuple[StepCost, ...]
    days: tuple[tuple[date, Cost], ...]

    @property
    def total(self) -> Cost:
        return sum((step.cost for step in self.steps), Cost())


def hourly_cents(earned_cents: int, active_seconds: int) -> float | None:
    """Return the earnings per hour of active time in cents, or None without active time."""
    return earned_cents * 3600 / active_seconds if active_seconds else None


def cost_figures_of(*, project: Project) -> CostFigures:
    """Return the project's cost figures. Fees are included except in `to_workers`."""
    finished = finished_costs(project=project)
    to_workers = sum(cost.amount_cents for cost in finished)
    rows = settled_entries(project=project).annotate(day=TruncDate("at")).values_list("day")
    sums = rows.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents")).order_by("-day")
    return CostFigures(
        distribution=distribution_of([cost.total_cents for cost in finished]),
        to_workers=to_workers / len(finished) if finished else None,
        steps=step_costs(project),
        days=tuple((day, Cost(amount, fee)) for day, amount, fee in sums),
    )


def step_costs(project: Project) -> tuple[StepCost, ...]:
    """Return the cost and active seconds of each role's work, of training and of other payments."""
    costs = cost_by_step(project=project)
    worked = annotations_for_gold(project=project).filter(worker__isnull=False)
    seconds = dict(worked.order_by().values_list("role").annotate(n=Sum("active_seconds")))
    training = Submission.objects.accepted().filter(
        item__project=project, item__in_production=False
    )
    in_training = training.filter(item__withdrawn_at=None, worker__isnull=False)
    seconds["training"] = in_training.aggregate(n=Sum("active_seconds"))["n"]
    names = {
        **{role.value: role.label for role in Role},
        "training": "training rounds",
        "experiments": "agreement experiments",
        "": "compensation",
    }
    return tuple(
        StepCost(name, costs[role], seconds.get(role))
        for role, name in names.items()
        if role in costs
    )
