"""The menu of a project's pages."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from projects.models import Project
from projects.permissions import pages_open_to

# Groups of pages, each page with its view name and label.
MENU = (
    ("Overview", (("dashboard:project", "Overview"),)),
    (
        "Set up",
        (
            ("projects:settings", "Settings"),
            ("projects:members", "Members"),
        ),
    ),
    (
        "Crowd work",
        (
            ("consolidation:batches", "Batches"),
            ("consolidation:submissions", "To decide"),
            ("dashboard:jobs", "Jobs"),
        ),
    ),
    (
        "People",
        (
            ("qualification:rounds", "Training"),
            ("qualification:workers", "Workers"),
            ("consolidation:experts", "Experts"),
        ),
    ),
    (
        "Gold",
        (
            ("consolidation:items", "Items"),
            ("datasets:gold", "Gold"),
            ("consolidation:reviews", "Reviews"),
            ("datasets:exports", "Exports"),
        ),
    ),
    (
        "Quality",
        (
            ("datasets:quality", "Quality"),
            ("datasets:agreement", "Agreement"),
            ("datasets:protocols", "Protocols"),
        ),
    ),
    (
        "Money",
        (
            ("datasets:costs", "Costs"),
            ("datasets:ledger", "Ledger"),
        ),
    ),
    ("Log", (("dashboard:log", "Log"),)),
)
# The menu entry that is current on a page without an entry of its own.
UNDER = {
    "consolidation:item": "consolidation:items",
    "datasets:gold_sentence": "datasets:gold",
    "qualification:worker": "qualification:workers",
    "qualification:worker_note": "qualification:workers",
    "qualification:erase_worker_page": "qualification:workers",
    "qualification:compensate": "qualification:workers",
    "consolidation:batch": "consolidation:batches",
    "consolidation:manage_batch": "consolidation:batches",
    "consolidation:copies": "consolidation:submissions",
    "annotation:rejections": "consolidation:submissions",
    "annotation:overturn": "consolidation:submissions",
    "annotation:publish": "consolidation:batches",
    "annotation:corpus": "projects:settings",
    "annotation:corpus_preview": "projects:settings",
    "projects:guidelines": "projects:settings",
    "annotation:pay": "projects:settings",
    "rehearsal:dry_run": "projects:settings",
    "datasets:export": "datasets:exports",
    "datasets:export_details": "datasets:exports",
    "qualification:edit": "qualification:rounds",
    "qualification:publish": "qualification:rounds",
    "qualification:round": "qualification:rounds",
    "qualification:trainee": "qualification:rounds",
    "qualification:preview": "qualification:rounds",
    "qualification:groups": "qualification:rounds",
    "qualification:pool": "qualification:rounds",
    "qualification:pool_worker": "qualification:rounds",
    "consolidation:review": "consolidation:reviews",
    "projects:member": "projects:members",
    "projects:invite": "projects:members",
    "projects:invitation": "projects:members",
    "consolidation:judge": "consolidation:reviews",
    "datasets:quality_item": "datasets:quality",
    "datasets:begin_experiment": "datasets:agreement",
    "datasets:experiment": "datasets:agreement",
    "datasets:decide_match": "datasets:quality",
    "consolidation:correction": "consolidation:reviews",
    "consolidation:expert_set_up": "consolidation:experts",
    "consolidation:expert_queue": "consolidation:experts",
    "consolidation:expert_item": "consolidation:experts",
    "consolidation:expert_report": "consolidation:experts",
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


def menu_of(request: HttpRequest, project: Project) -> list[MenuGroup]:
    """Return the entries of the project's menu that the user may open."""
    name = (request.resolver_match and request.resolver_match.view_name) or ""
    current = UNDER.get(name, name)
    allowed = pages_open_to(request.user, project)
    groups = []
    for title, pages in MENU:
        entries = tuple(
            MenuEntry(reverse(page, args=[project.slug]), label, page == current)
            for page, label in pages
            if page in allowed
        )
        if entries:
            groups.append(MenuGroup(title, entries))
    return groups
