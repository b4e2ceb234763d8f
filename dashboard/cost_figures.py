"""What a project's work has cost: per item, per step, per day, and what an hour of it has earned."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Sum
from django.db.models.functions import TruncDate

from annotation.domain.queries import Cost, cost_by_role, settled_entries
from annotation.enums import Role
from annotation.models import Project, Submission
from consolidation.domain.queries import finished_costs
from dashboard.cost_chart import Distribution, distribution_of


@dataclass(frozen=True, slots=True)
class StepCost:
    """What one role's work has cost, and the seconds that it took its workers."""

    name: str
    cost: Cost
    active_seconds: int

    @property
    def hourly_cents(self) -> float | None:
        return hourly_cents(self.cost.amount_cents, self.active_seconds)


@dataclass(frozen=True, slots=True)
class CostFigures:
    """`to_workers` is the mean of what a finished item has brought its workers, in cents (None
    without finished items)."""

    distribution: Distribution
    to_workers: float | None
    steps: tuple[StepCost, ...]
    days: tuple[tuple[date, Cost], ...]

    @property
    def total(self) -> Cost:
        return sum((one.cost for one in self.steps), Cost())


def hourly_cents(earned_cents: int, active_seconds: int) -> float | None:
    """What an hour of active time has earned, in cents; None before any time is known."""
    return earned_cents * 3600 / active_seconds if active_seconds else None


def cost_figures_of(*, project: Project) -> CostFigures:
    """Everything that the costs page adds up; fees included except where workers are named."""
    finished = finished_costs(project=project)
    to_workers = sum(one.amount_cents for one in finished)
    return CostFigures(
        distribution=distribution_of([one.total_cents for one in finished]),
        to_workers=to_workers / len(finished) if finished else None,
        steps=_steps(project),
        days=_days(project),
    )


def _steps(project: Project) -> tuple[StepCost, ...]:
    costs = cost_by_role(project=project)
    worked = Submission.objects.filter(item__project=project, worker__isnull=False)
    seconds = dict(worked.order_by().values_list("role").annotate(n=Sum("active_seconds")))
    names = {**{role.value: role.label for role in Role}, "": "compensation"}
    return tuple(
        StepCost(name, costs[role], seconds.get(role, 0))
        for role, name in names.items()
        if role in costs
    )


def _days(project: Project) -> tuple[tuple[date, Cost], ...]:
    """Days on which something was paid, by UTC, the newest first."""
    rows = settled_entries(project=project).annotate(day=TruncDate("at")).values_list("day")
    sums = rows.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents")).order_by("-day")
    return tuple((day, Cost(amount, fee)) for day, amount, fee in sums)
