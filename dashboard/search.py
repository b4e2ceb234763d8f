"""Search for pages, projects, items, workers and batches by their names, ids or texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse

from annotation.domain.publishing.queries import items_with_text
from annotation.models import Batch, Item
from crowd.models import Worker
from dashboard.menu import pages_named
from projects.domain.label_worker import workers_named
from projects.domain.queries import projects_of
from projects.models import Project
from projects.permissions import User, pages_open_to

# Results of each kind in each project.
LIMIT = 10
# A text is searched in this many projects at most. Others are found by the ids of their items.
MAX_PROJECTS = 20
_BATCH = re.compile(r"(?:batch\s*|#)?(\d{1,9})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Result:
    """A page that matches. `note` says where it belongs."""

    url: str
    title: str
    note: str


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one kind, and whether there are more."""

    kind: str
    rows: list[Result]
    more: bool


def search(*, text: str, user: User, project: Project | None = None) -> list[Results]:
    """Return what matches in the user's projects, or in one of them, without empty kinds."""
    wanted = " ".join(text.split())
    if not wanted:
        return []
    projects = [project] if project else list(projects_of(user=user)[:MAX_PROJECTS])
    open_to = {row.pk: pages_open_to(user, row) for row in projects}
    found: dict[str, list[Result]] = {}
    if project is None:
        found["Projects"] = [*_projects(wanted, user)]
    for row in projects:
        found.setdefault("Pages", []).extend(_pages(wanted, row, open_to[row.pk]))
        for kind, page, matches in _KINDS:
            if page in open_to[row.pk]:
                found.setdefault(kind, []).extend(matches(wanted, row))
    return [Results(kind, rows[:LIMIT], len(rows) > LIMIT) for kind, rows in found.items() if rows]


def _projects(text: str, user: User) -> Iterator[Result]:
    named = Q(title__icontains=text) | Q(slug__icontains=text)
    for project in projects_of(user=user).filter(named)[: LIMIT + 1]:
        yield Result(reverse("dashboard:project", args=[project.slug]), project.title, project.slug)


def _pages(text: str, project: Project, may: frozenset[str]) -> Iterator[Result]:
    for page, name in pages_named(text, project, may):
        yield Result(reverse(page, args=[project.slug]), name, project.title)


def _batches(text: str, project: Project) -> Iterator[Result]:
    number = _BATCH.fullmatch(text)
    batches = Batch.objects.filter(project=project, number=int(number[1])) if number else ()
    for batch in batches:
        url = reverse("consolidation:batch", args=[project.slug, batch.pk])
        yield Result(url, batch.name, f"{project.title}, {batch.get_role_display()}")


def _workers(text: str, project: Project) -> Iterator[Result]:
    nicknamed = workers_named(project=project, text=text)
    named = Q(pseudonym__istartswith=text) | Q(external_id=text) | Q(pk__in=nicknamed)
    workers = Worker.objects.filter(named, submissions__item__project=project).distinct()
    for worker in workers.order_by("pseudonym")[: LIMIT + 1]:
        url = reverse("qualification:worker", args=[project.slug, worker.pseudonym])
        label = project.labels_by_worker.get(worker.pk)
        name = f"{worker.pseudonym}, {label.nickname}" if label and label.nickname else ""
        yield Result(url, name or worker.pseudonym, project.title)


def _items(text: str, project: Project) -> Iterator[Result]:
    items = Item.objects.filter(items_with_text(text, project=project)).select_related("sentence")
    for item in items.order_by("pk")[: LIMIT + 1]:
        url = reverse("consolidation:item", args=[project.slug, item.pk])
        yield Result(url, item.key, f"{project.title}: {item.sentence.shown_text}")


# Kinds with the page that shows them, which the user must be allowed to open.
_KINDS = (
    ("Batches", "consolidation:batch", _batches),
    ("Workers", "qualification:worker", _workers),
    ("Items", "consolidation:item", _items),
)
