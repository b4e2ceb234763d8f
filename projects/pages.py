"""Rendering of a project's pages and of their htmx fragments."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.text import slugify

from jobs.models import Job
from projects.models import Project
from projects.permissions import pages_open_with
from schemes.contract.values import Noun
from web.confirmations import confirmation
from web.lists import Column, Empty, Listing, time_column

JOBS, JOBS_PER_PAGE = Noun("job", "jobs"), 25


def render_page(
    request: HttpRequest,
    project: Project,
    template: str | Sequence[str],
    context: dict[str, Any],
    *,
    fragment: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render a view with `project_page`, or only its `fragment` template for an htmx request.

    Of several templates, the first that exists is used.
    """
    is_fragment = bool(fragment) and wants_fragment(request)
    shared = {
        "project": project,
        "may": pages_open_with(request.project_roles),  # type: ignore[attr-defined]
        "fragment": fragment,
        "is_fragment": is_fragment,
    }
    response = render(
        request, fragment if is_fragment else template, {**shared, **context}, status=status
    )
    patch_vary_headers(response, ["HX-Request"])
    return response


def ask_first(
    request: HttpRequest,
    project: Project,
    *,
    title: str,
    consequences: Sequence[str],
    button: str,
    back: str,
    spends: bool = False,
) -> HttpResponse | None:
    """Return a page that names what will happen and asks, or None if the user has confirmed."""
    context = confirmation(
        request, title=title, consequences=consequences, button=button, back=back, spends=spends
    )
    return render_page(request, project, "projects/confirm.html", context) if context else None


def render_list(
    request: HttpRequest,
    project: Project,
    template: str,
    listing: Listing,
    context: dict[str, Any] | None = None,
    *,
    fragment: str = "web/list.html",
    status: int = 200,
) -> HttpResponseBase:
    """Render a page with a list, its rows for an htmx request, or the whole list as a CSV file."""
    if listing.wants_csv:
        name = f"{project.slug}-{slugify(listing.name)}-{timezone.now():%Y-%m-%d}.csv"
        return listing.csv(name)
    shown = {"listing": listing, **_saved_filters(request, project), **(context or {})}
    return render_page(request, project, template, shown, fragment=fragment, status=status)


def _saved_filters(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return the context of the user's saved filters, for lists that are the only one of their kind."""
    match = request.resolver_match
    if match is None or set(match.kwargs) != {"slug"}:
        return {}
    rows = project.saved_filters.filter(user=request.user.pk, page=match.view_name).order_by("name")
    return {
        "above_rows": "projects/saved_filters.html",
        "saved_filters": rows,
        "list_page": match.view_name,
    }


def job_list(jobs: Iterable[Job], url: str) -> dict[str, Any]:
    """Return the context of a job list, with its refresh URL while a job is unfinished."""
    shown = list(jobs)
    return {"job_list": shown, "refresh": url if any(job.is_unfinished for job in shown) else ""}


def jobs_listing(request: HttpRequest, jobs: QuerySet[Job], *, name: str, empty: Empty) -> Listing:
    """Return the pages of a list of jobs. The columns are those of the CSV file."""
    return Listing(
        request=request,
        name=name,
        rows=jobs,
        columns=[
            Column("Job", lambda job: job.kind),
            Column("State", lambda job: job.get_state_display()),
            Column("Requested by", lambda job: job.requested_by),
            time_column("Requested", lambda job: job.requested_at),
            time_column("Started", lambda job: job.started_at),
            time_column("Ended", lambda job: job.ended_at),
            Column("Problem", lambda job: job.problem),
        ],
        count=JOBS.count,
        size=JOBS_PER_PAGE,
        empty=empty,
    )


def job_state(
    request: HttpRequest, project: Project, job: Job | None, template: str
) -> HttpResponse:
    """Render the state of a job that changes the page, which htmx reloads once the job has ended."""
    response = render_page(request, project, template, {"job": job}, fragment=template)
    if job is None or not job.is_unfinished:
        response.headers["HX-Refresh"] = "true"
    return response


def wants_fragment(request: HttpRequest) -> bool:
    """Return True if htmx requests a part of its current page, not a restored page."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and htmx.request_type != "full" and not htmx.history_restore_request
