"""Forecast the pay per assignment, hour and item, and for the whole project.

The forecast uses the newest accepted work in the project, or in all projects of its scheme if the
project has too little. If there is too little everywhere, it uses assumed units and seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from annotation.domain.expected_revisions import revisions_per_item
from annotation.models import Submission
from crowd.domain.fees import fee_cents
from crowd.domain.pay_scheme import PayScheme, Terms, bonus_cents
from projects.domain.cached_figures import figures_of
from projects.enums import Role, page_role
from projects.models import Project
from schemes.registry import get_scheme

ENOUGH = 5
NEWEST = 200
# Units and seconds. Roit et al. 2020 find 2.9 units per item, and a consolidator judges those of both
# generators. The seconds are our estimates, because none are published.
ASSUMED = {
    Role.GENERATOR: (3, 90),
    Role.CONSOLIDATOR: (6, 60),
    Role.VALIDATOR: (3, 45),
    Role.REVISER: (3, 60),
}


@dataclass(frozen=True, slots=True)
class WageForecast:
    """The forecast of a role's work under the terms.

    `seen` counts the assignments behind it. If zero, `units` and `seconds` are assumptions. The
    cents are means, and `pay_cents` excludes fees.
    """

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
    """Return a forecast for each role of the pay scheme, in its order."""
    return [_forecast(project, role, terms) for role, terms in pay_scheme.items()]


def item_cents(forecasts: Sequence[WageForecast], *, project: Project) -> float:
    """Return the cost of an item under the project's protocol, with fees.

    Under verification, it includes the expected revisions, each of which is verified again.
    """
    revisions = revisions_per_item(project)
    counts: dict[str, float] = {
        forecast.role: project.redundancy(forecast.role) for forecast in forecasts
    }
    counts[Role.VALIDATOR] = counts.get(Role.VALIDATOR, 0) * (1 + revisions)
    counts[Role.REVISER] = counts.get(Role.REVISER, 0) * revisions
    return sum(forecast.total_cents * counts[forecast.role] for forecast in forecasts)


def _forecast(project: Project, role: str, terms: Terms) -> WageForecast:
    seen = figures_of(newest_work, role, project=project).value
    units, seconds = seen or ([ASSUMED[Role(role)][0]], [ASSUMED[Role(role)][1]])
    many = project.redundancy(role) or 1
    reward, bonuses = terms["reward_cents"], [bonus_cents(terms, count) for count in units]
    fees = [fee_cents(reward, max_assignments=many) + fee_cents(bonus) for bonus in bonuses]
    return WageForecast(
        role=role,
        seen=len(units) if seen else 0,
        units=fmean(units),
        seconds=fmean(seconds),
        pay_cents=reward + fmean(bonuses),
        fee_cents=fmean(fees),
    )


def newest_work(role: str, *, project: Project) -> tuple[list[int], list[int]] | None:
    """Return the units and active seconds of the role's newest accepted work.

    Return None if there is too little.
    """
    count_units = get_scheme(project.scheme).content.count_units
    people = Submission.objects.accepted().filter(
        role=role, worker__is_simulated=False, active_seconds__gt=0
    )
    own, same_scheme = {"item__project": project}, {"item__project__scheme": project.scheme}
    for work in (people.filter(**own), people.filter(**same_scheme)):
        rows = [
            (count_units(submission.content, page_role(role)), submission.active_seconds)
            for submission in work.order_by("-pk").only("content", "active_seconds")[:NEWEST]
            if submission.is_readable
        ]
        if len(rows) >= ENOUGH:
            return [units for units, _ in rows], [seconds for _, seconds in rows]
    return None
