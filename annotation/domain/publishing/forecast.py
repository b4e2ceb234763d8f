"""Forecast the cost of outstanding work from the expected cost of an assignment.

The cost of an assignment varies with the number of units found. From n assignments with mean m and
variance s², k more cost k·m ± 1.96·s·sqrt(k + k²/n) (normal approximation, 95 %, see
`annotation.domain.publishing.cost_model`). The first term is the variation of the k assignments, the
second the uncertainty of the mean.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import variance
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Sum

from annotation.domain.publishing.cost_model import ENOUGH, RoleCost, role_costs
from annotation.domain.publishing.expected_revisions import Revisions, revisions_to_come
from annotation.domain.publishing.publish import terms_of
from annotation.models import TaskItem
from crowd.domain.money.hit_reservations import HitTerms, place_cents
from crowd.domain.money.pay_scheme import bonus_cents
from crowd.enums import AssignmentState, HitState
from crowd.models import Hit, HitType
from projects.enums import Role
from projects.models import Project
from projects.protocols import TERMS

SIGMAS = 1.96


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast cost of a role, in cents with fees.

    `offered` places are open or undecided, and `to_come` places are not published yet, for which
    `to_come_cents` are expected. `seen`
    counts the assignments behind the forecast. If there are too few, it is 0, `expected_cents` is an
    assumption, and the range goes from the rewards without bonus to what publishing reserves.
    """

    role: str
    offered: int
    to_come: int
    seen: int
    low_cents: int
    expected_cents: int
    high_cents: int
    to_come_cents: int = 0

    @property
    def places(self) -> int:
        return self.offered + self.to_come


def forecast_costs(*, project: Project) -> list[Forecast]:
    """Return a forecast for each role of the protocol, in the pay scheme's order."""
    revisions = revisions_to_come(project)
    return [_forecast(project, cost, revisions) for cost in role_costs(project=project)]


def total_of(forecasts: Iterable[Forecast]) -> tuple[int, int, int]:
    """Return (low, expected, high) cents for all roles together.

    Roles vary independently, so the squares of their prediction intervals add up. The ranges of roles
    without enough data are limits, which add up themselves.
    """
    rows = list(forecasts)
    expected = sum(row.expected_cents for row in rows)
    below = _joint([(row.expected_cents - row.low_cents, row.seen) for row in rows])
    above = _joint([(row.high_cents - row.expected_cents, row.seen) for row in rows])
    return round(expected - below), expected, round(expected + above)


def forecast_json(*, project: Project, forecasts: Iterable[Forecast]) -> dict[str, Any]:
    """Return the forecast as JSON, beside what is spent and reserved."""
    rows = list(forecasts)
    low, expected, high = total_of(rows)
    return {
        "spent_cents": project.budget.spent_cents,
        "reserved_cents": project.budget.reserved_cents,
        "low_cents": low,
        "expected_cents": expected,
        "high_cents": high,
        "roles": [asdict(forecast) for forecast in rows],
    }


def _joint(spreads: Iterable[tuple[int, int]]) -> float:
    """Return the spread of a sum from the spreads of its parts and the assignments behind them."""
    rows = list(spreads)
    limits = sum(spread for spread, seen in rows if not seen)
    return limits + sqrt(sum(spread**2 for spread, seen in rows if seen))


def _forecast(project: Project, cost: RoleCost, revisions: Revisions) -> Forecast:
    """Return the role's forecast. Its range includes the smallest and largest number of revisions."""
    role = cost.role
    offered = _offered(project, role)
    unpublished = _unpublished(project, role)
    few, likely, many = (
        _to_come(project, role, unpublished, number)
        for number in (0, revisions.expected, revisions.most)
    )
    low, _, _ = _range(project, cost, offered + few)
    _, expected, _ = _range(project, cost, offered + likely)
    _, _, high = _range(project, cost, offered + many)
    _, to_come_cents, _ = _range(project, cost, likely)
    return Forecast(role, offered, likely, cost.seen, low, expected, high, to_come_cents)


def _range(project: Project, cost: RoleCost, places: int) -> tuple[int, int, int]:
    bare, place = _bounds(project, cost.role)
    expected = places * cost.total_cents
    if cost.seen < ENOUGH:
        low, high = bare * places, place * places
        return low, round(min(max(low, expected), high)), high
    spread = SIGMAS * sqrt(variance(cost.costs) * (places + places**2 / cost.seen))
    low = max(bare * places, round(expected - spread))
    return min(low, round(expected)), round(expected), round(expected + spread)


def _bounds(project: Project, role: str) -> tuple[int, int]:
    """Return the cost of an assignment without a bonus and with the whole allowance."""
    terms = terms_of(project, role)
    hit_type = HitType(provider=project.provider, reward_cents=terms["reward_cents"])
    many = project.redundancy(role)
    allowance = bonus_cents(terms, terms["allowance_units"])
    bare, place = (sum(place_cents(hit_type, HitTerms(many, 0, most))) for most in (0, allowance))
    return bare, place


def _offered(project: Project, role: str) -> int:
    """Return the number of places that are open, plus the undecided assignments."""
    hits = Hit.objects.filter(task__batch__project=project, task__role=role)
    running = hits.filter(state__in=[HitState.PENDING, HitState.LIVE])
    places: int = running.aggregate(n=Sum("max_assignments", default=0))["n"]
    taken: int = running.aggregate(n=Count("assignments"))["n"]
    waiting = Q(assignments__state=AssignmentState.SUBMITTED)
    undecided: int = hits.aggregate(n=Count("assignments", filter=waiting))["n"]
    return max(0, places - taken) + undecided


def _unpublished(project: Project, role: str) -> int:
    """Return the number of items that were never published for the role."""
    offered = TaskItem.objects.filter(role=role, item=OuterRef("pk"))
    return project.items.filter(~Exists(offered), in_production=True).count()


def _to_come(project: Project, role: str, unpublished: int, revisions: int) -> int:
    """Return the number of places that are not published yet, with this number of revisions."""
    if role == Role.REVISER:
        return revisions
    again = 0
    if TERMS[project.protocol].is_revised and role == Role.VALIDATOR:
        again = revisions + _offered(project, Role.REVISER)
    return (unpublished + again) * project.redundancy(role)
