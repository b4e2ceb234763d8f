"""The parts of items with gold: who found each of them, and who kept it.

Parts are those of aligned rows (see `schemes.contract.comparison`), so that every scheme has them. A part
of one annotation is the same as a part of another one if a comparison pairs them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.domain.corpus.import_corpus import batched
from consolidation.models import Gold, Judgment
from datasets.domain.quality.merged_items import MergedItem, Source, merged_items
from metrics.judgment_model import ItemJudgments, PartJudgments
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.items import ItemContext
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

CHUNK = 500
REDUNDANT = "redundant"


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An item with its judgments.

    `keys` has the key of each part in the gold, or "" for a part that the gold lacks. `expected` is True
    for each part that an expert's gold has, and `coverage` is the share of the expert's parts that the
    gold has. Both are None without an expert's gold.
    """

    item: int
    gold: int
    judgments: ItemJudgments
    keys: Sequence[str]
    expected: Sequence[bool] | None
    coverage: float | None


@dataclass(slots=True)
class AlignedPart:
    """A part with its place in the first annotation that has it, and the positions of all that do."""

    home: int
    key: str
    members: set[int] = field(default_factory=set)


def judged_items(*, project: Project) -> Iterator[JudgedItem]:
    """Yield the items with gold that was made of at least one annotation, with their judgments."""
    scheme = scheme_of(project)
    for chunk in batched(merged_items(project=project), CHUNK):
        judges = _judges(scheme, chunk)
        for item in chunk:
            yield _judged(scheme, item, judges[item.gold_pk])


def _judged(scheme: Scheme, item: MergedItem, judges: Sequence[Source]) -> JudgedItem:
    contents = [item.gold, *(source.content for source in (*item.sources, *judges))]
    parts = aligned_parts(scheme, contents, item.context)
    annotators = [source.worker or f"expert {at}" for at, source in enumerate(item.sources)]
    judged_from = len(annotators) + 1
    expected = coverage = None
    if item.expert is not None:
        in_expert = [
            paired_parts(scheme, item.expert, content, item.context) for content in contents
        ]
        expected = [part.key in in_expert[part.home].values() for part in parts]
        known = part_keys(scheme, item.expert, item.context)
        coverage = len(in_expert[0]) / len(known) if known else None
    return JudgedItem(
        item=item.pk,
        gold=item.gold_pk,
        judgments=ItemJudgments(
            annotators=tuple(annotators),
            parts=tuple(
                PartJudgments(
                    found_by=frozenset(
                        name for at, name in enumerate(annotators, start=1) if at in part.members
                    ),
                    kept=tuple(
                        (judge.worker, at in part.members)
                        for at, judge in enumerate(judges, start=judged_from)
                    ),
                    in_gold=0 in part.members,
                )
                for part in parts
            ),
        ),
        keys=[part.key if part.home == 0 else "" for part in parts],
        expected=expected,
        coverage=coverage,
    )


def aligned_parts(
    scheme: Scheme, contents: Sequence[Json], context: ItemContext
) -> list[AlignedPart]:
    """Return the distinct parts of several annotations of an item.

    A part of an annotation is the same as that of the earliest one with which a comparison pairs it.
    Parts that an annotation repeats from the first one are left out.
    """
    parts = [AlignedPart(0, key, {0}) for key in part_keys(scheme, contents[0], context)]
    for at, content in enumerate(contents[1:], start=1):
        left = part_keys(scheme, content, context, beside=contents[0])
        for home in range(at):
            wanted = [part for part in parts if part.home == home]
            if not wanted or not left:
                continue
            pairs = paired_parts(scheme, contents[home], content, context)
            for part in wanted:
                if pairs.get(part.key) in left:
                    part.members.add(at)
                    left.remove(pairs[part.key])
        parts += [AlignedPart(at, key, {at}) for key in left]
    return parts


def part_keys(
    scheme: Scheme, content: Json, context: ItemContext, beside: Json | None = None
) -> list[str]:
    """Return the keys of the content's parts, without repeats of what it has `beside` the other."""
    rows = scheme.comparison.compare(content if beside is None else beside, content, context).rows
    return [row.predicted.key for row in rows if row.predicted and row.state != REDUNDANT]


def paired_parts(
    scheme: Scheme, reference: Json, predicted: Json, context: ItemContext
) -> dict[str, str]:
    """Return the keys of the predicted parts by those of the reference."""
    rows = scheme.comparison.compare(reference, predicted, context).rows
    return {
        row.reference.key: row.predicted.key
        for row in rows
        if row.reference and row.predicted and row.state != REDUNDANT
    }


def _judges(scheme: Scheme, items: Iterable[MergedItem]) -> Mapping[int, Sequence[Source]]:
    """Return the workers who judged the annotations by gold, each with what they kept.

    Someone who merged annotations kept the gold. A validator kept the gold that follows from their
    judgment alone.
    """
    by_gold = {item.gold_pk: item for item in items}
    judges: dict[int, list[Source]] = defaultdict(list)
    merged = Gold.objects.filter(pk__in=by_gold, submission__worker__isnull=False)
    for gold, worker in merged.values_list("pk", "submission__worker__pseudonym"):
        judges[gold].append(Source(worker, by_gold[gold].gold))
    if scheme.validating is None:
        return judges
    rows = Judgment.objects.filter(gold__in=by_gold, submission__worker__isnull=False)
    columns = "gold_id", "submission__worker__pseudonym", "submission__content"
    for gold, worker, content in rows.order_by("gold_id", "position").values_list(*columns):
        sources = [source.content for source in by_gold[gold].sources]
        kept, _ = scheme.validating.gold_of(sources, [content], 1)
        judges[gold].append(Source(worker, kept))
    return judges
