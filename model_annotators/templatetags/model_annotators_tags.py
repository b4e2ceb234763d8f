from typing import Any

from django import template

from model_annotators.domain.report import reports_in
from qualification.models import Round

register = template.Library()


@register.inclusion_tag("model_annotators/verdicts.html")
def model_verdicts(round: Round) -> dict[str, Any]:
    """Say of each model that took the round whether it would pass."""
    return {"project": round.project, "reports": reports_in(round)}
