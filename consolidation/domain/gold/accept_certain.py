"""Annotations that are certain enough to become gold without a paid consolidation."""

from datetime import datetime

from django.db.models import QuerySet

from annotation.enums import RedundancyDecision
from annotation.models import Redundancy
from consolidation.domain.gold.accept_identical import may_be_accepted, write_unchanged
from consolidation.models import Case, Gold
from projects.models import Project

# Stored with the gold. A changed definition gets a new name.
RULE = "certain-annotation.v1"


def accept_certain(*, case: Case, now: datetime) -> Gold | None:
    """Write the annotation that adaptive redundancy accepted as the gold of an open case.

    Return None otherwise, and for an annotation that is no longer usable or can't be kept unchanged. The
    caller must lock the case.
    """
    chosen = Redundancy.objects.filter(item=case.item_id, decision=RedundancyDecision.ACCEPT)
    row = chosen.select_related("accepted").first()
    if row is None or row.accepted is None or not may_be_accepted(case):
        return None
    if not row.accepted.is_readable or not case.sources.filter(submission=row.accepted).exists():
        return None
    return write_unchanged(
        case=case,
        content=row.accepted.content,
        rule=RULE,
        reason=f"expected coverage {row.coverage:.0%}, precision {row.precision:.0%}",
        now=now,
    )


def certain_gold(project: Project) -> QuerySet[Gold]:
    """Return the gold that nobody judged, because one of the annotations was certain enough."""
    return Gold.objects.filter(item__project=project, rule=RULE, item__withdrawn_at=None)
