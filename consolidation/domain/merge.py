"""Annotations of one item from several sources, merged blind by an expert (Roit et al. 2020, section 4).

The sources are gathered once, when the merge is set up, and kept as they were. An expert sees them as
A, B, ... in an order that a seed decides; what they were is told by the report alone.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from annotation.enums import Role
from annotation.models import Item, Project, Submission
from audit.domain.change_state import MoveRefused, Moves, change_state
from audit.models import StateChange
from consolidation.domain.record_gold import add_gold
from consolidation.domain.standing_gold import standing_gold
from consolidation.enums import GoldSource, MergeState, SourceOrigin
from consolidation.models import Gold, Merge, MergeSource, QueuedItem, SystemAnnotation
from schemes.base import Json
from schemes.registry import get_scheme

MOVES: Moves = {MergeState.OPEN: [MergeState.MERGED]}
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


@dataclass(frozen=True, slots=True)
class Found:
    """An annotation that can be merged; see `consolidation.models.MergeSource`."""

    item: int
    origin: str
    content: Json
    name: str = ""
    submission: int | None = None
    gold: int | None = None


# --- what there is to merge ----------------------------------------------------------------------


def sources_there(*, project: Project) -> dict[str, str]:
    """What can be merged in this project: source -> how it is called."""
    names = SystemAnnotation.objects.filter(item__project=project).order_by("system")
    systems = names.values_list("system", flat=True).distinct()
    origins = {str(one.value): str(one.label) for one in SourceOrigin if one != SourceOrigin.SYSTEM}
    return {
        **origins,
        str(SourceOrigin.EXPERT): "experts' annotations",
        **{f"{SYSTEM}{one}": f"system {one}" for one in systems},
    }


def gather(
    *, project: Project, items: Sequence[Item], sources: Iterable[str]
) -> dict[int, list[Found]]:
    """Item id -> its annotations from these sources (keys of `sources_there`)."""
    ids = [item.pk for item in items]
    as_source = get_scheme(project.scheme).as_source
    found: dict[int, list[Found]] = defaultdict(list)
    for source in dict.fromkeys(sources):
        for one in _found(project, ids, source, as_source):
            found[one.item].append(one)
    return found


def _found(
    project: Project, items: list[int], source: str, as_source: Callable[[Json], Json]
) -> Iterator[Found]:
    if source.startswith(SYSTEM):
        name = source.removeprefix(SYSTEM)
        for one in SystemAnnotation.objects.filter(item__in=items, system=name):
            yield Found(one.item_id, SourceOrigin.SYSTEM, as_source(one.content), name)
    elif source in GOLD_ORIGINS:
        standing = standing_gold(project, GOLD_ORIGINS[SourceOrigin(source)])
        for gold in standing.filter(item__in=items).order_by("pk"):
            yield Found(gold.item_id, source, as_source(gold.content), gold=gold.pk)
    else:
        role = SUBMISSION_ORIGINS[SourceOrigin(source)]
        rows = Submission.objects.accepted().filter(item__in=items, role=role).order_by("pk")
        for row in rows.select_related("author"):
            name = str(row.author) if row.author else ""
            yield Found(row.item_id, source, as_source(row.content), name, row.pk)


def open_merges(
    *, queued: Sequence[QueuedItem], found: Mapping[int, Sequence[Found]], actor: str, now: datetime
) -> list[Merge]:
    """The merges of queued items out of what `gather` found for them."""
    merges = Merge.objects.bulk_create((Merge(queued=one) for one in queued), CHUNK)
    rows = (
        MergeSource(
            merge=merge,
            position=position,
            origin=one.origin,
            name=one.name,
            submission_id=one.submission,
            gold_id=one.gold,
            content=one.content,
        )
        for merge in merges
        for position, one in enumerate(_shuffled(merge.queued, found[merge.queued.item_id]))
    )
    MergeSource.objects.bulk_create(rows, CHUNK)
    StateChange.objects.bulk_create(
        (
            StateChange(
                aggregate=Merge._meta.label,
                object_id=merge.pk,
                old="",
                new=merge.state,
                actor=actor,
                at=now,
            )
            for merge in merges
        ),
        CHUNK,
    )
    return merges


def _shuffled(queued: QueuedItem, found: Sequence[Found]) -> list[Found]:
    """An order that only the project's seed, the item and the queue decide."""
    item = queued.item
    order = list(found)
    seed = f"{item.project.seed}:{item.key}:merge:{queued.queue_id}"
    random.Random(seed).shuffle(order)  # noqa: S311
    return order


# --- the expert's word ---------------------------------------------------------------------------


def contents_of(merge: Merge) -> list[Json]:
    """The sources' contents as the page shows them: nothing in them tells what they were."""
    return [one.content for one in merge.sources.all()]


@transaction.atomic
def record_merge(*, merge: Merge, content: Json, expert: AbstractBaseUser, now: datetime) -> Gold:
    """The item's next version of expert gold, out of a consolidation that the scheme has parsed.

    Its provenance says of each question and answer which positions had it; each source keeps what
    became of it. Raises MoveRefused when somebody has merged it.
    """
    merge = Merge.objects.select_for_update().get(pk=merge.pk)
    if merge.state != MergeState.OPEN:
        raise MoveRefused(merge, merge.state, MergeState.MERGED)
    sources = list(merge.sources.all())
    item = merge.queued.item
    scheme = get_scheme(item.project.scheme)
    contents = [one.content for one in sources]
    merged, _ = scheme.gold_of(content, contents)
    trace = scheme.trace(content, contents)
    gold = add_gold(
        item=item, source=GoldSource.EXPERT, content=merged, provenance=trace.provenance, now=now
    )
    for source, fate in zip(sources, trace.fates, strict=True):
        source.fate = asdict(fate)
    MergeSource.objects.bulk_update(sources, ["fate"])
    change_state(
        instance=merge,
        new=MergeState.MERGED,
        moves=MOVES,
        actor=str(expert),
        now=now,
        content=content,
        summary=summary_of(trace.provenance),
        rule=scheme.rules["trace"],
        merged_by=expert,
        merged_at=now,
        gold=gold,
    )
    return gold


def summary_of(provenance: Sequence[Json]) -> Json:
    """What a result holds, and how much of it no source had."""
    answers = [one["state"] for each in provenance for one in each["answers"]]
    return {
        "questions": len(provenance),
        "questions_new": sum(each["state"] == "new" for each in provenance),
        "answers": len(answers),
        "answers_edited": answers.count("edited"),
        "answers_new": answers.count("new"),
    }
