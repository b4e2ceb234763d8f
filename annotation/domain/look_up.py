"""Look-ups of workers' pages in the resources of their project, and in others' annotations."""

from collections.abc import Collection

from annotation.domain.worker_page import BadMessageError, InvalidPageError, PageToken
from annotation.models import Submission, Task
from projects.domain.resources import UnknownResourceError, look_up
from projects.enums import Role
from projects.models import Project
from schemes.base import Json
from schemes.registry import get_scheme

# The name under which pages look up how others annotated similar items.
PRECEDENTS = "precedents"
# The number of annotations that a summary covers. The newest count.
MOST_PRECEDENTS = 500


def look_up_for_page(
    *, project: Project, resource: str, query: str, items: Collection[int]
) -> list[Json]:
    """Return the results of a query. `items` are the ids of the page's own items.

    Raise BadMessageError for an unknown resource.
    """
    if resource == PRECEDENTS and get_scheme(project.scheme).precedents:
        return find_precedents(project=project, query=query, but_items=items)
    try:
        return look_up(project=project, name=resource, query=query)
    except UnknownResourceError as error:
        raise BadMessageError(
            "This request wasn't sent by the task page. Reload the page."
        ) from error


def find_precedents(*, project: Project, query: str, but_items: Collection[int]) -> list[Json]:
    """Summarize the accepted generations of other items like those of the query.

    Training rounds don't count. Schemes without precedents have none.
    """
    precedents = get_scheme(project.scheme).precedents
    if precedents is None:
        return []
    like = {f"item__target__{name}": value for name, value in precedents.like(query).items()}
    accepted = Submission.objects.accepted().filter(
        item__project=project, item__in_production=True, role=Role.GENERATOR, **like
    )
    newest = accepted.exclude(item__in=but_items).order_by("-pk")[:MOST_PRECEDENTS]
    return precedents.summarize(newest.values_list("content", flat=True))


def task_of_page(claim: PageToken) -> Task:
    """Return the page's task with its project. Raise InvalidPageError."""
    tasks = Task.objects.select_related("batch__project")
    task = tasks.filter(public_id=claim.public_id).first()
    if task is None:
        raise InvalidPageError("This task doesn't exist.")
    return task
