"""Forecast the cost of outstanding work from the cost of decided work.

The cost of an assignment varies with the number of units found. From n decided assignments with
mean m and variance s², k more cost k·m ± 1.96·s·sqrt(k + k²/n) (normal approximation, 95 %). The
first term is the variation of the k assignments, the second the uncertainty of the mean.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance

from django.db.models import Count, F, Q, Sum

from annotation.domain.expected_revisions import Revisions, revisions_to_come
from annotation.domain.publish import terms_of
from annotation.models import TaskItem
from crowd.domain.pay_scheme import bonus_cents
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Hit, HitType, Payment
from projects.enums import Role
from projects.models import Project
from projects.protocols import TERMS

SIGMAS = 1.96
# The variance of fewer decided assignments is not reliable.
ENOUGH = 5


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast cost of a role, in cents with fees.

    `offered` places are open or undecided, and `to_come` places are not published yet. `seen`
    counts the decided assignments behind the forecast. With too few of them, `expected_cents` is
    the amount that publishing reserves, and the range starts at the rewards without bonus.
    """

    role: str
    offered: int
    to_come: int
    seen: int
    low_cents: int
    expected_cents: int
    high_cents: int

    @property
    def places(self) -> int:
        return self.offered + self.to_come


def forecast_costs(*, project: Project) -> list[Forecast]:
    """Return a forecast for each role of the protocol, in the pay scheme's order."""
    revisions = revisions_to_come(project)
    return [
        _forecast(project, role, revisions)
        for role in project.pay_scheme
        if project.redundancy(role)
    ]


def total_of(forecasts: Iterable[Forecast]) -> tuple[int, int, int]:
    """Return (low, expected, high) cents for all roles together.

    The roles vary independently, so the squares of their spreads add up.
    """
    rows = list(forecasts)
    expected = sum(row.expected_cents for row in rows)
    below = sqrt(sum((row.expected_cents - row.low_cents) ** 2 for row in rows))
    above = sqrt(sum((row.high_cents - row.expected_cents) ** 2 for row in rows))
    return round(expected - below), expected, round(expected + above)


def _forecast(project: Project, role: str, revisions: Revisions) -> Forecast:
    """Return the role's forecast. Its range includes the smallest and largest number of revisions."""
    costs = _costs(project, role)
    offered = _offered(project, role)
    few, likely, many = (
        _to_come(project, role, number) for number in (0, revisions.expected, revisions.most)
    )
    low, _, _ = _range(project, role, costs, offered + few)
    _, expected, _ = _range(project, role, costs, offered + likely)
    _, _, high = _range(project, role, costs, offered + many)
    return Forecast(role, offered, likely, len(costs), low, expected, high)


def _range(project: Project, role: str, costs: list[int], places: int) -> tuple[int, int, int]:
    bare, slot = _bounds(project, role)
    if len(costs) < ENOUGH:
        return bare * places, slot * places, slot * places
    expected = places * fmean(costs)
    spread = SIGMAS * sqrt(variance(costs) * (places + places**2 / len(costs)))
    low = max(bare * places, round(expected - spread))
    return min(low, round(expected)), round(expected), round(expected + spread)


def _bounds(project: Project, role: str) -> tuple[int, int]:
    """Return the cost of an assignment without a bonus and with the whole allowance."""
    terms = terms_of(project, role)
    hit_type = HitType(reward_cents=terms["reward_cents"])
    many = project.redundancy(role)
    allowance = bonus_cents(terms, terms["allowance_units"])
    bare, slot = (sum(slot_cents(hit_type, HitTerms(many, 0, most))) for most in (0, allowance))
    return bare, slot


def _costs(project: Project, role: str) -> list[int]:
    """Return the cost of each decided assignment, paid or owed."""
    owed = Payment.objects.filter(
        assignment__hit__task__batch__project=project, assignment__hit__task__role=role
    ).exclude(state=PaymentState.FAILED)
    sums = owed.order_by().values("assignment").annotate(n=Sum(F("amount_cents") + F("fee_cents")))
    return list(sums.values_list("n", flat=True))


def _offered(project: Project, role: str) -> int:
    """Return the number of places that are open, plus the undecided assignments."""
    hits = Hit.objects.filter(task__batch__project=project, task__role=role)
    running = hits.filter(state__in=[HitState.PENDING, HitState.LIVE])
    places: int = running.aggregate(n=Sum("max_assignments", default=0))["n"]
    taken: int = running.aggregate(n=Count("assignments"))["n"]
    waiting = Q(assignments__state=AssignmentState.SUBMITTED)
    undecided: int = hits.aggregate(n=Count("assignments", filter=waiting))["n"]
    return max(0, places - taken) + undecided


def _to_come(project: Project, role: str, revisions: int) -> int:
    """Return the number of places that are not published yet, with this number of revisions."""
    if role == Role.REVISER:
        return revisions
    again = 0
    if TERMS[project.protocol].is_revised and role == Role.VALIDATOR:
        again = revisions + _offered(project, Role.REVISER)
    offered = TaskItem.objects.filter(role=role, item__project=project).values("item")
    never = project.items.filter(in_production=True).exclude(pk__in=offered).count()
    return (never + again) * project.redundancy(role)
