"""What every page of a project has: its name, its menu, and a fragment of itself for htmx."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers

from annotation.models import Project
from annotation.permissions import pages_open_to

# Route, and what the menu calls it.
MENU = (
    ("project", "Overview"),
    ("items", "Items"),
    ("submissions", "To decide"),
    ("workers", "Workers"),
    ("qualification:rounds", "Training"),
    ("reviews", "Reviews"),
    ("agreement", "Agreement"),
    ("costs", "Costs"),
    ("ledger", "Ledger"),
    ("exports", "Exports"),
    ("jobs", "Jobs"),
)
# Pages that have no entry of their own stand under another's.
UNDER = {
    "item": "items",
    "worker": "workers",
    "publish": "project",
    "export": "exports",
    "qualification:round": "qualification:rounds",
    "qualification:trainee": "qualification:rounds",
    "qualification:preview": "qualification:rounds",
    "review": "reviews",
    "judge": "reviews",
}


@dataclass(frozen=True, slots=True)
class MenuEntry:
    url: str
    name: str
    current: bool


def render_page(
    request: HttpRequest,
    project: Project,
    template: str,
    context: dict[str, Any],
    *,
    fragment: str = "",
    status: int = 200,
) -> HttpResponse:
    """The whole page or, asked for by htmx, the template of its `fragment` alone."""
    is_fragment = bool(fragment) and wants_fragment(request)
    may = pages_open_to(request.user, project)
    shared = {
        "project": project,
        "may": may,
        "fragment": fragment,
        "menu": menu_of(request, project, may),
    }
    response = render(
        request, fragment if is_fragment else template, {**shared, **context}, status=status
    )
    patch_vary_headers(response, ["HX-Request"])  # the same address has two bodies
    return response


def wants_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of the page it stands on (and not to restore a whole one)."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and htmx.request_type != "full" and not htmx.history_restore_request


def menu_of(request: HttpRequest, project: Project, may: frozenset[str]) -> list[MenuEntry]:
    """The project's menu as far as the user may open it."""
    name = (request.resolver_match and request.resolver_match.view_name) or ""
    short = name.removeprefix("dashboard:")
    here = UNDER.get(short, short)
    return [
        MenuEntry(reverse(_route(route), args=[project.slug]), title, route == here)
        for route, title in MENU
        if route in may
    ]


def _route(name: str) -> str:
    return name if ":" in name else f"dashboard:{name}"


def query_without_page(request: HttpRequest) -> str:
    """The filters of a list as a query string that the links to its pages begin with."""
    kept = [(name, value) for name, value in request.GET.items() if name != "page" and value]
    return urlencode(kept) + "&" if kept else ""
