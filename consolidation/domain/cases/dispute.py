"""Disputed annotations: store what is disputed, and settle cases that stay disputed."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.models import Item, Submission
from audit.domain.change_state import change_state, log_state_change
from consolidation.domain.case_records import TRANSITIONS
from consolidation.enums import CaseState, ExpertWork
from consolidation.models import Case, Dispute, ExpertQueue, QueuedItem
from projects.enums import AfterDisputes
from projects.models import Project
from schemes.contract.values import Json

AUTOMATIC = "automatic"
# Of the expert queue that a project gets for its disputed items
QUEUE_TITLE = "Disputed items"


def raise_dispute(
    *, case: Case, content: Json, verifications: Sequence[Submission], now: datetime
) -> None:
    """Store the disputed parts, and return the annotation to its generator if it may be revised.

    The caller must lock the case's row.
    """
    dispute = Dispute.objects.create(
        case=case,
        round=case.round,
        content=content,
        source=case.sources.get().submission,
        found_at=now,
    )
    dispute.verifications.set(verifications)
    if case.round >= case.item.project.revision_limit:
        leave_disputed(case=case, reason="The limit of revisions is reached.", now=now)
        return
    change_state(
        instance=case,
        new=CaseState.REVISING,
        transitions=TRANSITIONS,
        actor=AUTOMATIC,
        now=now,
        task=None,
    )


def leave_disputed(*, case: Case, reason: str, now: datetime) -> None:
    """Settle the case as disputed. An expert annotates the item if the project says so."""
    change_state(
        instance=case,
        new=CaseState.DISPUTED,
        transitions=TRANSITIONS,
        actor=AUTOMATIC,
        now=now,
        reason=reason,
    )
    if case.item.project.after_disputes == AfterDisputes.EXPERTS:
        queue_disputed_item(item=case.item, now=now)


@transaction.atomic
def queue_disputed_item(*, item: Item, now: datetime) -> QueuedItem:
    """Add the item to the project's queue of disputed items. A repeat changes nothing."""
    # The lock prevents a second queue and equal ordinals.
    project = Project.objects.select_for_update(of=("self",)).get(pk=item.project_id)
    queue = project.expert_queues.filter(is_for_disputes=True).first() or _create_queue(
        project, now
    )
    last = queue.queued.aggregate(last=Max("ordinal"))["last"]
    queued, _ = QueuedItem.objects.get_or_create(
        queue=queue, item=item, defaults={"ordinal": 0 if last is None else last + 1}
    )
    return queued


def _create_queue(project: Project, now: datetime) -> ExpertQueue:
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
    title, number = QUEUE_TITLE, 1
    while title in titles:
        number += 1
        title = f"{QUEUE_TITLE} ({number})"
    return title
