"""What the work still to come will cost, judged by what it has cost so far.

The cost of one assignment varies with what the worker finds to ask. From n decided assignments with
mean m and variance s² the cost of k more is k·m, give or take 1.96·s·sqrt(k + k²/n): the k vary by
themselves, and the mean is known only as well as n allow (normal approximation, 95 %).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance

from django.db.models import Count, F, Q, Sum

from annotation.domain.publish import terms_of
from annotation.models import Project, TaskItem
from crowd.domain.pay_scheme import bonus_cents
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Hit, HitType, Payment

SIGMAS = 1.96
# Fewer decided assignments than this say nothing about how much they vary.
ENOUGH = 5


@dataclass(frozen=True, slots=True)
class Forecast:
    """Cents, fees included. `offered` places are out or undecided, `to_come` are not offered yet; `seen`
    assignments were judged by. Without enough of them `expected_cents` is what publishing sets aside,
    and the range goes down to the bare rewards."""

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
    """One forecast for each role of the project's protocol, in the pay scheme's order."""
    return [_forecast(project, role) for role in project.pay_scheme if project.places(role)]


def total_of(forecasts: Iterable[Forecast]) -> tuple[int, int, int]:
    """(low, expected, high) of all the roles together: they vary independently, so their spreads add
    up by their squares."""
    rows = list(forecasts)
    expected = sum(one.expected_cents for one in rows)
    below = sqrt(sum((one.expected_cents - one.low_cents) ** 2 for one in rows))
    above = sqrt(sum((one.high_cents - one.expected_cents) ** 2 for one in rows))
    return round(expected - below), expected, round(expected + above)


def _forecast(project: Project, role: str) -> Forecast:
    costs = _costs(project, role)
    offered, to_come = _offered(project, role), _to_come(project, role)
    low, expected, high = _range(project, role, costs, offered + to_come)
    return Forecast(role, offered, to_come, len(costs), low, expected, high)


def _range(project: Project, role: str, costs: list[int], places: int) -> tuple[int, int, int]:
    bare, slot = _bounds(project, role)
    if len(costs) < ENOUGH:
        return bare * places, slot * places, slot * places
    expected = places * fmean(costs)
    spread = SIGMAS * sqrt(variance(costs) * (places + places**2 / len(costs)))
    low = max(bare * places, round(expected - spread))
    return min(low, round(expected)), round(expected), round(expected + spread)


def _bounds(project: Project, role: str) -> tuple[int, int]:
    """What one assignment costs without a bonus, and with the whole allowance."""
    terms = terms_of(project, role)
    hit_type = HitType(reward_cents=terms["reward_cents"])
    many = project.places(role)
    allowance = bonus_cents(terms, terms["allowance_units"])
    bare, slot = (sum(slot_cents(hit_type, HitTerms(many, 0, most))) for most in (0, allowance))
    return bare, slot


def _costs(project: Project, role: str) -> list[int]:
    """What each decided assignment costs, paid or owed."""
    owed = Payment.objects.filter(
        assignment__hit__task__batch__project=project, assignment__hit__task__role=role
    ).exclude(state=PaymentState.FAILED)
    sums = owed.order_by().values("assignment").annotate(n=Sum(F("amount_cents") + F("fee_cents")))
    return list(sums.values_list("n", flat=True))


def _offered(project: Project, role: str) -> int:
    """Places that someone can still take, and work that nobody has decided."""
    hits = Hit.objects.filter(task__batch__project=project, task__role=role)
    running = hits.filter(state__in=[HitState.PENDING, HitState.LIVE])
    places: int = running.aggregate(n=Sum("max_assignments", default=0))["n"]
    taken: int = running.aggregate(n=Count("assignments"))["n"]
    waiting = Q(assignments__state=AssignmentState.SUBMITTED)
    undecided: int = hits.aggregate(n=Count("assignments", filter=waiting))["n"]
    return max(0, places - taken) + undecided


def _to_come(project: Project, role: str) -> int:
    offered = TaskItem.objects.filter(role=role, item__project=project).values("item")
    never = project.items.filter(in_production=True).exclude(pk__in=offered).count()
    return never * project.places(role)
