"""Adaptive redundancy: an item begins with one annotator, and gets more people where it is uncertain.

A random share of the items is audited: it gets all the people of the protocol, and the estimates are
learned from it. `datasets.domain.quality.adaptive` decides about the others. See ADR 48.
"""

import random
from collections import Counter
from collections.abc import Sequence

from django.db.models import F, QuerySet, Sum

from annotation.enums import RedundancyDecision
from annotation.models import Item, Redundancy
from projects.enums import Protocol
from projects.models import Project

ACTOR = "adaptive redundancy"
AUDITED_PERCENT = 15
# The items of a project from which its estimates are learned at least. The first ones are all audited.
LEARNED_FROM = 30


def can_be_adaptive(project: Project) -> bool:
    """Return True if the protocol lets one annotation become gold in place of several.

    Consolidators who mark what is only implied add what no annotator was asked.
    """
    return (
        project.protocol == Protocol.CONSOLIDATION
        and project.generators_per_item > 1
        and not project.asks_implied
    )


def is_adaptive(project: Project) -> bool:
    return project.adaptive_percent is not None and can_be_adaptive(project)


def plan_people(*, project: Project, items: Sequence[Item]) -> dict[int, int]:
    """Return the number of annotators with which each item begins, by item id.

    The items are about to be published. With adaptive redundancy, they get a row of their plan.
    """
    if not items or not is_adaptive(project):
        return dict.fromkeys((item.pk for item in items), project.generators_per_item)
    rows = Redundancy.objects.filter(item__project=project)
    counts = Counter(rows.values_list("is_audited", flat=True))
    audited = _draw_audited(project, items, counts)
    Redundancy.objects.bulk_create(
        Redundancy(
            item=item,
            people=project.generators_per_item if item.pk in audited else 1,
            is_audited=item.pk in audited,
            decision=RedundancyDecision.CONSOLIDATE if item.pk in audited else "",
        )
        for item in items
    )
    return {item.pk: project.generators_per_item if item.pk in audited else 1 for item in items}


def _draw_audited(project: Project, items: Sequence[Item], counts: Counter[bool]) -> set[int]:
    """Return the ids of the audited items. `counts` has the earlier items by whether they are."""
    total = counts.total() + len(items)
    wanted = max(min(LEARNED_FROM, total), -(-total * AUDITED_PERCENT // 100)) - counts[True]
    rng = random.Random(f"{project.seed}:{min(item.key for item in items)}")  # noqa: S311
    chosen = rng.sample(list(items), max(0, min(wanted, len(items))))
    return {item.pk for item in chosen}


def generations_wanted(*, project: Project, items: int) -> int:
    """Return the number of annotations that the project's `items` in production need so far."""
    rows = Redundancy.objects.filter(item__project=project, item__in_production=True)
    fewer = rows.aggregate(n=Sum(project.generators_per_item - F("people")))["n"] or 0
    return items * project.generators_per_item - int(fewer)


def spent_cents(project: Project) -> int:
    """Return the expected cost of the people after the first annotators, without audited items."""
    rows = Redundancy.objects.filter(item__project=project, is_audited=False)
    return rows.aggregate(cents=Sum("cents"))["cents"] or 0


def undecided(project: Project) -> QuerySet[Redundancy]:
    """Return the plans of items that wait for a decision or for an annotator."""
    return Redundancy.objects.filter(
        item__project=project, item__in_production=True, decision=RedundancyDecision.UNDECIDED
    )


def end_adaptive(project: Project) -> int:
    """Give all undecided items the people of the protocol. Return their number."""
    rows = Redundancy.objects.filter(item__project=project, decision=RedundancyDecision.UNDECIDED)
    return rows.update(people=project.generators_per_item, decision=RedundancyDecision.CONSOLIDATE)
