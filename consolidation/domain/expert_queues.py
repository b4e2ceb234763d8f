"""Queues of items for experts: set up by the office, taken by experts one item at a time.

A seat on an item is an `ExpertDraft`. Experts who annotate an item have not seen anybody else's
annotation of it, and who merges annotations has written none of them.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce, Greatest

from annotation.domain.import_corpus import item_key
from annotation.enums import Role
from annotation.models import Item, Project, Submission
from audit.domain.change_state import Moves, change_state, log_state_change
from consolidation.domain.merge import gather, open_merges
from consolidation.domain.queries import settled_items
from consolidation.enums import ExpertWork, MergeState, QueueState
from consolidation.models import (
    ExpertDraft,
    ExpertQueue,
    Merge,
    MergeSource,
    QueuedItem,
    Review,
)
from schemes.base import FileError

MOVES: Moves = {QueueState.OPEN: [QueueState.CLOSED], QueueState.CLOSED: [QueueState.OPEN]}
# A seat that nobody has worked on for so long may be taken by another expert.
SEAT_LASTS = timedelta(hours=24)


class QueueRefused(Exception):
    """The queue can't be set up like this; the message says what to do."""


@dataclass(frozen=True, slots=True)
class QueuePlan:
    """A queue to be. `sources` are keys of `consolidation.domain.merge.sources_there`."""

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
    """A queue of these items, in their order; of a merge, those that have anything to merge.

    Raises QueueRefused for no items, nothing to merge, a title twice, a bad number of experts.
    """
    merges = plan.kind == ExpertWork.MERGE
    _check(project, plan, items)
    found = gather(project=project, items=items, sources=plan.sources) if merges else {}
    taken = [item for item in dict.fromkeys(items) if not merges or found.get(item.pk)]
    if not taken:
        raise QueueRefused("None of these items has an annotation from the sources chosen.")
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
        QueuedItem(queue=queue, item=item, ordinal=ordinal) for ordinal, item in enumerate(taken)
    )
    log_state_change(instance=queue, old="", new=queue.state, actor=str(created_by), now=now)
    if merges:
        open_merges(queued=rows, found=found, actor=str(created_by), now=now)
    return queue


def _check(project: Project, plan: QueuePlan, items: Sequence[Item]) -> None:
    if not items:
        raise QueueRefused("There is no item to work on.")
    if ExpertQueue.objects.filter(project=project, title=plan.title).exists():
        raise QueueRefused(f"There is a queue “{plan.title}” already.")
    if plan.kind == ExpertWork.MERGE:
        if not plan.sources:
            raise QueueRefused("Choose at least one source to merge.")
        return
    if not 1 <= plan.experts_per_item <= 9:
        raise QueueRefused("An item is annotated by one to nine experts.")
    if plan.makes_gold and plan.experts_per_item > 1:
        raise QueueRefused("What several experts write is merged before it is gold.")


def change_queue(*, queue: ExpertQueue, state: str, actor: str, now: datetime) -> ExpertQueue:
    """Close the queue, or open it again: what was begun can be finished all the same."""
    return change_state(instance=queue, new=state, moves=MOVES, actor=actor, now=now)


# --- which items ---------------------------------------------------------------------------------


def sample_of(*, project: Project, kind: str, count: int, consolidated: bool = False) -> list[Item]:
    """The first `count` items of the project's seeded shuffle that no queue of the kind has, all of
    them or the consolidated ones."""
    items = settled_items(project=project) if consolidated else project.items.all()
    queued = QueuedItem.objects.filter(item=OuterRef("pk"), queue__kind=kind)
    return list(_ready(items).exclude(Exists(queued)).order_by("position", "pk")[:count])


def items_of_queue(*, queue: ExpertQueue) -> list[Item]:
    return list(_ready(queue.items.all()).order_by("queued__ordinal"))


def items_named(*, project: Project, keys: Sequence[str]) -> list[Item]:
    """Raises QueueRefused for a key that the project has not."""
    found = {item.key: item for item in _ready(project.items.filter(key__in=keys))}
    if unknown := [key for key in keys if key not in found]:
        raise QueueRefused(f"{project.slug} has no item {unknown[0]!r}.")
    return [found[key] for key in dict.fromkeys(keys)]


