"""What the protocol adds: one annotation, the union of all, and the gold, against an expert.

This is the argument of Roit et al. 2020: a trained worker alone, several workers together, and their
consolidated annotation are compared with an expert's on the same items, with their cost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.publishing.queries import Cost, cost_by_item
from consolidation.domain.cases.experiment import experiment_tasks
from datasets.domain.agreement.scores import Scores, Yield
from datasets.domain.quality.merged_items import MergedItem, merged_items
from metrics.counts import ratio
from metrics.intervals import Interval
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

LABELS = {
    "annotator": "One annotator",
    "union": "All annotators together",
    "gold": "The project's gold",
}
# The measures of an item, one per annotation.
Measures = Sequence[Mapping[str, Json]]


@dataclass(frozen=True, slots=True)
class Stage:
    """The figures of a stage of the protocol over the compared items.

    `cents_per_item` is what the annotations of the stage cost, including fees. If a stage has several
    annotations of an item, the scores are sums over all of them and the cost is that of one.
    Intervals are over items.
    """

    key: str
    label: str
    yields: Yield
    scores: Scores
    intervals: Mapping[str, Interval]
    cents_per_item: float | None

    def as_json(self) -> dict[str, Any]:
        return {
            "stage": self.key,
            "label": self.label,
            "annotations": self.yields.items,
            "cents_per_item": self.cents_per_item,
            **{f"{key}_per_annotation": self.yields.per_item(key) for key in self.yields.totals},
            "figures": {
                key: {**total, "interval": [self.intervals[key].low, self.intervals[key].high]}
                for key, total in self.scores.totals.items()
            },
        }


@dataclass(frozen=True, slots=True)
class ProtocolEffect:
    """The stages on the items that have the project's gold and an expert's."""

    items: int
    stages: Sequence[Stage]

    def as_json(self) -> dict[str, Any]:
        return {"items": self.items, "stages": [stage.as_json() for stage in self.stages]}


def protocol_effect(*, project: Project, limit: int | None = None) -> ProtocolEffect | None:
    """Compare the stages of the protocol with the experts' gold.

    With `limit`, use at most that many items with gold from the start of the seeded shuffle. Return
    None if no item has both the project's gold and an expert's.
    """
    items = [item for item in merged_items(project=project, limit=limit) if item.expert is not None]
    if not items:
        return None
    scheme = scheme_of(project)
    generation, judgment = _costs_per_item(project, items)
    annotators = ratio(sum(len(item.sources) for item in items), len(items)) or 1.0
    alone = [[source.content for source in item.sources] for item in items]
    stages = [_stage(project, items, "annotator", alone, generation / annotators)]
    union = scheme.merging.union if scheme.merging else None
    if union is not None and annotators > 1:
        unions = [[union(contents)] for contents in alone]
        stages.append(_stage(project, items, "union", unions, generation))
    gold = [[item.gold] for item in items]
    stages.append(_stage(project, items, "gold", gold, generation + judgment))
    return ProtocolEffect(len(items), stages)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table of stages: a value per stage. Only main figures have intervals."""

    label: str
    unit: str
    values: Sequence[float | None]
    intervals: Sequence[Interval] = ()


def effect_rows(scheme: Scheme, effect: ProtocolEffect) -> list[Row]:
    """Return the rows of the table of stages: yields, figures with intervals, and cost."""
    stages = effect.stages
    rows = [
        Row(
            f"{total.noun.plural.capitalize()} per item",
            "",
            [stage.yields.per_item(total.key) for stage in stages],
        )
        for total in scheme.content.totals
    ]
    for figure in scheme.comparison.figures:
        for column, heading in figure.headings.items():
            is_main = column == figure.main
            intervals = [stage.intervals[figure.key] for stage in stages] if is_main else []
            values = [stage.scores.totals[figure.key][column] for stage in stages]
            rows.append(Row(heading, figure.unit, values, intervals))
    return [*rows, Row("Cents per item", "", [stage.cents_per_item for stage in stages])]


def _costs_per_item(project: Project, items: Sequence[MergedItem]) -> tuple[float, float]:
    """Return the mean cents of an item's generations, and of the work on them.

    Agreement experiments are left out.
    """
    experiments = experiment_tasks(project=project)
    everything = cost_by_item(project=project, without=experiments)
    generations = cost_by_item(project=project, without=experiments, role=Role.GENERATOR)
    total, generation = (
        sum(costs.get(item.pk, Cost()).total_cents for item in items) / len(items)
        for costs in (everything, generations)
    )
    return generation, total - generation


def _stage(
    project: Project,
    items: Sequence[MergedItem],
    key: str,
    contents: Sequence[Sequence[Json]],
    cents: float,
) -> Stage:
    """Return the stage whose annotations of each item are `contents`."""
    scheme = scheme_of(project)
    measure = scheme.comparison.measure
    groups = [
        [measure(item.expert or {}, content, item.context.target) for content in annotations]
        for item, annotations in zip(items, contents, strict=True)
    ]
    return Stage(
        key=key,
        label=LABELS[key],
        yields=Yield.of(scheme, [content for annotations in contents for content in annotations]),
        scores=Scores.of(scheme, [measures for group in groups for measures in group]),
        intervals=_intervals(scheme, groups, project.seed),
        cents_per_item=cents,
    )


def _intervals(scheme: Scheme, groups: Sequence[Measures], seed: int) -> dict[str, Interval]:
    return {
        figure.key: figure.interval_of_groups(
            [[measure[figure.key] for measure in group] for group in groups], seed
        )
        for figure in scheme.comparison.figures
    }
