"""Make expert gold of experts' annotations, at once or afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.domain.corpus.item_context import context_of
from annotation.models import Submission
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.gold.accept_identical import are_same
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import ExpertWork, GoldSource, QueueState
from consolidation.models import ExpertDraft, ExpertQueue, Gold
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project


class GoldSettingError(TouchstoneError):
    """The queue's annotations can't become gold in this way. The message explains why."""


@dataclass(frozen=True, slots=True)
class GoldPlan:
    """The annotations of a queue that can become gold, one per item.

    `to_merge` counts items whose experts differ. `waiting` counts items that other experts of an
    open queue have yet to annotate.
    """

    usable: Sequence[Submission] = field(default_factory=list)
    to_merge: int = 0
    waiting: int = 0


def make_expert_gold(*, submission: Submission, now: datetime) -> Gold:
    """Add the annotation as the next version of its item's expert gold."""
    item = submission.item
    merging = scheme_of(item.project).get_merging()
    source = merging.as_source(submission.content)
    consolidation = merging.parse(merging.keep_all(source), context_of(item), [source])
    content, _ = merging.gold_of(consolidation, [source])
    return add_gold(
        item=item,
        source=GoldSource.EXPERT,
        content=content,
        provenance=merging.trace(consolidation, [source]).provenance,
        submission=submission,
        now=now,
    )


@transaction.atomic
def use_as_gold(*, queue: ExpertQueue, actor: str, now: datetime) -> GoldPlan:
    """Make expert gold of the queue's usable annotations. Return what was used and what is left.

    A repetition adds nothing, because an item with newer expert gold is left out.
    """
    queue = ExpertQueue.objects.select_for_update(of=("self",)).get(pk=queue.pk)
    plan = plan_gold(queue=queue)
    for submission in plan.usable:
        make_expert_gold(submission=submission, now=now)
    if plan.usable:
        reason = f"{len(plan.usable)} annotations became expert gold."
        log_state_change(
            instance=queue, old=queue.state, new="used as gold", actor=actor, now=now, reason=reason
        )
    return plan


def plan_gold(*, queue: ExpertQueue) -> GoldPlan:
    """Choose one annotation of each finished item that has no newer expert gold.

    An item is finished if all its experts, or some experts of a closed queue, have annotated it. An
    item with several different annotations has to be merged.
    """
    if queue.kind != ExpertWork.ANNOTATE:
        return GoldPlan()
    usable, to_merge, waiting = [], 0, 0
    for _, group in groupby(_annotations(queue), lambda submission: submission.item_id):
        annotations = list(group)
        if len(annotations) < queue.experts_per_item and queue.state == QueueState.OPEN:
            waiting += 1
        elif _agree(annotations):
            usable.append(annotations[0])
        else:
            to_merge += 1
    return GoldPlan(usable=usable, to_merge=to_merge, waiting=waiting)


def _annotations(queue: ExpertQueue) -> QuerySet[Submission]:
    """Return the queue's annotations of items without newer expert gold, by item."""
    drafts = _not_yet_gold(queue.project).filter(queued__queue=queue)
    written_here = ExpertDraft.objects.filter(
        queued__queue=queue,
        queued__item=OuterRef("item"),
        author=OuterRef("author"),
        submitted_at__isnull=False,
    )
    rows = Submission.objects.accepted().filter(
        Exists(written_here), role=Role.EXPERT, item__in=drafts.values("queued__item")
    )
    return rows.select_related("item__project", "item__sentence__image").order_by("item", "pk")


def _agree(annotations: Sequence[Submission]) -> bool:
    scheme = scheme_of(annotations[0].item.project)
    contents = [annotation.content for annotation in annotations]
    return are_same(contents, merging=scheme.get_merging())


def _not_yet_gold(project: Project) -> QuerySet[ExpertDraft]:
    """Return the submitted annotations whose items have no expert gold that is as new."""
    newer = Gold.objects.filter(
        item=OuterRef("queued__item"),
        source=GoldSource.EXPERT,
        created_at__gte=OuterRef("submitted_at"),
    )
    return ExpertDraft.objects.filter(
        ~Exists(newer),
        queued__queue__project=project,
        queued__queue__kind=ExpertWork.ANNOTATE,
        submitted_at__isnull=False,
    )


def count_not_yet_gold(*, project: Project) -> dict[int, int]:
    """Count the annotated items without newer expert gold, by queue id."""
    rows = _not_yet_gold(project).order_by().values_list("queued__queue")
    return dict(rows.annotate(n=Count("queued__item", distinct=True)))


@transaction.atomic
def set_gold_use(*, queue: ExpertQueue, makes_gold: bool, actor: str, now: datetime) -> None:
    """Choose if further annotations become expert gold at once. Raise GoldSettingError."""
    queue = ExpertQueue.objects.select_for_update(of=("self",)).get(pk=queue.pk)
    if queue.makes_gold == makes_gold:
        return
    if queue.kind != ExpertWork.ANNOTATE or queue.is_for_disputes:
        raise GoldSettingError(f"The work of “{queue.title}” always becomes expert gold.")
    if queue.experts_per_item > 1:
        raise GoldSettingError(
            "Annotations by several experts must be merged before they become gold."
        )
    queue.makes_gold = makes_gold
    queue.save(update_fields=["makes_gold"])
    reason = "Annotations become expert gold " + ("at once." if makes_gold else "on request.")
    log_state_change(
        instance=queue, old=queue.state, new="edited", actor=actor, now=now, reason=reason
    )
