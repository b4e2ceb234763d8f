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

# The menu in two rows: what a person comes for, and under it the pages, by route and name.
MENU = (
    ("Overview", (("project", "Overview"),)),
    (
        "Set up",
        (
            ("settings", "Settings"),
            ("members", "Members"),
        ),
    ),
    (
        "Crowd work",
        (
            ("batches", "Batches"),
            ("submissions", "To decide"),
            ("jobs", "Jobs"),
        ),
    ),
    (
        "People",
        (
            ("qualification:rounds", "Training"),
            ("workers", "Workers"),
            ("experts", "Experts"),
        ),
    ),
    (
        "Gold",
        (
            ("items", "Items"),
            ("gold", "Gold"),
            ("reviews", "Reviews"),
            ("exports", "Exports"),
        ),
    ),
    (
        "Quality",
        (
            ("quality", "Quality"),
            ("agreement", "Agreement"),
            ("protocols", "Protocols"),
        ),
    ),
    (
        "Money",
        (
            ("costs", "Costs"),
            ("ledger", "Ledger"),
        ),
    ),
    ("Log", (("log", "Log"),)),
)
# Pages that have no entry of their own stand under another's.
UNDER = {
    "item": "items",
    "gold_sentence": "gold",
    "worker": "workers",
    "worker_note": "workers",
    "worker_forget": "workers",
    "compensate": "workers",
    "batch": "batches",
    "steer": "batches",
    "copies": "submissions",
    "rejections": "submissions",
    "overturn": "submissions",
    "publish": "batches",
    "corpus": "settings",
    "corpus_preview": "settings",
    "guidelines": "settings",
    "pay": "settings",
    "try_out": "settings",
    "export": "exports",
    "export_details": "exports",
    "qualification:edit": "qualification:rounds",
    "qualification:publish": "qualification:rounds",
    "qualification:round": "qualification:rounds",
    "qualification:trainee": "qualification:rounds",
    "qualification:preview": "qualification:rounds",
    "qualification:groups": "qualification:rounds",
    "qualification:pool": "qualification:rounds",
    "qualification:pool_worker": "qualification:rounds",
    "review": "reviews",
    "member": "members",
    "invite": "members",
    "invitation": "members",
    "judge": "reviews",
    "quality_item": "quality",
    "begin_experiment": "agreement",
    "experiment": "agreement",
    "decide_match": "quality",
    "correction": "reviews",
    "expert_set_up": "experts",
    "expert_queue": "experts",
    "expert_item": "experts",
    "expert_report": "experts",
}


@dataclass(frozen=True, slots=True)
class MenuEntry:
    url: str
    name: str
    current: bool


@dataclass(frozen=True, slots=True)
class MenuGroup:
    """What a person comes for, with the pages of it that they may open: at least one."""

    name: str
    entries: tuple[MenuEntry, ...]

    @property
    def url(self) -> str:
        return self.entries[0].url

    @property
    def current(self) -> bool:
        return any(entry.current for entry in self.entries)


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


def menu_of(request: HttpRequest, project: Project, may: frozenset[str]) -> list[MenuGroup]:
    """The project's menu as far as the user may open it."""
    name = (request.resolver_match and request.resolver_match.view_name) or ""
    short = name.removeprefix("dashboard:")
    here = UNDER.get(short, short)
    groups = []
    for title, pages in MENU:
        entries = tuple(
            MenuEntry(reverse(_route(route), args=[project.slug]), name, route == here)
            for route, name in pages
            if route in may
        )
        if entries:
            groups.append(MenuGroup(title, entries))
    return groups


def _route(name: str) -> str:
    return name if ":" in name else f"dashboard:{name}"


def query_without_page(request: HttpRequest) -> str:
    """The filters of a list as a query string that the links to its pages begin with."""
    kept = [(name, value) for name, value in request.GET.items() if name != "page" and value]
    return urlencode(kept) + "&" if kept else ""
