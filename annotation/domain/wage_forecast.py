"""What a pay scheme would pay: per assignment, per hour, per item and for the whole project.

Judged by the newest accepted work of people: of the project itself, or of all projects of its scheme
while it has too little of its own. With too little everywhere, what an assignment holds and how long
it takes is an assumption, and says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from annotation.domain.kept_figures import figures_of
from annotation.enums import Role
from annotation.models import Project, Submission
from crowd.domain.fees import fee_cents
from crowd.domain.pay_scheme import PayScheme, Terms, bonus_cents
from schemes.registry import get_scheme

ENOUGH = 5
NEWEST = 200
# Roit et al. 2020 find 2.9 roles per predicate; a consolidator judges both generators' questions.
# The seconds are ours, for want of published ones.
ASSUMED = {Role.GENERATOR: (3, 90), Role.CONSOLIDATOR: (6, 60), Role.VALIDATOR: (3, 45)}


@dataclass(frozen=True, slots=True)
class WageForecast:
    """One role's work under the terms. `seen` assignments were judged by (0: `units` and `seconds` are
    assumed); cents are means, fees apart in `fee_cents`."""

    role: str
    seen: int
    units: float
    seconds: float
    pay_cents: float
    fee_cents: float

    @property
    def hourly_cents(self) -> float | None:
        return self.pay_cents * 3600 / self.seconds if self.seconds else None

    @property
    def total_cents(self) -> float:
        return self.pay_cents + self.fee_cents


def forecast_wages(*, project: Project, pay_scheme: PayScheme) -> list[WageForecast]:
    """One forecast for each role of the pay scheme, in its order."""
    return [_forecast(project, role, terms) for role, terms in pay_scheme.items()]


def item_cents(forecasts: Sequence[WageForecast], *, generators: int) -> float:
    """What an item costs with fees: its generations and whatever is done once for each."""
    many = {Role.GENERATOR: generators}
    return sum(one.total_cents * many.get(Role(one.role), 1) for one in forecasts)


def _forecast(project: Project, role: str, terms: Terms) -> WageForecast:
    seen = figures_of(newest_work, role, project=project).value
    units, seconds = seen or ([ASSUMED[Role(role)][0]], [ASSUMED[Role(role)][1]])
    many = project.generators_per_item if role == Role.GENERATOR else 1
    reward, bonuses = terms["reward_cents"], [bonus_cents(terms, one) for one in units]
    fees = [fee_cents(reward, max_assignments=many) + fee_cents(one) for one in bonuses]
    return WageForecast(
        role=role,
        seen=len(units) if seen else 0,
        units=fmean(units),
        seconds=fmean(seconds),
        pay_cents=reward + fmean(bonuses),
        fee_cents=fmean(fees),
    )


def newest_work(role: str, *, project: Project) -> tuple[list[int], list[int]] | None:
    """(units, active seconds) of the newest accepted work of the role; None where there is too little."""
    scheme = get_scheme(project.scheme)
    people = Submission.objects.accepted().filter(
        role=role, worker__is_simulated=False, active_seconds__gt=0
    )
    own, alike = {"item__project": project}, {"item__project__scheme": project.scheme}
    for work in (people.filter(**own), people.filter(**alike)):
        rows = [
            (scheme.count_units(one.content, role=role), one.active_seconds)
            for one in work.order_by("-pk").only("content", "active_seconds")[:NEWEST]
            if one.is_readable
        ]
        if len(rows) >= ENOUGH:
            return [units for units, _ in rows], [seconds for _, seconds in rows]
    return None
