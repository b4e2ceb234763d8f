"""The menu of a project's pages."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.urls import reverse

from projects.domain.schemes import scheme_of
from projects.models import Project
from qualification.domain.training.threads import unread_count
from schemes.contract.scheme import Scheme

# Groups of pages, each page with its view name and label.
MENU = (
    ("Overview", (("dashboard:project", "Overview"),)),
    (
        "Corpus",
        (
            ("annotation:corpus", "Import"),
            ("consolidation:items", "Items"),
            ("consolidation:resources", "Resources"),
        ),
    ),
    ("Guidelines", (("projects:guidelines", "Guidelines"),)),
    ("Pay", (("annotation:pay", "Pay"),)),
    (
        "Publishing",
        (
            ("consolidation:batches", "Batches"),
            ("consolidation:studies", "Studies"),
            ("consolidation:submissions", "Review queue"),
            ("annotation:held_bonuses", "Held bonuses"),
            ("rehearsal:dry_run", "Rehearsal"),
        ),
    ),
    (
        "People",
        (
            ("qualification:rounds", "Training"),
            ("model_annotators:models", "Models"),
            ("qualification:workers", "Workers"),
            ("qualification:inbox", "Messages"),
            ("qualification:requests", "Requests"),
            ("consolidation:experts", "Experts"),
            ("projects:members", "Members"),
        ),
    ),
    (
        "Quality",
        (
            ("datasets:quality", "Scores"),
            ("datasets:agreement", "Agreement"),
            ("datasets:systems", "Systems"),
            ("datasets:effect", "Effect of consolidation"),
            ("datasets:assistance", "Effect of help"),
            ("datasets:certainty", "Certainty"),
            ("datasets:protocols", "Protocols"),
            ("consolidation:reviews", "Reviews"),
            ("datasets:statistics", "Statistics"),
        ),
    ),
    (
        "Data",
        (
            ("datasets:gold", "Gold"),
            ("consolidation:gold_import", "Expert gold"),
            ("datasets:exports", "Exports"),
            ("releases:releases", "Releases"),
        ),
    ),
    ("Costs", (("datasets:costs", "Summary"), ("datasets:ledger", "Ledger"))),
    ("Activity", (("dashboard:log", "Log"), ("dashboard:jobs", "Jobs"))),
    (
        "Settings",
        (
            ("projects:settings", "General"),
            ("annotation:consent_and_questionnaire", "Consent and questionnaire"),
            ("projects:webhooks", "Webhooks"),
            ("dashboard:archive_page", "Archive or delete"),
        ),
    ),
)
# Pages that need an optional part of the scheme.
NEEDS: Mapping[str, Callable[[Scheme], object]] = {
    "datasets:statistics": lambda scheme: scheme.statistics,
    "datasets:systems": lambda scheme: scheme.scoring,
    "consolidation:resources": lambda scheme: scheme.resources,
}
# The menu entry of pages whose address is not below that of the entry.
UNDER = {
    "annotation:rejections": "consolidation:submissions",
    "annotation:overturn": "consolidation:submissions",
    "annotation:publish": "consolidation:batches",
    "consolidation:manage_batches": "consolidation:batches",
    "datasets:adaptive": "datasets:certainty",
    "qualification:message_workers": "qualification:workers",
    "qualification:thread": "qualification:inbox",
    "qualification:withdraw_workers": "qualification:workers",
}


@dataclass(frozen=True, slots=True)
class MenuEntry:
    url: str
    name: str
    current: bool


@dataclass(frozen=True, slots=True)
class MenuGroup:
    """A group of pages, with at least one page that the user may open."""

    name: str
    entries: tuple[MenuEntry, ...]

    @property
    def url(self) -> str:
        return self.entries[0].url

    @property
    def current(self) -> bool:
        return any(entry.current for entry in self.entries)


def menu_of(request: HttpRequest, project: Project, may: frozenset[str]) -> list[MenuGroup]:
    """Return the entries of the project's menu for a user who may open these pages."""
    urls = {page: reverse(page, args=[project.slug]) for _, pages in MENU for page, _ in pages}
    current = _current(request, urls)
    scheme = scheme_of(project)
    allowed = may - pages_lacking(project)
    groups = []
    for title, pages in MENU:
        entries = tuple(
            MenuEntry(urls[page], _label(page, label, scheme), page == current)
            for page, label in pages
            if page in allowed
        )
        if entries:
            groups.append(_counted(MenuGroup(title, entries), project))
    return groups


def pages_lacking(project: Project) -> set[str]:
    """Return the view names of the menu's pages that the project does not have."""
    scheme = scheme_of(project)
    lacking = {page for page, part in NEEDS.items() if not part(scheme)}
    if not project.has_sessions:
        lacking.add("consolidation:studies")
    return lacking


def pages_named(text: str, project: Project, may: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the view names and full labels of pages of the menu with a word that begins with `text`."""
    scheme, allowed = scheme_of(project), may - pages_lacking(project)
    beginning = re.compile(rf"\b{re.escape(text)}", re.IGNORECASE)
    for group, pages in MENU:
        for page, label in pages:
            name = _label(page, label, scheme)
            full = name if name == group else f"{group}: {name}"
            if page in allowed and beginning.search(full):
                yield page, full


def _counted(group: MenuGroup, project: Project) -> MenuGroup:
    """Add the number of unread messages to their entry, if the header shows the group's entries."""
    inbox = reverse("qualification:inbox", args=[project.slug])
    if not group.current or all(entry.url != inbox for entry in group.entries):
        return group
    unread = unread_count(project=project)
    suffix = f" ({unread} new)" if unread else ""
    entries = tuple(
        replace(entry, name=entry.name + suffix) if entry.url == inbox else entry
        for entry in group.entries
    )
    return replace(group, entries=entries)


def _label(page: str, label: str, scheme: Scheme) -> str:
    """Return the label of an entry. A scheme's only resource has its own."""
    if page == "consolidation:resources" and len(scheme.resources) == 1:
        return next(iter(scheme.resources.values())).label
    return label


def _current(request: HttpRequest, urls: Mapping[str, str]) -> str:
    """Return the entry with the longest address that the page's address starts with."""
    name = (request.resolver_match and request.resolver_match.view_name) or ""
    if name in UNDER:
        return UNDER[name]
    above = [page for page, url in urls.items() if request.path.startswith(url)]
    return max(above, key=lambda page: len(urls[page]), default="")
