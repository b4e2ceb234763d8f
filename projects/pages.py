"""Rendering of a project's pages and of their htmx fragments."""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from jobs.models import Job
from projects.models import Project
from projects.permissions import pages_open_with


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
    """Return a page that names what will happen and asks, or None if the user has confirmed.

    The page posts the same fields again. With `spends` its button has the look of a publication, not
    of a deletion.
    """
    if "confirmed" in request.POST:
        return None
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]
    context = {
        "title": title,
        "consequences": consequences,
        "button": button,
        "back": back,
        "spends": spends,
        "fields": fields,
    }
    return render_page(request, project, "projects/confirm.html", context)


def job_list(jobs: Iterable[Job], url: str) -> dict[str, Any]:
    """Return the context of a job list, with its refresh URL while a job is unfinished."""
    shown = list(jobs)
    return {"job_list": shown, "refresh": url if any(job.is_unfinished for job in shown) else ""}


def wants_fragment(request: HttpRequest) -> bool:
    """Return True if htmx requests a part of its current page, not a restored page."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and htmx.request_type != "full" and not htmx.history_restore_request


def query_without_page(request: HttpRequest) -> str:
    """Return the list's filters as the start of a query string."""
    filters = [(name, value) for name, value in request.GET.items() if name != "page" and value]
    return urlencode(filters) + "&" if filters else ""
