"""Statistics of a project's annotated items, by group, for schemes that declare them.

The groups are the gold, all annotated items, the skipped ones, those in progress (annotated, but
without gold), and the gold of each partition.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.domain.corpus.item_context import context_of
from annotation.enums import Partition
from annotation.models import Submission
from consolidation.domain.gold.current_gold import current_gold
from consolidation.enums import GoldSource
from consolidation.protocols import protocol_of
from datasets.domain.quality.suggestion_use import suggestion_table
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.scheme import Scheme
from schemes.contract.statistics import AnnotatedItem, Frequencies, StatisticsTable
from schemes.contract.values import Json

Steps = Mapping[str, Mapping[str, int]]
# The roles whose work on an item counts as the time of its annotation.
ANNOTATORS = [Role.GENERATOR, Role.REVISER]


@dataclass(frozen=True, slots=True)
class StepFigures:
    """The active seconds and moves of all annotators on one step."""

    label: str
    seconds: int
    moves: int


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of a group of items by key, and the annotators' effort by step."""

    key: str
    label: str
    figures: Mapping[str, int | float | None]
    steps: tuple[StepFigures, ...]

    @property
    def seconds(self) -> int:
        return sum(step.seconds for step in self.steps)

    @property
    def moves(self) -> int:
        return sum(step.moves for step in self.steps)


@dataclass(frozen=True, slots=True)
class StatisticsReport:
    """The statistics of a project. `source` is that of the gold."""

    source: str
    rows: tuple[tuple[str, str], ...]
    groups: tuple[Group, ...]
    tables: tuple[StatisticsTable, ...]
    frequencies: Frequencies | None


def statistics_of(source: str = "", *, project: Project) -> StatisticsReport:
    """Return the statistics of the project's annotated items.

    Without a `source`, the gold is that which the project produces, or else an expert's or imported
    gold. Raise MissingPartError if the scheme has no statistics.
    """
    scheme = scheme_of(project)
    statistics = scheme.get_statistics()
    source = source or _source_with_gold(project)
    gold, partitions = _gold_items(project, source)
    skipped = {pk: item for pk, item in gold.items() if statistics.is_skipped(item.content)}
    kept = {pk: item for pk, item in gold.items() if pk not in skipped}
    in_progress = _items_in_progress(project, without=set(gold))
    groups = [
        ("gold", "Gold", kept.values()),
        ("all", "All", [*gold.values(), *in_progress.values()]),
        ("skipped", "Skipped", skipped.values()),
        ("in_progress", "In progress", in_progress.values()),
    ]
    for partition in sorted(set(partitions.values())):
        items = [item for pk, item in kept.items() if partitions[pk] == partition]
        label = Partition(partition).label if partition else "no partition"
        groups.append((f"partition:{partition or 'none'}", f"Gold, {label}", items))
    return StatisticsReport(
        source=str(source),
        rows=tuple(statistics.figures),
        groups=tuple(_group(scheme, *group) for group in groups),
        tables=(*statistics.tables(list(kept.values())), *suggestion_table(project)),
        frequencies=statistics.frequencies(list(kept.values())),
    )


def statistics_json(report: StatisticsReport) -> dict[str, Any]:
    """Return the report as the command's JSON."""
    return {
        "source": report.source,
        "groups": {
            group.key: {
                **group.figures,
                "seconds": group.seconds,
                "moves": group.moves,
                "steps": {
                    step.label: {"seconds": step.seconds, "moves": step.moves}
                    for step in group.steps
                },
            }
            for group in report.groups
        },
        "tables": [
            {
                "caption": table.caption,
                "columns": list(table.columns),
                "rows": [*map(list, table.rows)],
            }
            for table in report.tables
        ],
        "frequencies": dict(report.frequencies.counts) if report.frequencies else {},
    }


def statistics_rows(report: StatisticsReport) -> list[list[str | int | float | None]]:
    """Return the main table with a header: a row per figure and step, a column per group.

    Without steps, the effort of annotators is unknown and has no rows.
    """
    rows: list[list[str | int | float | None]] = [["", *(group.label for group in report.groups)]]
    for key, label in report.rows:
        rows.append([label, *(group.figures[key] for group in report.groups)])
    if not report.groups[0].steps:
        return rows
    rows.append(["Active seconds", *(group.seconds for group in report.groups)])
    rows.append(["Moves", *(group.moves for group in report.groups)])
    for at, step in enumerate(report.groups[0].steps):
        rows.append([f"{step.label}: seconds", *(g.steps[at].seconds for g in report.groups)])
        rows.append([f"{step.label}: moves", *(g.steps[at].moves for g in report.groups)])
    return rows


def _source_with_gold(project: Project) -> str:
    own = str(protocol_of(project).gold_source)
    sources = (own, GoldSource.EXPERT, GoldSource.IMPORTED)
    return next((s for s in sources if current_gold(project, s).exists()), own)


def _gold_items(project: Project, source: str) -> tuple[dict[int, AnnotatedItem], dict[int, str]]:
    """Return the gold items by id, and their partitions."""
    steps = _steps_by_item(project)
    items, partitions = {}, {}
    rows = current_gold(project, source).select_related("item__sentence__image").order_by("pk")
    for gold in rows.iterator(chunk_size=2000):
        item = gold.item
        context = context_of(item, project)
        items[item.pk] = AnnotatedItem(
            external_id=item.sentence.external_id,
            context=context,
            content=gold.content,
            steps=steps.get(item.pk, {}),
            provenance=gold.provenance,
        )
        partitions[item.pk] = item.sentence.partition
    return items, partitions


def _items_in_progress(project: Project, *, without: set[int]) -> dict[int, AnnotatedItem]:
    """Return annotated items without gold, each with its newest accepted generation."""
    steps = _steps_by_item(project)
    submissions = Submission.objects.accepted().filter(
        item__project=project, item__in_production=True, role__in=ANNOTATORS
    )
    items = {}
    rows = submissions.select_related("item__sentence__image").order_by("pk")
    for submission in rows.iterator(chunk_size=2000):
        item = submission.item
        if item.pk not in without:
            context = context_of(item, project)
            items[item.pk] = AnnotatedItem(
                item.sentence.external_id, context, submission.content, steps.get(item.pk, {})
            )
    return items


def _steps_by_item(project: Project) -> dict[int, Steps]:
    """Return the sums of the annotators' seconds and moves by item and step."""
    sums: dict[int, dict[str, dict[str, int]]] = defaultdict(dict)
    rows = Submission.objects.filter(item__project=project, role__in=ANNOTATORS)
    for item, steps in rows.values_list("item_id", "steps").iterator(chunk_size=2000):
        for name, effort in steps.items():
            total = sums[item].setdefault(name, {"seconds": 0, "moves": 0})
            for unit in total:
                total[unit] += effort[unit]
    return sums  # type: ignore[return-value]  # a dict of dicts is a mapping of mappings


def _group(scheme: Scheme, key: str, label: str, items: Iterable[AnnotatedItem]) -> Group:
    statistics = scheme.get_statistics()
    members = list(items)
    effort: dict[str, Json] = {name: {"seconds": 0, "moves": 0} for name, _ in statistics.steps}
    for item in members:
        for name, step in item.steps.items():
            if name in effort:
                effort[name] = {unit: effort[name][unit] + step[unit] for unit in effort[name]}
    steps = tuple(StepFigures(text, **effort[name]) for name, text in statistics.steps)
    return Group(key, label, statistics.count(members), steps)
