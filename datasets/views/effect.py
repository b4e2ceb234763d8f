"""The page that shows what the protocol adds, and how much annotators find."""

from itertools import zip_longest
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from datasets.domain.quality.coverage import CoverageReport, coverage_report
from datasets.domain.quality.protocol_effect import (
    ProtocolEffect,
    Row,
    effect_rows,
    protocol_effect,
)
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page

# The page's limit of items. The command `protocol_effect` uses all items.
LIMIT = 1000


@require_GET
@project_page(STAFF)
def effect(request: HttpRequest, project: Project) -> HttpResponse:
    cached = figures_of(effect_figures, project=project)
    effect, coverage = cached.value
    context: dict[str, Any] = {
        "cached": cached,
        "effect": effect,
        "coverage": coverage,
        "groups": [coverage.total, *coverage.types] if coverage else [],
        "rows": _rows(project, effect) if effect else [],
        "limit": LIMIT,
    }
    return render_page(request, project, "datasets/effect.html", context)


def effect_figures(*, project: Project) -> tuple[ProtocolEffect | None, CoverageReport | None]:
    """Return the effect of the protocol and the coverage. Each is None without data."""
    effect = protocol_effect(project=project, limit=LIMIT)
    return effect, coverage_report(project=project, limit=LIMIT)


def _rows(project: Project, effect: ProtocolEffect) -> list[tuple[Row, list[tuple[Any, Any]]]]:
    """Return the rows of the table of stages with (value, interval or None) of each stage."""
    rows = effect_rows(scheme_of(project), effect)
    return [(row, list(zip_longest(row.values, row.intervals))) for row in rows]
