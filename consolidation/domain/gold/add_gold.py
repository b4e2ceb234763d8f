"""Add versions of gold."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.models import Item, ItemArm, Submission
from audit.domain.change_state import change_state
from consolidation.domain.case_records import TRANSITIONS
from consolidation.domain.gold.index_gold import index_gold
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Gold
from projects.domain.schemes import scheme_of
from projects.domain.webhook_events import record_gold
from projects.enums import Protocol
from schemes.contract.values import Json


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
    rule: str = "",
) -> Gold:
    """Add the next version of the item's gold from this source.

    Each unit of the first case's gold names the arm of the item, if it has one. `rule` names what made
    it without a person's decision. Gold from an expert resolves a dispute about the item.
    """
    Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    last = item.gold.filter(source=source).aggregate(last=Max("version"))["last"] or 0
    assigned = ItemArm.objects.select_related("arm__batch").filter(item=item).first()
    if assigned and case and case.attempt == 0:
        provenance = [{**unit, "arm": assigned.arm.name} for unit in provenance]
    gold = Gold.objects.create(
        item=item,
        source=source,
        version=last + 1,
        content=content,
        schema_version=scheme_of(item.project).content.schema_version,
        provenance=provenance,
        rule=rule,
        case=case,
        submission=submission,
        created_at=now,
    )
    index_gold(gold=gold)
    record_gold(project_id=item.project_id, gold_id=gold.pk, now=now)
    if source == GoldSource.EXPERT and item.project.protocol == Protocol.VERIFICATION:
        _resolve_dispute(item, now)
    return gold


def _resolve_dispute(item: Item, now: datetime) -> None:
    for disputed in item.cases.filter(attempt=0, state=CaseState.DISPUTED):
        change_state(
            instance=disputed,
            new=CaseState.RESOLVED,
            transitions=TRANSITIONS,
            actor="automatic",
            now=now,
            reason="An expert annotated the item.",
        )