def read_item_keys(path: Path) -> list[str]:
    """The items of a CSV file with the columns qasrl_id and verb_idx, others aside. Raises FileError."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            keys = [_key(row, path.name, line) for line, row in enumerate(csv.DictReader(file), 2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(path.name, None, f"can't be read: {error}") from error
    if not keys:
        raise FileError(path.name, None, "names no items.")
    return list(dict.fromkeys(keys))


def _key(row: Mapping[str, str | None], file: str, line: int) -> str:
    for column in ("qasrl_id", "verb_idx"):
        if not row.get(column):
            raise FileError(file, line, "is empty, or the file has no such column.", field=column)
    return item_key(str(row["qasrl_id"]), str(row["verb_idx"]))


def _ready(items: QuerySet[Item]) -> QuerySet[Item]:
    return items.select_related("project", "sentence")


# --- seats ---------------------------------------------------------------------------------------


def open_to(*, expert: AbstractBaseUser | AnonymousUser, now: datetime) -> QuerySet[QueuedItem]:
    """The queued items of open queues that this expert may begin."""
    seats = _drafts(Q(submitted_at__isnull=False) | Q(saved_at__gt=now - SEAT_LASTS))
    taken = seats.exclude(author=expert.pk).order_by().values("queued").annotate(n=Count("pk"))
    count = Coalesce(Subquery(taken.values("n"), output_field=IntegerField()), 0)
    item = OuterRef("item")
    merged = Exists(Merge.objects.filter(queued=OuterRef("pk"), state=MergeState.MERGED))
    return (
        QueuedItem.objects.filter(queue__state=QueueState.OPEN)
        .exclude(Exists(_drafts(Q(author=expert.pk))))
        .exclude(Q(queue__kind=ExpertWork.ANNOTATE) & knows(expert, item))
        .exclude(Q(queue__kind=ExpertWork.MERGE) & (merged | wrote_a_source(expert)))
        .alias(taken=count)
        .filter(taken__lt=F("queue__experts_per_item"))
    )


def _drafts(condition: Q) -> QuerySet[ExpertDraft]:
    return ExpertDraft.objects.filter(condition, queued=OuterRef("pk"))


def knows(expert: AbstractBaseUser | AnonymousUser, item: OuterRef) -> Q:
    """Who has annotated the item, or has seen somebody's annotation of it in a merge or a review."""
    own = Submission.objects.live().filter(item=item, role=Role.EXPERT, author=expert.pk)
    merges = ExpertDraft.objects.filter(
        author=expert.pk, queued__item=item, queued__queue__kind=ExpertWork.MERGE
    )
    corrections = ExpertDraft.objects.filter(author=expert.pk, review__gold__item=item)
    reviews = Review.objects.filter(expert=expert.pk, gold__item=item)
    return Q(Exists(own)) | Q(Exists(merges)) | Q(Exists(corrections)) | Q(Exists(reviews))


def wrote_a_source(expert: AbstractBaseUser | AnonymousUser) -> Exists:
    return Exists(
        MergeSource.objects.filter(merge__queued=OuterRef("pk"), submission__author=expert.pk)
    )


@transaction.atomic
def take_next(
    *,
    queue: ExpertQueue,
    expert: AbstractBaseUser,
    now: datetime,
    leaving: int | None = None,
) -> QueuedItem | None:
    """The expert's unfinished item, else the next one with a free seat, which they take; None when
    there is nothing for them. Who is leaving an item, done or for later, gets a fresh one first."""
    queue = ExpertQueue.objects.select_for_update().get(pk=queue.pk)
    mine = queue.queued.filter(drafts__author=expert.pk, drafts__submitted_at=None)
    begun = mine.exclude(merge__state=MergeState.MERGED).exclude(pk=leaving or 0).first()
    if begun and leaving is None:
        return begun
    fresh = open_to(expert=expert, now=now).filter(queue=queue).order_by("ordinal").first()
    if fresh:
        ExpertDraft.objects.create(queued=fresh, author_id=expert.pk, opened_at=now, saved_at=now)
    return fresh or begun


# --- reads ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue as one person sees it: `begun`, `done` and `left` are their own, `finished` of `wanted`
    is everybody's, for those who may know it."""

    queue: ExpertQueue
    begun: int
    done: int
    left: int
    finished: int
    wanted: int


def work_left(*, project: Project) -> int:
    """How many annotations and merges the project's open queues still want of its experts."""
    done = Count("drafts", filter=Q(drafts__submitted_at__isnull=False))
    rows = QueuedItem.objects.filter(queue__project=project, queue__state=QueueState.OPEN)
    wanted = rows.annotate(missing=Greatest(F("queue__experts_per_item") - done, 0))
    return int(wanted.aggregate(n=Sum("missing"))["n"] or 0)


def queues_of(
    *, project: Project, expert: AbstractBaseUser | AnonymousUser, now: datetime
) -> list[QueueRow]:
    """The project's queues, open ones first, the newest first."""
    queues = project.expert_queues.annotate(
        size=Count("queued", distinct=True),
        finished=Count(
            "queued__drafts", filter=Q(queued__drafts__submitted_at__isnull=False), distinct=True
        ),
    ).order_by("-state", "-pk")
    own = ExpertDraft.objects.filter(author=expert.pk, queued__queue__project=project)
    by_queue = own.values_list("queued__queue").annotate(
        done=Count("pk", filter=Q(submitted_at__isnull=False)), all=Count("pk")
    )
    mine = {queue: (done, begun - done) for queue, done, begun in by_queue.order_by()}
    free = open_to(expert=expert, now=now).filter(queue__project=project).order_by()
    left = dict(free.values_list("queue").annotate(n=Count("pk")))
    return [
        QueueRow(
            queue=one,
            begun=mine.get(one.pk, (0, 0))[1],
            done=mine.get(one.pk, (0, 0))[0],
            left=left.get(one.pk, 0),
            finished=one.finished,
            wanted=one.size * one.experts_per_item,
        )
        for one in queues
    ]
