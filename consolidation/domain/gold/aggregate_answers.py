"""Aggregate the generations of items without a consolidator."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from annotation.domain.corpus.item_context import context_of
from annotation.models import Item, Submission
from audit.errors import TouchstoneError
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.aggregation import AggregatedContent, Aggregation, WorkerContent
from schemes.contract.errors import ContentError
from schemes.contract.values import Json

CHUNK = 500


class AggregationError(TouchstoneError):
    """The project's annotations can't be aggregated. The message explains why."""


@dataclass(frozen=True, slots=True)
class AggregatedItem:
    """An item with its aggregated content.

    `problem` is a sentence if the content is incomplete, because a required field has no answer.
    """

    item: Item
    aggregated: AggregatedContent
    problem: str = ""

    def row(self, method: str) -> Json:
        """Return the item as a line of the output."""
        return {
            "id": self.item.sentence.external_id,
            "item": self.item.key,
            **self.aggregated.content,
            "posteriors": self.aggregated.posteriors,
            "workers": self.aggregated.workers,
            "method": method,
            **({"problem": self.problem} if self.problem else {}),
        }


def aggregate_answers(
    *, project: Project, method: str, at_least: int = 2
) -> Iterator[AggregatedItem]:
    """Yield each item that has at least this number of usable generations, aggregated.

    All workers' generations are in memory, because their reliability is estimated together. Raise
    AggregationError.
    """
    aggregation = _aggregation(project)
    if method not in aggregation.rules:
        raise AggregationError(f"Choose a method from: {', '.join(aggregation.rules)}.")
    contents = list(_contents(project))
    found = aggregation.aggregate(contents, method=method)
    enough = {pk: part for pk, part in found.items() if part.workers >= at_least}
    parse = scheme_of(project).content.parse_generation
    items = Item.objects.filter(project=project).select_related("sentence__image", "project")
    for item in items.order_by("sentence_id", "pk").iterator(CHUNK):
        if aggregated := enough.get(str(item.pk)):
            try:
                parse(aggregated.content, context_of(item, project))
            except ContentError as error:
                yield AggregatedItem(item, aggregated, str(error))
            else:
                yield AggregatedItem(item, aggregated)


def _aggregation(project: Project) -> Aggregation:
    aggregation = scheme_of(project).aggregation
    if aggregation is None:
        title = scheme_of(project).title
        raise AggregationError(f"The scheme {title} does not support aggregation.")
    return aggregation


def _contents(project: Project) -> Iterator[WorkerContent]:
    """Yield the usable generations, the oldest first."""
    rows = Submission.objects.usable().filter(
        item__project=project, item__in_production=True, role=Role.GENERATOR
    )
    for item, worker, content in (
        rows.order_by("pk").values_list("item_id", "worker_id", "content").iterator(CHUNK)
    ):
        yield WorkerContent(str(item), str(worker), content)


def add_aggregated_gold(
    *, project: Project, method: str, aggregated: AggregatedItem, now: datetime
) -> bool:
    """Add the content as imported gold, whose rule names the method.

    Return False if the newest imported gold is the same. Each part's provenance has its posterior.
    """
    rule = _aggregation(project).rules[method]
    content_part = scheme_of(project).content
    item = aggregated.item
    content = content_part.parse_gold(aggregated.aggregated.content, context_of(item, project))
    newest = item.gold.filter(source=GoldSource.IMPORTED).order_by("-version").first()
    if newest and (newest.content, newest.rule) == (content, rule):
        return False
    add_gold(
        item=item,
        source=GoldSource.IMPORTED,
        content=content,
        provenance=aggregated.aggregated.provenance,
        rule=rule,
        now=now,
    )
    return True
