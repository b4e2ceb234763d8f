"""Add versions of gold."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.domain.item_context import scheme_of
from annotation.models import Item, Submission
from consolidation.domain.index_gold import index_gold
from consolidation.models import Case, Gold
from schemes.base import Json


@transaction.atomic
def add_gold(
    *,
    item: Item,
    source: str,
    content: Json,
    provenance: list[Json],
    now: datetime,
    case: Case | None = None,
    submission: Submission | None = None,
) -> Gold:
    """Add the next version of the item's gold from this source."""
    Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    last = item.gold.filter(source=source).aggregate(last=Max("version"))["last"] or 0
    gold = Gold.objects.create(
        item=item,
        source=source,
        version=last + 1,
        content=content,
        schema_version=scheme_of(item).content.schema_version,
        provenance=provenance,
        case=case,
        submission=submission,
        created_at=now,
    )
    index_gold(gold=gold)
    return gold
