"""The pending tasks of a user in all their projects."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils import timezone

from consolidation.domain.experts.expert_queues import work_left_for
from dashboard.protocol import QUEUES, STAFF_ROLES, PendingTasks, pending_tasks, progress_of
from projects.domain.cached_figures import figures_of
from projects.domain.queries import projects_of
from projects.models import Project
from projects.permissions import User, pages_open_to

MAX_PROJECTS = 20


@dataclass(frozen=True, slots=True)
class ProjectTasks:
    project: Project
    tasks: PendingTasks


def tasks_of(user: User) -> Iterator[ProjectTasks]:
    """Yield the pending tasks of the user's roles, on pages that the user may open.

    Of the items in expert queues, those count that this user can work on.
    """
    left = work_left_for(expert=user, now=timezone.now())
    for project in projects_of(user=user).filter(rehearsal=None, archived_at=None)[:MAX_PROJECTS]:
        open_pages = pages_open_to(user, project)
        for tasks in pending_tasks(figures_of(progress_of, project=project).value):
            if tasks.route == QUEUES:
                tasks = replace(tasks, count=left[project.pk])  # noqa: PLW2901
            if tasks.count and tasks.role in STAFF_ROLES and tasks.route in open_pages:
                yield ProjectTasks(project, tasks)
