"""Look-ups of workers' pages in the resources of their project, and in others' annotations."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils.translation import gettext

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
# A value of consolidation.enums.GoldSource
EXPERT = "expert"


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
            gettext("This request wasn't sent by the task page. Reload the page.")
        ) from error


def find_precedents(*, project: Project, query: str, but_items: Collection[int]) -> list[Json]:
    """Summarize the accepted generations and reference gold of other items like those of the query.

    Only items count that are consolidated and that no open HIT offers. Otherwise a worker could read
    what somebody wrote about an item that they will annotate. Training rounds don't count. Schemes
    without precedents have none.
    """
    precedents = scheme_of(project).precedents
    if precedents is None:
        return []
    wanted = precedents.parse_query(query)
    targets = {f"target__{name}": value for name, value in wanted.target.items()}
    fields = {f"content__{name}": value for name, value in wanted.content.items()}
    items = finished_items(project=project, but_items=but_items).filter(**targets)
    accepted = Submission.objects.accepted().filter(
        role=Role.GENERATOR, item__in=items.values("pk"), **fields
    )
    newest = accepted.order_by("-pk")[:MAX_PRECEDENTS].values_list("content", flat=True)
    return precedents.summarize(query, [*newest, *_expert_gold(items, fields)])


def finished_items(*, project: Project, but_items: Collection[int] = ()) -> QuerySet[Item]:
    """Return the items in production that are consolidated and that no open HIT offers."""
    offered = TaskItem.objects.filter(
        item=OuterRef("pk"), task__hit__state__in=[HitState.PENDING, HitState.LIVE]
    )
    consolidated = Item.objects.filter(project=project, gold__case__isnull=False)
    finished = project.items.filter(in_production=True, pk__in=consolidated.values("pk"))
    return finished.filter(~Exists(offered)).exclude(pk__in=but_items)


def _expert_gold(items: QuerySet[Item], fields: Json) -> list[Json]:
    """Return the experts' gold of the items, of each the newest version, if it has these fields."""
    gold = items.filter(gold__source=EXPERT)
    versions = dict(gold.values_list("pk").annotate(newest=Max("gold__version")).order_by())
    like = {f"gold__{name}": value for name, value in fields.items()}
    rows = items.filter(gold__source=EXPERT, **like).order_by("-pk")
    found = rows.values_list("pk", "gold__version", "gold__content")[:MAX_PRECEDENTS]
    return [content for pk, version, content in found if version == versions[pk]]


def readable_task(*, claim: PageToken, now: datetime) -> Task:
    """Return the page's task with its project, for a confirmed claim.

    It may call the marketplace, so do not call it in a transaction. Raise InvalidPageError.
    """
    tasks = Task.objects.select_related("batch__project", "hit__hit_type")
    task = tasks.filter(public_id=claim.public_id).first()
    if task is None:
        raise InvalidPageError(gettext("This task doesn't exist."))
    claim = confirm_claim(claim=claim, task=task, now=now)
    check_confirmed(claim=claim, task=task)
    check_readable(claim=claim, task=task)
    return task
