"""The settings of adaptive redundancy, what became of its items, and the curve to choose a target by."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count

from annotation.domain.publishing.cost_model import role_costs
from annotation.domain.publishing.redundancy import (
    can_be_adaptive,
    end_adaptive,
    spent_cents,
    undecided,
)
from annotation.models import Redundancy
from audit.errors import TouchstoneError
from datasets.models import CertaintyFit
from projects.charts import Column, PageChart
from projects.domain.change_project import change_settings
from projects.enums import Role
from projects.models import Project
from web.charts import Axis, Chart, Series, Unit
from web.money import dollars


class NotAdaptiveError(TouchstoneError):
    """The protocol of the project leaves no choice."""


@dataclass(frozen=True, slots=True)
class AdaptiveState:
    """The numbers of items by what became of them, and the money for people after the first annotators.

    `waiting` items have no decision yet, because they wait for an annotation, for estimates or for money.
    """

    audited: int
    accepted: int
    consolidated: int
    waiting: int
    spent_cents: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CostPoint:
    """What a target in percent costs per item, in cents with fees, and what it gives.

    Shares are in [0, 1]. `saved` is the share of the cost of the protocol's number of people.
    """

    target: int
    cents: float
    saved: float
    annotators: float
    accepted: float
    coverage: float
    precision: float


@transaction.atomic
def set_adaptive(
    *, project: Project, percent: int | None, cents: int | None, actor: str, now: datetime
) -> list[str]:
    """Set the target and the budget, or turn adaptive redundancy off with None. Describe the changes.

    Turned off, undecided items get the people of the protocol. Raise NotAdaptiveError.
    """
    if percent is not None and not can_be_adaptive(project):
        raise NotAdaptiveError(
            "Adaptive redundancy needs the protocol with consolidation, at least two annotators per "
            "item, and no annotation of what the text only implies."
        )
    wanted = {"adaptive_percent": percent, "adaptive_cents": None if percent is None else cents}
    changes = change_settings(project=project, wanted=wanted, actor=actor, now=now)
    if percent is None:
        end_adaptive(project)
    elif changes:
        undecided(project).update(looked_at=None)
    return changes


def adaptive_state(*, project: Project) -> AdaptiveState:
    """Return what has become of the items that were published with adaptive redundancy."""
    rows = Redundancy.objects.filter(item__project=project, item__in_production=True)
    counts = {
        (is_audited, decision): count
        for is_audited, decision, count in rows.order_by()
        .values_list("is_audited", "decision")
        .annotate(n=Count("pk"))
    }
    return AdaptiveState(
        audited=counts.get((True, "consolidate"), 0),
        accepted=counts.get((False, "accept"), 0),
        consolidated=counts.get((False, "consolidate"), 0),
        waiting=counts.get((False, ""), 0),
        spent_cents=spent_cents(project),
    )


def cost_points(*, project: Project, fit: CertaintyFit) -> tuple[float, list[CostPoint]]:
    """Return the cents of an item with the protocol's number of people, and the points of targets."""
    costs = {cost.role: cost.total_cents for cost in role_costs(project=project)}
    generator, consolidator = costs[Role.GENERATOR], costs.get(Role.CONSOLIDATOR, 0)
    everybody = generator * project.generators_per_item + consolidator
    points = []
    for row in fit.redundancy:
        cents = generator * row["annotators"] + consolidator * row["consolidations"]
        points.append(
            CostPoint(
                target=row["target"],
                cents=cents,
                saved=1 - cents / everybody if everybody else 0.0,
                annotators=row["annotators"],
                accepted=row["accepted"],
                coverage=row["coverage"],
                precision=row["precision"],
            )
        )
    return everybody, points


def adaptive_chart(*, project: Project, now: datetime) -> PageChart:
    """Return the cost of an item against what its gold covers, by target, if there are estimates."""
    fit = CertaintyFit.objects.filter(project=project).first()
    everybody, points = cost_points(project=project, fit=fit) if fit else (0.0, [])
    chart = Chart(
        "Cost and coverage",
        Axis("Cost of an item", Unit.DOLLARS),
        Axis("Of the gold that people made", Unit.PERCENT),
        [
            Series("Coverage", [(point.cents, point.coverage) for point in points]),
            Series("Precision", [(point.cents, point.precision) for point in points]),
        ],
        marks={f"full protocol {dollars(everybody)}": everybody},
    )
    return PageChart(
        name="cost-and-coverage",
        title="Cost and coverage",
        description=(
            "What items cost and what their gold has of the gold that people made, by target. Replayed "
            "on the items that several annotators and a consolidator worked on."
        ),
        columns=(
            Column("target", "Target", Unit.PERCENT),
            Column("cents", "Cost of an item", Unit.DOLLARS),
            Column("saved", "Saved", Unit.PERCENT),
            Column("annotators", "Annotators", None),
            Column("accepted", "Accepted without a consolidation", Unit.PERCENT),
            Column("coverage", "Coverage", Unit.PERCENT),
            Column("precision", "Precision", Unit.PERCENT),
        ),
        rows=[
            (
                point.target / 100,
                point.cents,
                point.saved,
                f"{point.annotators:.2f}",
                point.accepted,
                point.coverage,
                point.precision,
            )
            for point in points
        ],
        counted_at=fit.fitted_at if fit else now,
        chart=chart if points else None,
        empty="The curve needs items with gold that two annotators and a consolidator worked on.",
    )
