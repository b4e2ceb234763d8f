"""Queries for current gold: the newest version of each item and source."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from consolidation.models import Gold
from projects.models import Project

FIRST_CASES = Q(case=None) | Q(case__attempt=0)


def current_gold(project: Project, source: str) -> QuerySet[Gold]:
    """Return the newest version of each item's gold from this source.

    Second consolidations, which measure agreement, and withdrawn items are excluded.
    """
    gold = Gold.objects.filter(FIRST_CASES, item__project=project, item__withdrawn_at=None)
    return newest_of(gold.filter(source=source))


def newest_of(gold: QuerySet[Gold]) -> QuerySet[Gold]:
    """Keep the newest version of each item and source."""
    return gold.exclude(has_newer())


def has_newer() -> Exists:
    """Match gold that a newer version of the same source replaces."""
    newer = Gold.objects.filter(
        FIRST_CASES,
        item=OuterRef("item"),
        source=OuterRef("source"),
        version__gt=OuterRef("version"),
    )
    return Exists(newer)
