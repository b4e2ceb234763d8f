"""Look-ups of workers' pages in the resources of their project."""

from annotation.domain.worker_page import BadMessageError, InvalidPageError, PageToken
from annotation.models import Task
from projects.domain.resources import UnknownResourceError, look_up
from projects.models import Project
from schemes.base import Json


def look_up_for_page(*, project: Project, resource: str, query: str) -> list[Json]:
    """Return the results of a query. Raise BadMessageError for an unknown resource."""
    try:
        return look_up(project=project, name=resource, query=query)
    except UnknownResourceError as error:
        raise BadMessageError(str(error)) from error


def project_of_page(claim: PageToken) -> Project:
    """Return the project of the page's task. Raise InvalidPageError."""
    tasks = Task.objects.select_related("batch__project")
    task = tasks.filter(public_id=claim.public_id).first()
    if task is None:
        raise InvalidPageError("This task does not exist.")
    return task.batch.project
