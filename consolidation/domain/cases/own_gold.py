"""Queries for the gold that a project itself produces, under its protocol."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from consolidation.domain.gold.current_gold import FIRST_CASES, newest_of
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Gold
from consolidation.protocols import protocol_of
from projects.models import Project


def own_gold(project: Project, source: str = "") -> QuerySet[Gold]:
    """Return all versions of the gold from this source, by default the project's own.

    Second consolidations, which measure agreement, and withdrawn items are excluded.
    """
    is_own = source in ("", protocol_of(project).gold_source)
    wanted = is_own_gold(project) if is_own else Q(source=source)
    kept = Gold.objects.filter(item__project=project, item__withdrawn_at=None)
    return kept.filter(wanted, FIRST_CASES)


def is_own_gold(project: Project) -> Q:
    """Match gold that the project itself produced.

    Under verification, this includes experts' gold of disputed items, which have no other.
    """
    protocol = protocol_of(project)
    own = Q(source=protocol.gold_source)
    if protocol.counts_experts:
        resolved = Case.objects.filter(item=OuterRef("item"), state=CaseState.RESOLVED)
        own |= Q(Exists(resolved), source=GoldSource.EXPERT)
    return own


def current_own_gold(project: Project) -> QuerySet[Gold]:
    """Return the newest version of each item's gold that the project itself produced."""
    return newest_of(own_gold(project))
