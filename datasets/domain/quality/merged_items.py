"""Items with gold that the project itself made of several annotations, and these annotations."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of
from consolidation.domain.cases.own_gold import current_own_gold
from consolidation.domain.gold.current_gold import current_gold
from consolidation.enums import GoldSource
from consolidation.models import CaseSource
from projects.enums import Role
from projects.models import Project
from schemes.contract.items import ItemContext
from schemes.contract.values import Json

CHUNK = 1000


@dataclass(frozen=True, slots=True)
class Source:
    """An annotation that gold was made of, with its worker's pseudonym."""

    worker: str
    content: Json


@dataclass(frozen=True, slots=True)
class MergedItem:
    """An item with its gold and the annotations that the gold was made of.

    `pk` is the item's id. `expert` is an expert's gold of the item, or None.
    """

    pk: int
    gold_pk: int
    context: ItemContext
    gold: Json
    made_at: datetime
    sources: Sequence[Source]
    expert: Json | None


def merged_items(*, project: Project, limit: int | None = None) -> Iterator[MergedItem]:
    """Yield the items with the project's own gold that was made of at least one annotation.

    With `limit`, only that many items from the start of the seeded shuffle are considered.
    """
    gold = current_own_gold(project).filter(item__in_production=True)
    ordered = gold.order_by("item__position", "item_id").values_list("pk", flat=True)[:limit]
    for chunk in batched(list(ordered), CHUNK):
        rows = gold.filter(pk__in=chunk).select_related("item__sentence__image")
        by_item = {row.item_id: row for row in rows.order_by("item__position", "item_id")}
        sources = _sources_by_item([row.case_id for row in by_item.values() if row.case_id])
        expert = dict(
            current_gold(project, GoldSource.EXPERT)
            .filter(item__in=list(by_item))
            .values_list("item_id", "content")
        )
        for pk, row in by_item.items():
            if pk in sources:
                context = context_of(row.item, project)
                expert_gold = expert.get(pk)
                yield MergedItem(
                    pk=pk,
                    gold_pk=row.pk,
                    context=context,
                    gold=row.content,
                    made_at=row.created_at,
                    sources=sources[pk],
                    expert=expert_gold,
                )


def _sources_by_item(cases: list[int]) -> dict[int, list[Source]]:
    """Return the sources of these cases by people, by item and in the order of the cases."""
    sources: dict[int, list[Source]] = defaultdict(list)
    rows = CaseSource.objects.filter(case__in=cases).exclude(submission__role=Role.MODEL)
    columns = "case__item_id", "submission__worker__pseudonym", "submission__content"
    for item, worker, content in rows.order_by("case_id", "position").values_list(*columns):
        sources[item].append(Source(worker or "", content))
    return sources
