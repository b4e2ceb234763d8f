"""Compare yield, quality and cost of two projects over the same sentences.

Each project has its own protocol. Only items that both projects have finished are compared.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet, Sum

from annotation.domain.corpus.import_corpus import batched
from annotation.domain.publishing.queries import Cost, cost_by_item
from annotation.models import Submission
from consolidation.domain.cases.own_gold import current_own_gold
from consolidation.domain.cases.queries import items_with_own_gold
from consolidation.domain.gold.current_gold import current_gold
from consolidation.enums import GoldSource
from consolidation.models import Gold
from datasets.domain.agreement.scores import Scores, Yield
from datasets.domain.quality.quality import NothingToCompareError
from metrics.counts import ratio
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.values import Json

CHUNK = 1000
Contents = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Side:
    """A project's figures on the shared items.

    `cents` is the amount paid, including fees. `seconds` is active work by role. `against_expert`
    covers the items with expert gold.
    """

    project: Project
    gold: Yield
    cents: int
    seconds: Mapping[str, int]
    against_expert: Scores | None

    @property
    def protocol(self) -> str:
        return self.project.get_protocol_display()

    @property
    def cents_per_item(self) -> float | None:
        return ratio(self.cents, self.gold.items)

    def cents_per(self, key: str) -> float | None:
        """Return the cost of a part of the content, such as a span."""
        return ratio(self.cents, self.gold.totals[key])

    @property
    def seconds_per_item(self) -> float | None:
        return ratio(sum(self.seconds.values()), self.gold.items)

    def as_json(self) -> dict[str, Any]:
        return {
            "project": self.project.slug,
            "protocol": str(self.project.protocol),
            **self.gold.as_json(),
            "cents": self.cents,
            "cents_per_item": self.cents_per_item,
            **{
                f"cents_per_{total.noun.singular}": self.cents_per(total.key)
                for total in scheme_of(self.project).content.totals
            },
            "seconds_per_item": self.seconds_per_item,
            "seconds_by_role": dict(self.seconds),
            "expert": self.against_expert and self.against_expert.as_json(),
        }


@dataclass(frozen=True, slots=True)
class ProtocolsCompared:
    """The comparison of two projects.

    `each_other` uses the second project's gold as the reference.
    """

    first: Side
    second: Side
    items: int
    expert_items: int
    each_other: Scores

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.first, self.second

    def as_json(self) -> dict[str, Any]:
        return {
            "items": self.items,
            "expert_items": self.expert_items,
            "projects": [side.as_json() for side in self.sides],
            "each_other": self.each_other.as_json(),
        }


def compare_protocols(
    *, first: Project, second: Project, limit: int | None = None
) -> ProtocolsCompared:
    """Compare two projects on the items whose gold both have produced.

    Items are matched by key. With `limit`, use that many items from the start of the first
    project's seeded shuffle. Raise NothingToCompareError.
    """
    if (first.scheme, first.definition_digest) != (second.scheme, second.definition_digest):
        raise NothingToCompareError(f"{first.slug} and {second.slug} use different schemes.")
    items = _shared(first, second, limit)
    if not items:
        raise NothingToCompareError(
            f"{first.slug} and {second.slug} have no finished item in common. Import the same "
            "sentences and items into both."
        )
    references = [current_gold(side, GoldSource.EXPERT) for side in (second, first)]
    expert = _contents(references[0], items) | _contents(references[1], items)
    first_gold, second_gold = (_contents(current_own_gold(side), items) for side in (first, second))
    return ProtocolsCompared(
        first=_side(first, first_gold, expert),
        second=_side(second, second_gold, expert),
        items=len(items),
        expert_items=len(expert),
        each_other=_scores(first, second_gold, first_gold),
    )


def _shared(first: Project, second: Project, limit: int | None) -> list[str]:
    """Return the keys of the items that both projects have finished."""

    def finished(project: Project) -> Any:
        return items_with_own_gold(project=project)

    shared = finished(first).filter(key__in=finished(second).values("key"))
    return list(shared.order_by("position", "pk").values_list("key", flat=True)[:limit])


def _contents(gold: QuerySet[Gold], keys: list[str]) -> dict[str, Json]:
    contents: dict[str, Json] = {}
    for chunk in batched(keys, CHUNK):
        rows = gold.filter(item__key__in=chunk)
        contents |= dict(rows.values_list("item__key", "content"))
    return contents


def _side(project: Project, contents: Contents, expert: Contents) -> Side:
    shared = {key: contents[key] for key in expert if key in contents}
    return Side(
        project=project,
        gold=Yield.of(scheme_of(project), contents.values()),
        cents=sum(cost.total_cents for cost in _costs(project, list(contents))),
        seconds=_seconds(project, list(contents)),
        against_expert=_scores(project, expert, shared) if expert else None,
    )


def _costs(project: Project, keys: list[str]) -> Iterator[Cost]:
    for chunk in batched(keys, CHUNK):
        yield from cost_by_item(project=project, items=project.items.filter(key__in=chunk)).values()


def _seconds(project: Project, keys: list[str]) -> dict[str, int]:
    by_role = Counter[str]()
    for chunk in batched(keys, CHUNK):
        done = Submission.objects.accepted().filter(
            item__project=project, item__key__in=chunk, worker__isnull=False
        )
        by_role.update(dict(done.order_by().values_list("role").annotate(Sum("active_seconds"))))
    return dict(sorted(by_role.items()))


def _scores(project: Project, reference: Contents, predicted: Contents) -> Scores:
    """Score the predicted items. Items that only the reference has count as empty."""
    scheme = scheme_of(project)
    targets: dict[str, Json] = {}
    for chunk in batched(list(reference), CHUNK):
        targets |= dict(project.items.filter(key__in=chunk).values_list("key", "target"))
    measures = [
        scheme.comparison.measure(content, predicted.get(key, scheme.content.empty), targets[key])
        for key, content in reference.items()
    ]
    return Scores.of(scheme, measures)
