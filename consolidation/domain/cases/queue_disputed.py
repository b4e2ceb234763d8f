"""The expert queue of a project's disputed items, which the site creates and extends."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.models import Item
from audit.domain.change_state import log_state_change
from consolidation.enums import ExpertWork
from consolidation.models import ExpertQueue, QueuedItem
from projects.models import Project

TITLE = "Disputed items"


@transaction.atomic
def queue_disputed_item(*, item: Item, now: datetime) -> QueuedItem:
    """Add the item to the project's queue of disputed items. A repeat changes nothing."""
    # The lock prevents a second queue and equal ordinals.
    project = Project.objects.select_for_update(of=("self",)).get(pk=item.project_id)
    queue = project.expert_queues.filter(is_for_disputes=True).first() or _create(project, now)
    last = queue.queued.aggregate(last=Max("ordinal"))["last"]
    queued, _ = QueuedItem.objects.get_or_create(
        queue=queue, item=item, defaults={"ordinal": 0 if last is None else last + 1}
    )
    return queued


def _create(project: Project, now: datetime) -> ExpertQueue:
    queue = ExpertQueue.objects.create(
        project=project,
        title=_free_title(project),
        kind=ExpertWork.ANNOTATE,
        experts_per_item=1,
        makes_gold=True,
        is_for_disputes=True,
        created_at=now,
    )
    log_state_change(instance=queue, old="", new=queue.state, actor="automatic", now=now)
    return queue


def _free_title(project: Project) -> str:
    """Return the queue's title, with a number if a person's queue has the same title."""
    titles = set(project.expert_queues.values_list("title", flat=True))
    title, number = TITLE, 1
    while title in titles:
        number += 1
        title = f"{TITLE} ({number})"
    return title
