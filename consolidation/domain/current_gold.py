"""Queries for current gold: the newest version of each item and source."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from consolidation.models import Gold
from projects.models import Project

FIRST_CASES = Q(case=None) | Q(case__attempt=0)


def current_gold(project: Project, source: str) -> QuerySet[Gold]:
    """Return the newest version of each item's gold from this source.

    Second consolidations, which measure agreement, are excluded.
    """
    newer = Gold.objects.filter(
        FIRST_CASES,
        item=OuterRef("item"),
        source=OuterRef("source"),
        version__gt=OuterRef("version"),
    )
    return Gold.objects.filter(FIRST_CASES, item__project=project, source=source).exclude(
        Exists(newer)
    )
