"""The list of projects, and the overview of a project."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.domain.queries import counts_by_project
from consolidation.domain.queries import gold_items_by_project
from crowd.domain.hold_publishing import active_hold
from dashboard.pace import WINDOW
from dashboard.protocol import progress_of, steps_of, waiting_of
from projects.domain.cached_figures import figures_of
from projects.domain.queries import projects_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import MEMBERS, can_create_projects, project_page, signed_in_page
from schemes.registry import SCHEMES, get_scheme


@require_GET
@signed_in_page
def projects(request: HttpRequest) -> HttpResponse:
    # The copy that a rehearsal uses is listed on the page of its original project.
    own = list(projects_of(user=request.user).filter(rehearsal=None))
    items, gold = counts_by_project(projects=own), gold_items_by_project(projects=own)
    rows = [
        {"project": row, "items": items.get(row.pk, 0), "gold": gold.get(row.pk, 0)} for row in own
    ]
    context = {
        "rows": rows,
        "may_add": can_create_projects(request.user),
        "scheme": next(iter(SCHEMES.values())),
    }
    return render(request, "dashboard/projects.html", context)


@require_GET
@project_page(MEMBERS)
def project(request: HttpRequest, project: Project) -> HttpResponse:
    figures = figures_of(progress_of, project=project)
    progress = figures.value
    now = timezone.now()
    context = {
        "progress": progress,
        "left": progress.items.items - progress.finished(),
        "expected_end": progress.expected_end(now),
        "span": _span(progress.pace.span),
        "cached": figures,
        "formats": get_scheme(project.scheme).corpus.formats,
        "steps": steps_of(progress),
        "waiting": waiting_of(progress),
        "budget": project.budget,
        "hold": active_hold(),
        "now": now,
    }
    fragment = "dashboard/fragments/progress.html"
    return render_page(request, project, "dashboard/project.html", context, fragment=fragment)


def _span(span: timedelta) -> str:
    """Return the label of the time span of the pace."""
    if span >= WINDOW:
        return "last 24 h"
    hours, minutes = divmod(int(span.total_seconds()) // 60, 60)
    return f"last {hours} h {minutes} min" if hours else f"last {minutes} min"
