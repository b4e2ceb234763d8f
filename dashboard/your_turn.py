"""The tasks that wait for a user, in all their projects."""

from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.protocol import STAFF_ROLES, Waiting, progress_of, waiting_of
from projects.domain.cached_figures import figures_of
from projects.domain.queries import projects_of
from projects.models import Project
from projects.permissions import User, pages_open_to

MAX_PROJECTS = 20


@dataclass(frozen=True, slots=True)
class PendingTask:
    project: Project
    work: Waiting


def tasks_of(user: User) -> Iterator[PendingTask]:
    """Yield what waits for the user's roles, on pages that the user may open."""
    for project in projects_of(user=user).filter(rehearsal=None, archived_at=None)[:MAX_PROJECTS]:
        open_pages = pages_open_to(user, project)
        for work in waiting_of(figures_of(progress_of, project=project).value):
            if work.whom in STAFF_ROLES and work.route in open_pages:
                yield PendingTask(project, work)
