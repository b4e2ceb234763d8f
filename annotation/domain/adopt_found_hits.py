"""HITs found at a marketplace, recognised as offers of a project's items by their tokens."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max

from annotation.domain.publish import PAGE, Offer, offer_items, terms_of, token_of
from annotation.enums import Role
from annotation.models import Batch, Item, Project
from crowd.domain.pay_scheme import bonus_cents
from crowd.domain.recover_hits import adopt_found
from crowd.models import FoundHit

# How many offers of one item may have been lost.
PLACES = 3
# The most items that a task is taken to hold when it is looked for.
LONGEST_TASK = 20
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
    when the case is offered again.
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
    generations = project.items.filter(task_items__role=Role.GENERATOR)
    offered = dict(generations.values_list("pk").annotate(last=Max("task_items__place")))
    recognised: list[Found] = []
    run: deque[Item] = deque(maxlen=LONGEST_TASK)
    for item in project.items.order_by("position").iterator():
        run.append(item)
        for offer in _offers_ending_with(run, offered):
            if found := waiting.pop(token_of(project, Role.GENERATOR, offer), None):
                recognised.append((found, offer))
        if not waiting:
            break
    return recognised


def _offers_ending_with(run: Sequence[Item], offered: Mapping[int, int]) -> Iterator[Offer]:
    """Every offer whose HIT may have been lost, of the last item alone and of it with those before it
    in the shuffled order: a task of several items holds neighbours. At each place an item is offered
    once, so it must be free for all of them."""
    for length in range(1, len(run) + 1):
        items = list(run)[-length:]
        first = 1 + max(offered.get(item.pk, -1) for item in items)
        for place in range(first, first + PLACES):
            yield Offer(items, place)


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
