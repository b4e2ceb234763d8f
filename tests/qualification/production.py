"""Factories for production work that has become gold."""

from collections.abc import Mapping, Sequence

from django.utils import timezone

from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Item
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from consolidation.models import Case, Gold
from crowd.models import Worker
from projects.domain.schemes import scheme_of
from qualification.domain.scores.gold_comparisons import compare_with_gold
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item
from tests.crowd.factories import NOW
from tests.qualification.factories import EXPERT, LATER, submit_work


def produce(project, contents: Mapping[Worker, Sequence]) -> list[Item]:
    """Create items and submit each worker's contents for them, in order."""
    count = max(len(entries) for entries in contents.values())
    items = [make_item(SURVEY, IDENTIFIED, project) for _ in range(count)]
    batch = publish_batch(project=project, now=NOW)
    for attempt, task in enumerate(batch.tasks.order_by("pk")):
        for worker, worker_contents in contents.items():
            if attempt < len(worker_contents):
                submit_work(task, worker, {IDENTIFIED: worker_contents[attempt]})
    record_new_generations(clock=lambda: LATER, limit=5000)
    return items


def write_gold(item: Item, content=EXPERT[IDENTIFIED]) -> Gold:
    """Write the item's next version of consolidated gold."""
    case, _ = Case.objects.get_or_create(item=item, attempt=0, defaults={"opened_at": NOW})
    content = {"questions": content["questions"]}
    parsed = scheme_of(item.project).content.parse_gold(content, context_of(item))
    return add_gold(
        item=item,
        source=GoldSource.CONSOLIDATED,
        content=parsed,
        provenance=[{}] * len(parsed["questions"]),
        case=case,
        now=NOW,
    )


def compare() -> int:
    return compare_with_gold(clock=timezone.now, limit=5000)
