"""Tags that compare pay and budget with what a project needs."""

from collections.abc import Sequence
from typing import Any

from django import template

from annotation.domain.publishing import money_left as domain
from annotation.domain.publishing.forecast import Forecast
from crowd.domain.money.pay_scheme import PayScheme
from projects.domain import pay_warnings as warnings
from projects.models import Project

register = template.Library()


@register.inclusion_tag("annotation/fragments/money_left.html")
def money_left(project: Project, forecasts: Sequence[Forecast] | None = None) -> dict[str, Any]:
    """State what the unpublished work is expected to cost, and whether the money is enough."""
    return {"project": project, "money": domain.money_left(project=project, forecasts=forecasts)}


@register.inclusion_tag("annotation/fragments/low_pay.html")
def low_pay(project: Project) -> dict[str, Any]:
    """Warn of roles whose expected pay per hour is below the project's minimum."""
    return {"project": project, "roles": domain.low_paid_roles(project=project)}


@register.inclusion_tag("annotation/fragments/pay_warnings.html")
def pay_warnings(project: Project, pay_scheme: PayScheme | None = None) -> dict[str, Any]:
    """Warn of terms that pay any bonus. Those of a form are passed, and the page has its fields."""
    found = warnings.pay_warnings(project=project, pay_scheme=pay_scheme)
    return {"project": project, "warnings": found, "is_form": pay_scheme is not None}
