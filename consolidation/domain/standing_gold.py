"""Which gold stands: per item and source the newest version."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Project
from consolidation.models import Gold

FIRST_CASES = Q(case=None) | Q(case__place=0)


def standing_gold(project: Project, source: str) -> QuerySet[Gold]:
    """The newest version of each item's gold from this source. Second consolidations, made to measure
    agreement, are not among them."""
    newer = Gold.objects.filter(
        FIRST_CASES,
        item=OuterRef("item"),
        source=OuterRef("source"),
        version__gt=OuterRef("version"),
    )
    return Gold.objects.filter(FIRST_CASES, item__project=project, source=source).exclude(
        Exists(newer)
    )
