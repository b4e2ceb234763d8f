"""Adopt orphan HITs that offer a project's items, recognized by their tokens."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max

from annotation.domain.publishing.publish import PAGE, TaskPlan, publish_items, terms_of, token_of
from annotation.models import Batch, Item
from crowd.domain.money.pay_scheme import bonus_cents
from crowd.domain.provider.recover_hits import adopt_orphans
from crowd.models import OrphanHit
from projects.enums import Role
from projects.models import Project

# The most attempts of one item that can be missing from the database.
PLACES = 3
# The most items that a task is assumed to hold.
MAX_TASK = 20
DAY = timedelta(days=1)
RecognizedHit = tuple[OrphanHit, TaskPlan]


def adopt_orphan_hits(*, project: Project, now: datetime) -> int:
    """Adopt the orphan HITs that offer the project's items to generators, and return their number.

    Each HIT gets a task under the same page address, and its budget is reserved. Its submissions
    are then recorded as usual. Either all HITs are adopted or none. HITs of cases are recognized
    when the case is published again. Raise BudgetExceededError.
    """
    recognized = _recognized_hits(project)
    by_terms: dict[tuple[object, ...], list[RecognizedHit]] = defaultdict(list)
    for orphan, item in recognized:
        terms = (orphan.hit_type_id_there, orphan.max_assignments, _days(orphan))
        by_terms[terms].append((orphan, item))
    with transaction.atomic():
        for group in by_terms.values():
            _adopt_group(project, group, now)
    return len(recognized)


def _recognized_hits(project: Project) -> list[RecognizedHit]:
    waiting = {
        orphan.annotation: orphan
        for orphan in OrphanHit.objects.filter(
            provider=project.provider, hit=None, annotation__startswith="ts-"
        )
    }
    if not waiting:
        return []
    generations = project.items.filter(task_items__role=Role.GENERATOR)
    offered = dict(generations.values_list("pk").annotate(last=Max("task_items__attempt")))
    recognized: list[RecognizedHit] = []
    run: deque[Item] = deque(maxlen=MAX_TASK)
    for item in project.items.order_by("position").iterator():
        run.append(item)
        for plan in _items_ending_with(run, offered):
            if match := waiting.pop(token_of(project, Role.GENERATOR, plan), None):
                recognized.append((match, plan))
        if not waiting:
            break
    return recognized


def _items_ending_with(run: Sequence[Item], offered: Mapping[int, int]) -> Iterator[TaskPlan]:
    """Yield every publication that a lost HIT may stand for and that ends with the last item.

    A task of several items holds neighbours in the shuffled order. The attempt must be unused for
    all of its items.
    """
    for length in range(1, len(run) + 1):
        items = list(run)[-length:]
        first = 1 + max(offered.get(item.pk, -1) for item in items)
        for attempt in range(first, first + PLACES):
            yield TaskPlan(items, attempt)


def _days(orphan: OrphanHit) -> int:
    """Return the lifetime in days, which is equal for the HITs of a batch even if some were extended."""
    return max(1, round((orphan.expires_at - orphan.created_at) / DAY))


def _adopt_group(project: Project, group: list[RecognizedHit], now: datetime) -> None:
    first, terms = group[0][0], terms_of(project, Role.GENERATOR)
    batch = Batch.objects.create(
        project=project,
        role=Role.GENERATOR,
        title=first.title,
        description=first.description,
        keywords=first.keywords,
        reward_cents=first.reward_cents,
        bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        assignment_seconds=first.assignment_seconds,
        lifetime_seconds=_days(first) * 86400,
        auto_approval_seconds=first.auto_approval_seconds,
        # Only the marketplace stores the requirements of the HIT type. It stays in use unchanged.
        qualifications=[{"as_in_hit_type": first.hit_type_id_there}],
        created_at=first.created_at,
    )
    tasks = publish_items(
        batch=batch,
        plans=[item for _, item in group],
        page=PAGE,
        now=now,
        max_assignments=first.max_assignments,
    )
    for task, (orphan, _) in zip(tasks, group, strict=True):
        adopt_orphans(orphan=orphan, hit=task.hit, now=now)
