"""Queues of items for experts, set up by staff and worked on one item at a time.

An `ExpertDraft` reserves an item. Experts who annotate an item have not seen other annotations of
it. An expert who merges annotations has written none of them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    When,
    Window,
)
from django.db.models.functions import Cast, Coalesce, Greatest, RowNumber

from annotation.domain.corpus.item_files import read_item_rows
from annotation.domain.corpus.source_files import AS_IT_IS, ReadOptions
from annotation.models import Item, Submission
from audit.domain.change_state import Transitions, change_state, log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.cases.queries import settled_items
from consolidation.domain.gold.merge import gather, open_merges
from consolidation.enums import ExpertWork, FlagState, MergeState, QueueState
from consolidation.models import (
    ExpertDraft,
    ExpertQueue,
    ItemFlag,
    Merge,
    MergeSource,
    QueuedItem,
    Review,
)
from projects.enums import Role
from projects.models import Project
from schemes.contract.errors import FileError

TRANSITIONS: Transitions = {
    QueueState.OPEN: [QueueState.CLOSED],
    QueueState.CLOSED: [QueueState.OPEN],
}
# Another expert may take over a reservation without activity for this long.
RESERVATION_TIMEOUT = timedelta(hours=24)


class QueueSetupError(TouchstoneError):
    """The queue can't be set up. The message explains what to do."""


@dataclass(frozen=True, slots=True)
class QueuePlan:
    """The settings of a new queue.

    `sources` are keys of `consolidation.domain.gold.merge.sources_there`.
    """

    title: str
    kind: str = ExpertWork.ANNOTATE
    experts_per_item: int = 1
    makes_gold: bool = False
    sources: Sequence[str] = ()


@transaction.atomic
def set_up_queue(
    *,
    project: Project,
    plan: QueuePlan,
    items: Sequence[Item],
    created_by: AbstractBaseUser,
    now: datetime,
) -> ExpertQueue:
    """Create a queue of these items in their order.

    A merge queue leaves out items without an annotation to merge. Raise QueueSetupError if there
    are no items, nothing to merge, a duplicate title, or a bad number of experts.
    """
    merges = plan.kind == ExpertWork.MERGE
    _check(project, plan, items)
    annotations = gather(project=project, items=items, sources=plan.sources) if merges else {}
    chosen = [item for item in dict.fromkeys(items) if not merges or annotations.get(item.pk)]
    if not chosen:
        raise QueueSetupError("None of these items has an annotation from the selected sources.")
    queue = ExpertQueue.objects.create(
        project=project,
        title=plan.title,
        kind=plan.kind,
        experts_per_item=1 if merges else plan.experts_per_item,
        makes_gold=merges or plan.makes_gold,
        created_by_id=created_by.pk,
        created_at=now,
    )
    rows = QueuedItem.objects.bulk_create(
        QueuedItem(queue=queue, item=item, ordinal=ordinal) for ordinal, item in enumerate(chosen)
    )
    log_state_change(instance=queue, old="", new=queue.state, actor=str(created_by), now=now)
    if merges:
        open_merges(queued=rows, annotations=annotations, actor=str(created_by), now=now)
    return queue


def _check(project: Project, plan: QueuePlan, items: Sequence[Item]) -> None:
    if not items:
        raise QueueSetupError("The queue needs at least one item.")
    if ExpertQueue.objects.filter(project=project, title=plan.title).exists():
        raise QueueSetupError(f"A queue named “{plan.title}” already exists. Choose another title.")
    if plan.kind == ExpertWork.MERGE:
        if not plan.sources:
            raise QueueSetupError("Choose at least one source to merge.")
        return
    if not 1 <= plan.experts_per_item <= 9:
        raise QueueSetupError("Choose one to nine experts per item.")
    if plan.makes_gold and plan.experts_per_item > 1:
        raise QueueSetupError(
            "Annotations by several experts must be merged before they become gold."
        )


def change_queue(*, queue: ExpertQueue, state: str, actor: str, now: datetime) -> None:
    """Close or reopen the queue. Work that was started can still be finished."""
    change_state(instance=queue, new=state, transitions=TRANSITIONS, actor=actor, now=now)


def sample_of(*, project: Project, kind: str, count: int, consolidated: bool = False) -> list[Item]:
    """Return `count` items without a queue of this kind, from as many documents or images as possible.

    The seeded shuffle orders the items of each document or image, and the documents and images.
    """
    items = settled_items(project=project) if consolidated else project.items.all()
    queued = QueuedItem.objects.filter(item=OuterRef("pk"), queue__kind=kind)
    group = Case(
        When(sentence__group="", then=Cast("sentence", CharField())), default="sentence__group"
    )
    rank = Window(RowNumber(), partition_by=[group], order_by=["position", "pk"])
    ranked = _ready(items).exclude(Exists(queued)).annotate(rank=rank)
    return list(ranked.order_by("rank", "position", "pk")[:count])


