"""Blind merges of annotations from several sources by an expert (Roit et al. 2020, section 4).

The sources are copied when the merge is created. An expert sees them as A, B, ... in a seeded
order. Only the report shows their origins.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from annotation.models import Item, Submission
from audit.domain.change_state import (
    TransitionNotAllowedError,
    Transitions,
    change_state,
    log_state_changes,
)
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.current_gold import current_gold
from consolidation.enums import GoldSource, MergeState, SourceOrigin
from consolidation.models import Gold, Merge, MergeSource, QueuedItem, SystemAnnotation
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.values import Json

TRANSITIONS: Transitions = {MergeState.OPEN: [MergeState.MERGED]}
CHUNK = 1000
SYSTEM = f"{SourceOrigin.SYSTEM}:"
GOLD_ORIGINS = {
    SourceOrigin.CONSOLIDATED: GoldSource.CONSOLIDATED,
    SourceOrigin.IMPORTED: GoldSource.IMPORTED,
    SourceOrigin.REFERENCE: GoldSource.EXPERT,
}
SUBMISSION_ORIGINS = {
    SourceOrigin.GENERATOR: Role.GENERATOR,
    SourceOrigin.EXPERT: Role.EXPERT,
}


def sources_there(*, project: Project) -> dict[str, str]:
    """Return the labels of the sources that can be merged in this project."""
    names = SystemAnnotation.objects.filter(item__project=project).order_by("system")
    systems = names.values_list("system", flat=True).distinct()
    origins = {
        str(origin.value): str(origin.label)
        for origin in SourceOrigin
        if origin != SourceOrigin.SYSTEM
    }
    return {
        **origins,
        str(SourceOrigin.EXPERT): "experts' annotations",
        **{f"{SYSTEM}{system}": f"system {system}" for system in systems},
    }


def gather(
    *, project: Project, items: Sequence[Item], sources: Iterable[str]
) -> dict[int, list[MergeSource]]:
    """Return the items' annotations from these sources by item id, for `open_merges`.

    `sources` are keys of `sources_there`.
    """
    ids = [item.pk for item in items]
    as_source = scheme_of(project).get_merging().as_source
    annotations: dict[int, list[MergeSource]] = defaultdict(list)
    for source in dict.fromkeys(sources):
        for row, merge_source in _sources(project, ids, source):
            merge_source.content = as_source(row.content)
            annotations[row.item_id].append(merge_source)
    return annotations


def _sources(
    project: Project, items: list[int], source: str
) -> Iterator[tuple[SystemAnnotation | Gold | Submission, MergeSource]]:
    """Yield the annotations from this source, each with a merge source without content."""
    if source.startswith(SYSTEM):
        name = source.removeprefix(SYSTEM)
        for annotation in SystemAnnotation.objects.filter(item__in=items, system=name):
            yield annotation, MergeSource(origin=SourceOrigin.SYSTEM, name=name)
    elif source in GOLD_ORIGINS:
        newest = current_gold(project, GOLD_ORIGINS[SourceOrigin(source)])
        for gold in newest.filter(item__in=items).order_by("pk"):
            yield gold, MergeSource(origin=source, gold=gold)
    else:
        role = SUBMISSION_ORIGINS[SourceOrigin(source)]
        rows = Submission.objects.accepted().filter(item__in=items, role=role).order_by("pk")
        for row in rows.select_related("author"):
            name = str(row.author) if row.author else ""
            yield row, MergeSource(origin=source, name=name, submission=row)


def open_merges(
    *,
    queued: Sequence[QueuedItem],
    annotations: Mapping[int, list[MergeSource]],
    actor: str,
    now: datetime,
) -> None:
    """Create the merges of queued items from the annotations that `gather` returned."""
    merges = Merge.objects.bulk_create((Merge(queued=queued_item) for queued_item in queued), CHUNK)
    rows = []
    for merge in merges:
        item, sources = merge.queued.item, annotations[merge.queued.item_id]
        seed = f"{item.project.seed}:{item.key}:merge:{merge.queued.queue_id}"
        random.Random(seed).shuffle(sources)  # noqa: S311
        for position, source in enumerate(sources):
            source.merge, source.position = merge, position
        rows += sources
    MergeSource.objects.bulk_create(rows, CHUNK)
    log_state_changes(instances=merges, old="", new=MergeState.OPEN, actor=actor, now=now)


def contents_of(merge: Merge) -> list[Json]:
    """Return the sources' contents in display order, without their origins."""
    return [source.content for source in merge.sources.all()]


@transaction.atomic
def record_merge(*, merge: Merge, content: Json, expert: AbstractBaseUser, now: datetime) -> None:
    """Record a merge as the next version of the item's expert gold.

    The scheme must have parsed the consolidation. The provenance lists the origin of each
    part. Raise TransitionNotAllowedError if the item was already merged.
    """
    merge = Merge.objects.select_for_update().get(pk=merge.pk)
    if merge.state != MergeState.OPEN:
        raise TransitionNotAllowedError(merge, merge.state, MergeState.MERGED)
    sources = list(merge.sources.all())
    item = merge.queued.item
    merging = scheme_of(item.project).get_merging()
    contents = [source.content for source in sources]
    merged, _ = merging.gold_of(content, contents)
    trace = merging.trace(content, contents)
    gold = add_gold(
        item=item, source=GoldSource.EXPERT, content=merged, provenance=trace.provenance, now=now
    )
    for source, outcome in zip(sources, trace.outcomes, strict=True):
        source.outcome = dict(outcome)
    MergeSource.objects.bulk_update(sources, ["outcome"])
    change_state(
        instance=merge,
        new=MergeState.MERGED,
        transitions=TRANSITIONS,
        actor=str(expert),
        now=now,
        content=content,
        summary=dict(trace.summary),
        rule=merging.rule,
        merged_by=expert,
        merged_at=now,
        gold=gold,
    )
