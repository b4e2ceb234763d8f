"""Look-ups of workers' pages in the resources of their project, and in others' annotations."""

from collections.abc import Collection
from datetime import datetime

from annotation.domain.work.confirm_claim import check_confirmed, check_readable, confirm_claim
from annotation.domain.work.worker_page import BadMessageError, InvalidPageError, PageToken
from annotation.models import Item, Submission, Task, TaskItem
from crowd.enums import HitState
from projects.domain.resources import UnknownResourceError, look_up
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.values import Json

# The name under which pages look up how others annotated similar items.
PRECEDENTS = "precedents"
# The number of annotations that a summary covers. The newest count.
MAX_PRECEDENTS = 500


def look_up_for_page(
    *, project: Project, resource: str, query: str, items: Collection[int]
) -> list[Json]:
    """Return the results of a query. `items` are the ids of the page's own items.

    Raise BadMessageError for an unknown resource.
    """
    if resource == PRECEDENTS and scheme_of(project).precedents:
        return find_precedents(project=project, query=query, but_items=items)
    try:
        return look_up(project=project, name=resource, query=query)
    except UnknownResourceError as error:
        raise BadMessageError(
            "This request wasn't sent by the task page. Reload the page."
        ) from error


def find_precedents(*, project: Project, query: str, but_items: Collection[int]) -> list[Json]:
    """Summarize the accepted generations of other items like those of the query.

    Only items count that are consolidated and that no open HIT offers. Otherwise a worker could read
    what somebody wrote about an item that they will annotate. Training rounds don't count. Schemes
    without precedents have none.
    """
    precedents = scheme_of(project).precedents
    if precedents is None:
        return []
    like = {f"item__target__{name}": value for name, value in precedents.like(query).items()}
    accepted = Submission.objects.accepted().filter(
        item__project=project, item__in_production=True, role=Role.GENERATOR, **like
    )
    offered = TaskItem.objects.filter(
        item__project=project, task__hit__state__in=[HitState.PENDING, HitState.LIVE]
    )
    settled = Item.objects.filter(project=project, gold__case__isnull=False)
    others = accepted.filter(item__in=settled.values("pk")).exclude(item__in=but_items)
    newest = others.exclude(item__in=offered.values("item")).order_by("-pk")[:MAX_PRECEDENTS]
    return precedents.summarize(newest.values_list("content", flat=True))


def readable_task(*, claim: PageToken, now: datetime) -> Task:
    """Return the page's task with its project, for a confirmed claim.

    It may call the marketplace, so do not call it in a transaction. Raise InvalidPageError.
    """
    tasks = Task.objects.select_related("batch__project", "hit__hit_type")
    task = tasks.filter(public_id=claim.public_id).first()
    if task is None:
        raise InvalidPageError("This task doesn't exist.")
    claim = confirm_claim(claim=claim, task=task, now=now)
    check_confirmed(claim=claim, task=task)
    check_readable(claim=claim, task=task)
    return task
