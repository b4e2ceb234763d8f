"""Compare what a project's remaining work is expected to cost with the money that is left for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.domain.publishing.cost_model import RoleCost, role_costs
from annotation.domain.publishing.forecast import Forecast, forecast_costs
from crowd.models import ProviderAccount
from projects.domain.cached_figures import figures_of
from projects.models import Project


@dataclass(frozen=True, slots=True)
class MoneyLeft:
    """What the unpublished work costs, and what is left, in cents with fees.

    `budget_cents` is neither spent nor reserved, and `account_cents` is the provider's balance. They
    are None without a limit, or if the balance is unknown.
    """

    needed_cents: int
    budget_cents: int | None
    account_cents: int | None

    @property
    def missing_in_budget(self) -> int:
        return _missing(self.needed_cents, self.budget_cents)

    @property
    def missing_in_account(self) -> int:
        return _missing(self.needed_cents, self.account_cents)

    @property
    def is_enough(self) -> bool:
        return not self.missing_in_budget and not self.missing_in_account


def money_left(*, project: Project, forecasts: Sequence[Forecast] | None = None) -> MoneyLeft:
    """Return the comparison. What is published is reserved already, and costs nothing more."""
    if forecasts is None:
        forecasts = figures_of(forecast_costs, project=project).value
    assert forecasts is not None
    account = ProviderAccount.objects.filter(provider=project.provider).first()
    return MoneyLeft(
        needed_cents=sum(forecast.to_come_cents for forecast in forecasts),
        budget_cents=project.budget.left_cents,
        account_cents=account.balance_cents if account else None,
    )


def low_paid_roles(*, project: Project) -> list[RoleCost]:
    """Return the roles whose expected pay per hour is below the project's minimum."""
    least = project.minimum_hourly_cents or 0
    costs = role_costs(project=project)
    return [cost for cost in costs if cost.hourly_cents is not None and cost.hourly_cents < least]


def _missing(needed: int, left: int | None) -> int:
    return 0 if left is None else max(0, needed - left)