def items_of_queue(*, queue: ExpertQueue) -> list[Item]:
    return list(_ready(queue.items.all()).order_by("queued__ordinal"))


def items_named(*, project: Project, keys: Sequence[str]) -> list[Item]:
    """Return the items with these keys. Raise QueueSetupError for an unknown key."""
    by_key = {item.key: item for item in _ready(project.items.filter(key__in=keys))}
    if unknown := [key for key in keys if key not in by_key]:
        raise QueueSetupError(f"{project.slug} has no item {unknown[0]!r}.")
    return [by_key[key] for key in dict.fromkeys(keys)]


def read_item_keys(project: Project, path: Path, *, options: ReadOptions = AS_IT_IS) -> list[str]:
    """Read item keys from the column `item` or the scheme's own columns. Raise FileError."""
    keys = [key for _, key, _ in read_item_rows(project, path, options=options)]
    if not keys:
        raise FileError(path.name, None, "contains no items.")
    return list(dict.fromkeys(keys))


def _ready(items: QuerySet[Item]) -> QuerySet[Item]:
    return items.select_related("project", "sentence__image")


def open_to(*, expert: AbstractBaseUser | AnonymousUser, now: datetime) -> QuerySet[QueuedItem]:
    """Return the queued items of open queues that this expert may begin."""
    reservations = _drafts(
        Q(submitted_at__isnull=False) | Q(saved_at__gt=now - RESERVATION_TIMEOUT)
    )
    taken = (
        reservations.exclude(author=expert.pk).order_by().values("queued").annotate(n=Count("pk"))
    )
    count = Coalesce(Subquery(taken.values("n"), output_field=IntegerField()), 0)
    item = OuterRef("item")
    merged = Exists(Merge.objects.filter(queued=OuterRef("pk"), state=MergeState.MERGED))
    own_sources = MergeSource.objects.filter(submission__author=expert.pk)
    wrote_a_source = Exists(own_sources.filter(merge__queued=OuterRef("pk")))
    return (
        QueuedItem.objects.filter(~unworkable(), queue__state=QueueState.OPEN)
        .exclude(Exists(_drafts(Q(author=expert.pk))))
        .exclude(Q(queue__kind=ExpertWork.ANNOTATE) & knows(expert, item))
        .exclude(Q(queue__kind=ExpertWork.MERGE) & (merged | wrote_a_source))
        .alias(taken=count)
        .filter(taken__lt=F("queue__experts_per_item"))
    )


def started_by(*, expert: AbstractBaseUser | AnonymousUser) -> QuerySet[QueuedItem]:
    """Return the queued items that this expert has opened and can still submit."""
    opened = QueuedItem.objects.filter(
        ~unworkable(), drafts__author=expert.pk, drafts__submitted_at=None
    )
    return opened.exclude(merge__state=MergeState.MERGED)


def unworkable() -> Q:
    """Match queued items that nobody should work on: withdrawn ones, and those with an open flag."""
    flags = ItemFlag.objects.filter(item=OuterRef("item"), state=FlagState.OPEN)
    return Q(item__withdrawn_at__isnull=False) | Q(Exists(flags))


def _drafts(condition: Q) -> QuerySet[ExpertDraft]:
    return ExpertDraft.objects.filter(condition, queued=OuterRef("pk"))


def knows(expert: AbstractBaseUser | AnonymousUser, item: OuterRef) -> Q:
    """Match items that the expert has annotated, or seen annotated in a merge, dispute or review."""
    own = Submission.objects.live().filter(item=item, role=Role.EXPERT, author=expert.pk)
    merges = ExpertDraft.objects.filter(
        Q(queued__queue__kind=ExpertWork.MERGE) | Q(queued__queue__is_for_disputes=True),
        author=expert.pk,
        queued__item=item,
    )
    corrections = ExpertDraft.objects.filter(author=expert.pk, review__gold__item=item)
    reviews = Review.objects.filter(expert=expert.pk, gold__item=item)
    return Q(Exists(own)) | Q(Exists(merges)) | Q(Exists(corrections)) | Q(Exists(reviews))


