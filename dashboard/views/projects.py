"""The list of projects, and the overview of a project."""

from collections.abc import Mapping
from datetime import timedelta

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET

from annotation.domain.publishing.queries import counts_by_project
from consolidation.domain.cases.queries import gold_items_by_project
from crowd.domain.provider.hold_publishing import active_hold
from dashboard.charts import progress_chart
from dashboard.pace import WINDOW
from dashboard.protocol import Progress, pending_tasks, progress_of, steps_of
from dashboard.setting_up import path_on_page
from dashboard.your_turn import tasks_of
from projects.charts import chart_response
from projects.definitions import DEFINITIONS
from projects.domain.cached_figures import figures_of
from projects.domain.queries import projects_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page, wants_fragment
from projects.permissions import (
    MEMBERS,
    can_create_projects,
    pages_open_with,
    project_page,
    signed_in_page,
)
from schemes.contract.values import Noun
from web.lists import Column, Empty, Listing, link, money_column, number_column, time_column

PROJECTS = Noun("project", "projects")
NO_PROJECTS = Empty("No projects yet", "Projects appear here when you become a member.")
NO_ARCHIVED = Empty("No archived projects", "An admin of a project can archive it in its settings.")


@require_GET
@signed_in_page
def projects(request: HttpRequest) -> HttpResponseBase:
    # The copy that a rehearsal uses is listed on the page of its original project.
    everything = projects_of(user=request.user).filter(rehearsal=None)
    shows_archived = "archived" in request.GET
    own = everything.filter(archived_at__isnull=not shows_archived)
    listing = Listing(
        request=request,
        name="projects",
        rows=own,
        columns=_columns(list(own)),
        count=PROJECTS.count,
        order=("title",),
        empty=NO_ARCHIVED if shows_archived else NO_PROJECTS,
    )
    if request.GET.get("format") == "csv":
        return listing.csv(f"projects-{timezone.now():%Y-%m-%d}.csv")
    context = {
        "listing": listing,
        "shows_archived": shows_archived,
        "archived": everything.exclude(archived_at=None).count(),
        "may_add": can_create_projects(request.user),
    }
    page = "web/list.html" if wants_fragment(request) else "dashboard/projects.html"
    response = render(request, page, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _columns(projects: list[Project]) -> list[Column]:
    items, gold = counts_by_project(projects=projects), gold_items_by_project(projects=projects)

    def count(name: str, counts: Mapping[int, int]) -> Column:
        definition = DEFINITIONS[name]
        return number_column(
            definition.label,
            lambda row: counts.get(row.pk, 0),
            order=lambda pk: counts.get(pk, 0),
            about=definition.text,
        )

    return [
        Column(
            "Project",
            lambda row: row.title,
            lambda row: link(reverse("dashboard:project", args=[row.slug]), row.title),
            order="title",
        ),
        Column("Task type", lambda row: scheme_of(row).title, order="scheme"),
        count("items", items),
        count("gold_items", gold),
        money_column(
            DEFINITIONS["spent"].label,
            lambda row: row.budget.spent_cents,
            order="budget__spent_cents",
            about=DEFINITIONS["spent"].text,
        ),
        time_column("Created", lambda row: row.created_at, order="created_at"),
    ]


@require_GET
@signed_in_page
def your_turn(request: HttpRequest) -> HttpResponse:
    """Show the user's pending tasks, a part of the list of projects that is loaded after it."""
    tasks = list(tasks_of(request.user))
    return render(request, "dashboard/fragments/your_turn.html", {"tasks": tasks})


@require_GET
@project_page(MEMBERS)
def project(request: HttpRequest, project: Project) -> HttpResponse:
    figures = figures_of(progress_of, project=project, keep=_has_items)
    progress = figures.value
    now = timezone.now()
    context = {
        "progress": progress,
        "left": progress.items.items - progress.finished(),
        "running": progress.running(),
        "expected_end": progress.expected_end(now),
        "span": _span(progress.pace.span),
        "cached": figures,
        "steps": steps_of(progress),
        "pending_tasks": pending_tasks(progress),
        "path": path_on_page(
            project,
            page="dashboard:project",
            address=request.path,
            may=pages_open_with(request.project_roles),  # type: ignore[attr-defined]
            progress=progress,
        ),
        "budget": project.budget,
        "hold": active_hold(),
        "now": now,
    }
    fragment = "dashboard/fragments/progress.html"
    return render_page(request, project, "dashboard/project.html", context, fragment=fragment)


@require_GET
@project_page(MEMBERS)
def progress_over_time(request: HttpRequest, project: Project) -> HttpResponseBase:
    return chart_response(request, project, progress_chart(project=project, now=timezone.now()))


def _has_items(progress: Progress) -> bool:
    return bool(progress.items.items)


def _span(span: timedelta) -> str:
    """Return the label of the time span of the pace."""
    if not span or span >= WINDOW:
        return "last 24 h"
    hours, minutes = divmod(max(1, int(span.total_seconds()) // 60), 60)
    return f"last {hours} h {minutes} min" if hours else f"last {minutes} min"
