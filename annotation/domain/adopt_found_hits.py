"""HITs found at a marketplace, recognised as offers of a project's items by their tokens."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max

from annotation.domain.publish import PAGE, Offer, offer_items, terms_of, token_of
from annotation.enums import Role
from annotation.models import Batch, Project
from crowd.domain.pay_scheme import bonus_cents
from crowd.domain.recover_hits import adopt_found
from crowd.models import FoundHit

# How many offers of one item may have been lost.
PLACES = 3
DAY = timedelta(days=1)
Found = tuple[FoundHit, Offer]


class _Terms(NamedTuple):
    """What the HITs of one recovered batch have in common."""

    hit_type_id_there: str
    places: int
    days: int


def adopt_found_hits(*, project: Project, now: datetime) -> int:
    """Make the found HITs that offer the project's items to generators its own again; returns how many.

    Each gets its task, under the same page address, and its money is set aside; what was handed in
    for it then comes in as ever. All or nothing. Raises BudgetExceeded. A case's HIT is recognised
    when the case is offered again; one with several items isn't, and stays among the found.
    """
    by_terms: dict[_Terms, list[Found]] = defaultdict(list)
    for found, offer in _recognised(project):
        by_terms[_terms(found)].append((found, offer))
    with transaction.atomic():
        for group in by_terms.values():
            _adopt_group(project, group, now)
    return sum(map(len, by_terms.values()))


def _recognised(project: Project) -> list[Found]:
    waiting = {
        one.annotation: one
        for one in FoundHit.objects.filter(
            provider=project.provider, hit=None, annotation__startswith="ts-"
        )
    }
    if not waiting:
        return []
    recognised = []
    generations = project.items.filter(task_items__role=Role.GENERATOR)
    offered = dict(generations.values_list("pk").annotate(last=Max("task_items__place")))
    for item in project.items.order_by("position").iterator():
        first = offered.get(item.pk, -1) + 1
        for place in range(first, first + PLACES):
            offer = Offer([item], place)
            if found := waiting.pop(token_of(project, Role.GENERATOR, offer), None):
                recognised.append((found, offer))
    return recognised


def _terms(found: FoundHit) -> _Terms:
    lifetime = found.expires_at - found.created_at
    # An end that was moved says nothing about the terms: rounded, one batch has one lifetime.
    return _Terms(found.hit_type_id_there, found.max_assignments, max(1, round(lifetime / DAY)))


def _adopt_group(project: Project, group: list[Found], now: datetime) -> None:
    first = group[0][0]
    common, terms = _terms(first), terms_of(project, Role.GENERATOR)
    batch = Batch.objects.create(
        project=project,
        role=Role.GENERATOR,
        title=first.title,
        description=first.description,
        keywords=first.keywords,
        reward_cents=first.reward_cents,
        bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        assignment_seconds=first.assignment_seconds,
        lifetime_seconds=common.days * 86400,
        auto_approval_seconds=first.auto_approval_seconds,
        # Who may take them is known to the marketplace only, by the HIT type: it is kept as it is.
        qualifications=[{"as_in_hit_type": first.hit_type_id_there}],
        created_at=first.created_at,
    )
    tasks = offer_items(
        batch=batch,
        offers=[offer for _, offer in group],
        page=PAGE,
        now=now,
        max_assignments=common.places,
    )
    for task, (found, _) in zip(tasks, group, strict=True):
        adopt_found(found=found, hit=task.hit, now=now)
