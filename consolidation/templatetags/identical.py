"""A tag that shows what accepting identical annotations saves, on pages of any app."""

from typing import Any

from django import template

from consolidation.domain.gold.accept_identical import COMPARED, identical_figures
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.enums import Protocol
from projects.models import Project

register = template.Library()


@register.inclusion_tag("consolidation/identical_savings.html")
def identical_savings(project: Project) -> dict[str, Any]:
    """Show how many items have identical annotations, and what their consolidations cost."""
    is_possible = project.protocol == Protocol.CONSOLIDATION and scheme_of(project).merging
    figures = figures_of(identical_figures, project=project).value if is_possible else None
    return {"project": project, "figures": figures, "most": COMPARED}