@transaction.atomic
def take_next(
    *,
    queue: ExpertQueue,
    expert: AbstractBaseUser,
    now: datetime,
    leaving: int | None = None,
) -> QueuedItem | None:
    """Reserve an item for the expert and return it, or None if there is none.

    An unfinished item comes first. An expert who is leaving an item gets a new one first.
    """
    queue = ExpertQueue.objects.select_for_update().get(pk=queue.pk)
    mine = started_by(expert=expert).filter(queue=queue)
    started = mine.exclude(pk=leaving or 0).order_by("ordinal").first()
    if started and leaving is None:
        return started
    fresh = open_to(expert=expert, now=now).filter(queue=queue).order_by("ordinal").first()
    if fresh:
        ExpertDraft.objects.create(queued=fresh, author_id=expert.pk, opened_at=now, saved_at=now)
    return fresh or started


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue as seen by one expert.

    `started`, `done` and `left` count the expert's own items. `finished` and `wanted` count the work
    of all experts, for users who may see it.
    """

    queue: ExpertQueue
    started: int
    done: int
    left: int
    finished: int
    wanted: int


def work_left(*, project: Project) -> int:
    """Count the annotations and merges still missing from the project's open queues."""
    done = Count("drafts", filter=Q(drafts__submitted_at__isnull=False))
    rows = QueuedItem.objects.filter(
        ~unworkable(), queue__project=project, queue__state=QueueState.OPEN
    )
    missing = rows.annotate(missing=Greatest(F("queue__experts_per_item") - done, 0))
    return int(missing.aggregate(n=Sum("missing"))["n"] or 0)


def work_left_for(*, expert: AbstractBaseUser | AnonymousUser, now: datetime) -> Counter[int]:
    """Count the queued items that this expert has started or may begin, by project id."""
    left: Counter[int] = Counter()
    for rows in (started_by(expert=expert), open_to(expert=expert, now=now)):
        by_project = rows.order_by().values_list("queue__project")
        left.update(dict(by_project.annotate(n=Count("pk"))))
    return left


@dataclass(frozen=True, slots=True)
class Position:
    """An item's place among the items of its queue that an expert has opened.

    `number` counts from 1, and `total` includes the items that are left. `previous` and `next` are the
    ids of the neighbours in the order in which the expert opened them, or None.
    """

    number: int
    total: int
    previous: int | None
    next: int | None


def position_of(
    *, queued: QueuedItem, expert: AbstractBaseUser | AnonymousUser, now: datetime
) -> Position:
    drafts = ExpertDraft.objects.filter(author=expert.pk, queued__queue=queued.queue_id)
    started = started_by(expert=expert).filter(queue=queued.queue_id)
    opened = drafts.filter(Q(submitted_at__isnull=False) | Q(queued__in=started))
    own = list(opened.order_by("opened_at", "pk").values_list("queued", flat=True))
    left = open_to(expert=expert, now=now).filter(queue=queued.queue_id).count()
    at = own.index(queued.pk) if queued.pk in own else len(own)
    return Position(
        number=at + 1,
        total=max(len(own) + left, at + 1),
        previous=own[at - 1] if at else None,
        next=own[at + 1] if at + 1 < len(own) else None,
    )


@transaction.atomic
def add_to_queue(*, queue: ExpertQueue, items: Sequence[Item], actor: str, now: datetime) -> int:
    """Add items to an annotation queue, after its others. Return how many were not in it.

    Raise QueueSetupError for a merge queue, whose sources were copied at its creation.
    """
    queue = ExpertQueue.objects.select_for_update(of=("self",)).get(pk=queue.pk)
    if queue.kind != ExpertWork.ANNOTATE or queue.is_for_disputes:
        raise QueueSetupError(f"“{queue.title}” can't get further items. Create a new queue.")
    known = set(queue.queued.values_list("item", flat=True))
    fresh = [item for item in dict.fromkeys(items) if item.pk not in known]
    last = queue.queued.aggregate(last=Max("ordinal"))["last"]
    start = 0 if last is None else last + 1
    QueuedItem.objects.bulk_create(
        QueuedItem(queue=queue, item=item, ordinal=start + at) for at, item in enumerate(fresh)
    )
    if fresh:
        reason = f"{len(fresh)} items were added."
        log_state_change(
            instance=queue, old=queue.state, new="edited", actor=actor, now=now, reason=reason
        )
    return len(fresh)


def queues_of(
    *, project: Project, expert: AbstractBaseUser | AnonymousUser, now: datetime
) -> list[QueueRow]:
    """Return the project's queues, open queues first, then newest first."""
    queues = project.expert_queues.annotate(
        size=Count("queued", distinct=True),
        finished=Count(
            "queued__drafts", filter=Q(queued__drafts__submitted_at__isnull=False), distinct=True
        ),
    ).order_by("-state", "-pk")
    own = ExpertDraft.objects.filter(author=expert.pk, queued__queue__project=project)
    submitted = own.filter(submitted_at__isnull=False).order_by().values_list("queued__queue")
    done = dict(submitted.annotate(n=Count("pk")))
    begun = started_by(expert=expert).filter(queue__project=project).order_by()
    started = dict(begun.values_list("queue").annotate(n=Count("pk")))
    free = open_to(expert=expert, now=now).filter(queue__project=project).order_by()
    left = dict(free.values_list("queue").annotate(n=Count("pk")))
    return [
        QueueRow(
            queue=queue,
            started=started.get(queue.pk, 0),
            done=done.get(queue.pk, 0),
            left=left.get(queue.pk, 0),
            finished=queue.finished,
            wanted=queue.size * queue.experts_per_item,
        )
        for queue in queues
    ]
