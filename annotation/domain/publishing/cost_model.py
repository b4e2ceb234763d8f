"""The expected cost of an assignment and of an item: one model for all pages and commands.

The pay of an assignment is what the pay scheme gives for the units of accepted work in production. The
project's own work counts first, and simulated work only if there is no other. With too little, work
of people in other projects of the scheme is used, and with too little of that, assumed units and seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.domain.publishing.expected_revisions import revisions_per_item
from annotation.models import Submission
from crowd.domain.money.pay_scheme import PayScheme, Terms, bonus_cents
from crowd.domain.provider.fees import fee_cents
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.enums import Role, page_role
from projects.models import Project

ENOUGH = 5
NEWEST = 1000
# Units and seconds. Roit et al. 2020 find 2.9 units per item, and a consolidator judges those of both
# generators. The seconds are our estimates, because none are published.
ASSUMED = {
    Role.GENERATOR: (3, 90),
    Role.CONSOLIDATOR: (6, 60),
    Role.VALIDATOR: (3, 45),
    Role.REVISER: (3, 60),
}


class Work(NamedTuple):
    """The units and active seconds of accepted work."""

    units: list[int]
    seconds: list[int]
    is_simulated: bool


@dataclass(frozen=True, slots=True)
class RoleCost:
    """The expected cost of an assignment of a role, in cents.

    `costs` has the cost of each assignment behind it under the terms, including fees. It is empty if
    `units` and `seconds` are assumptions. The cents are means, and `pay_cents` excludes fees.
    `is_simulated` is True if the work is that of simulated workers.
    """

    role: str
    units: float
    seconds: float
    pay_cents: float
    fee_cents: float
    costs: Sequence[int] = field(default_factory=list)
    is_simulated: bool = False

    @property
    def seen(self) -> int:
        return len(self.costs)

    @property
    def hourly_cents(self) -> float | None:
        return self.pay_cents * 3600 / self.seconds if self.seconds else None

    @property
    def total_cents(self) -> float:
        return self.pay_cents + self.fee_cents


def role_costs(*, project: Project, pay_scheme: PayScheme | None = None) -> list[RoleCost]:
    """Return the cost of each role that the protocol needs, in the order of the pay scheme.

    Without a `pay_scheme`, it is the project's own.
    """
    scheme = pay_scheme or project.pay_scheme
    return [
        _role_cost(project, role, terms)
        for role, terms in scheme.items()
        if project.redundancy(role)
    ]


def item_cents(costs: Sequence[RoleCost], *, project: Project) -> float:
    """Return the cost of an item under the project's protocol, with fees.

    Under verification, it includes the expected revisions, each of which is verified again.
    """
    revisions = revisions_per_item(project)
    counts: dict[str, float] = {cost.role: project.redundancy(cost.role) for cost in costs}
    counts[Role.VALIDATOR] = counts.get(Role.VALIDATOR, 0) * (1 + revisions)
    counts[Role.REVISER] = counts.get(Role.REVISER, 0) * revisions
    return sum(cost.total_cents * counts[cost.role] for cost in costs)


@dataclass(frozen=True, slots=True)
class ItemCost:
    """The cost of an item with fees. It is assumed until each role has worked."""

    cents: float
    is_assumed: bool


def item_cost(*, project: Project) -> ItemCost:
    """Return the cost of an item under the project's protocol and pay."""
    costs = role_costs(project=project)
    is_assumed = not all(cost.seen for cost in costs)
    return ItemCost(item_cents(costs, project=project), is_assumed)


def _role_cost(project: Project, role: str, terms: Terms) -> RoleCost:
    seen: Work | None = figures_of(newest_work, role, project=project).value
    units, seconds = seen[:2] if seen else ([ASSUMED[Role(role)][0]], [ASSUMED[Role(role)][1]])
    reward, bonuses = terms["reward_cents"], [bonus_cents(terms, count) for count in units]
    many = project.redundancy(role)
    fee_of = partial(fee_cents, provider=project.provider)
    fees = [fee_of(reward, max_assignments=many) + fee_of(bonus) for bonus in bonuses]
    costs = [reward + bonus + fee for bonus, fee in zip(bonuses, fees, strict=True)]
    return RoleCost(
        role=role,
        units=fmean(units),
        seconds=fmean(seconds),
        pay_cents=reward + fmean(bonuses),
        fee_cents=fmean(fees),
        costs=costs if seen else [],
        is_simulated=bool(seen and seen.is_simulated),
    )


def expected_seconds(project: Project, role: str) -> int:
    """Return the mean active seconds of an item in the role, measured or assumed."""
    seen: Work | None = figures_of(newest_work, role, project=project).value
    return max(1, round(fmean(seen.seconds) if seen else ASSUMED[Role(role)][1]))


def newest_work(role: str, *, project: Project) -> Work | None:
    """Return the role's newest accepted work in production, or None if there is too little."""
    accepted = Submission.objects.accepted().filter(role=role, item__in_production=True)
    own = _newest(accepted.filter(item__project=project))
    elsewhere = accepted.filter(
        item__project__scheme=project.scheme,
        item__project__definition_digest=project.definition_digest,
        active_seconds__gt=0,
    )
    # Both are always asked, so that pages need as many queries with few rows as with many.
    others = _newest(elsewhere.filter(worker__is_simulated=False))
    people = [submission for submission in own if not submission.worker.is_simulated]
    simulated = [submission for submission in own if submission.worker.is_simulated]
    work = next((rows for rows in (people, simulated, others) if len(rows) >= ENOUGH), None)
    if work is None:
        return None
    count_units = scheme_of(project).content.count_units
    units = [count_units(submission.content, page_role(role)) for submission in work]
    seconds = [submission.active_seconds for submission in work]
    return Work(units, seconds, is_simulated=work is simulated)


def _newest(submissions: QuerySet[Submission]) -> list[Any]:
    """Return the newest readable submissions of workers, without the fields that aren't needed."""
    fields = "content", "active_seconds", "worker__is_simulated"
    rows = submissions.exclude(worker=None).select_related("worker").only(*fields)
    return [row for row in rows.order_by("-pk")[:NEWEST] if row.is_readable]
