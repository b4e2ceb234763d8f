"""Identical annotations of an item, which a project can accept without a paid consolidation.

Roit et al. 2020 pay a consolidator for every item. If all generators wrote the same annotation, there
is nothing to merge, but a consolidator could still find that all of them are wrong.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, QuerySet

from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.cost_model import role_costs
from audit.domain.change_state import change_state
from consolidation.domain.case_records import TRANSITIONS, sources_of
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, CaseSource, Gold
from projects.domain.schemes import scheme_of
from projects.enums import Protocol, Role
from projects.models import Project
from schemes.contract.errors import ContentError
from schemes.contract.judging import Merging
from schemes.contract.values import Json

# Stored with the gold. A changed definition gets a new name.
RULE = "identical-annotations.v1"
# The newest cases that are compared for the figures.
COMPARED = 1000


def are_same(contents: Sequence[Json], *, merging: Merging) -> bool:
    """Return True if all annotations have the same content, in any order of their units."""
    first, *others = (merging.comparable(merging.as_source(content)) for content in contents)
    return all(other == first for other in others)


def accept_identical(*, case: Case, now: datetime) -> Gold | None:
    """Write the gold of an open case whose annotations are identical, if the project allows it.

    Return None otherwise, and for annotations that no consolidation could keep unchanged. The caller
    must lock the case.
    """
    item = case.item
    if not item.project.accepts_identical or not may_be_accepted(case):
        return None
    contents, merging = sources_of(case), scheme_of(item.project).get_merging()
    if len(contents) < 2 or not are_same(contents, merging=merging):  # a pair
        return None
    return write_unchanged(
        case=case,
        content=contents[0],
        rule=RULE,
        reason=f"{len(contents)} identical annotations",
        now=now,
    )


def write_unchanged(
    *, case: Case, content: Json, rule: str, reason: str, now: datetime
) -> Gold | None:
    """Write an annotation as the gold of a locked case, as if a consolidator had kept all of it.

    `reason` says in the log why. Return None if no consolidation could keep it unchanged.
    """
    item, merging = case.item, scheme_of(case.item.project).get_merging()
    source = merging.as_source(content)
    try:
        consolidation = merging.parse(merging.keep_all(source), context_of(item), [source])
    except ContentError:
        return None
    gold, provenance = merging.gold_of(consolidation, [source])
    change_state(
        instance=case,
        new=CaseState.CONSOLIDATED,
        transitions=TRANSITIONS,
        actor="automatic",
        now=now,
        reason=reason,
    )
    return add_gold(
        item=item,
        source=GoldSource.CONSOLIDATED,
        content=gold,
        provenance=provenance,
        case=case,
        rule=rule,
        now=now,
    )


def may_be_accepted(case: Case) -> bool:
    """Return True for first cases under consolidation that have no gold yet.

    Consolidators who mark what is only implied add what no generator was asked.
    """
    project = case.item.project
    return (
        project.protocol == Protocol.CONSOLIDATION
        and not project.asks_implied
        and case.attempt == 0
        and not case.gold.exists()
    )


@dataclass(frozen=True, slots=True)
class IdenticalFigures:
    """How many of the newest items had identical annotations, and what was or would be saved.

    `accepted` items had no consolidation. `saved_cents` is the expected cost of the consolidations of
    all identical items, with fees.
    """

    items: int
    identical: int
    accepted: int
    saved_cents: int


def identical_figures(*, project: Project) -> IdenticalFigures:
    """Compare the annotations of the project's newest consolidated items."""
    merging = scheme_of(project).get_merging()
    sources = CaseSource.objects.select_related("submission")
    cases = Case.objects.filter(
        item__project=project, attempt=0, state=CaseState.CONSOLIDATED
    ).prefetch_related(Prefetch("sources", queryset=sources))
    groups = list(_contents(cases.order_by("-pk")[:COMPARED]))
    identical = sum(are_same(contents, merging=merging) for contents in groups)
    consolidation = next(
        (cost for cost in role_costs(project=project) if cost.role == Role.CONSOLIDATOR), None
    )
    cents = consolidation.total_cents if consolidation else 0
    return IdenticalFigures(
        items=len(groups),
        identical=identical,
        accepted=count_accepted(project=project),
        saved_cents=round(identical * cents),
    )


def _contents(cases: QuerySet[Case]) -> Iterator[list[Json]]:
    """Yield the readable annotations of each case with several."""
    for case in cases:
        rows = [source.submission for source in case.sources.all()]
        if len(rows) > 1 and all(row.is_readable for row in rows):
            yield [row.content for row in rows]


def count_accepted(*, project: Project) -> int:
    """Count the items whose gold was written without a consolidation, because all wrote the same."""
    gold = Gold.objects.filter(item__project=project, rule=RULE, item__withdrawn_at=None)
    return gold.values("item").distinct().count()
