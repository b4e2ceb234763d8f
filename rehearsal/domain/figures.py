"""Figures of rehearsals without a site, from the functions that simulated workers use.

A simulated worker writes the same here and in a rehearsal with HITs. Only the people who work on an item
differ: here they are drawn, and there the first to accept a HIT gets it.
"""

import random
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.corpus.item_context import context_of
from audit.errors import TouchstoneError
from crowd.domain.money.pay_scheme import bonus_cents
from crowd.domain.provider.fees import fee_cents
from projects.domain.schemes import scheme_of
from projects.enums import Protocol, Role
from projects.models import Project
from rehearsal.domain.scenario import references_of
from rehearsal.domain.simulated_crowd import SimulatedCrowd, SimulatedItem, names_of
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

# Two disjoint teams of two generators and a consolidator
TEAM = 3
COMPARED = {
    "pair": "Two annotators",
    "annotator": "An annotator against the reference",
    "union": "Two annotators together against the reference",
    "gold": "The consolidation against the reference",
    "teams": "Two consolidations by different people",
}
# Of these, precision and recall are figures too. Elsewhere neither side is the right one.
AGAINST_REFERENCE = ("annotator", "union", "gold")
SAMPLE_SEED = 1


class NoFiguresError(TouchstoneError):
    """The project has another protocol, or too few workers were chosen."""


@dataclass(frozen=True, slots=True)
class FigureOptions:
    workers: int = 6
    skill: float = 0.9
    items: int = 120
    seeds: int = 5


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A figure's mean and standard deviation over rehearsals, and the paper's value as text.

    A single rehearsal has no `spread`.
    """

    key: str
    label: str
    published: str
    mean: float
    spread: float | None
    decimals: int


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """An item with its reference."""

    simulated: SimulatedItem
    reference: Json


@dataclass(frozen=True, slots=True)
class _Work:
    """What a team wrote for an item."""

    sources: Sequence[Json]
    consolidation: Json
    gold: Json


def rehearsal_figures(*, project: Project, options: FigureOptions) -> list[FigureRow]:
    """Return the figures of rehearsals with the seeds 1, 2 ... Raise NoFiguresError."""
    if project.protocol != Protocol.CONSOLIDATION:
        raise NoFiguresError(f"{project.slug} has no consolidation. Choose another project.")
    if options.workers < 2 * TEAM:
        raise NoFiguresError(f"Two teams need at least {2 * TEAM} workers.")
    items = sample_items(project, options.items)
    rehearsals = [
        _figures_of(project, items, options, seed) for seed in range(1, options.seeds + 1)
    ]
    return _rows(scheme_of(project), rehearsals)


def _rows(scheme: Scheme, rehearsals: Sequence[Mapping[str, float]]) -> list[FigureRow]:
    """Return the rows of the figures that are defined in a rehearsal."""
    published = scheme.get_simulation().published
    rows = []
    for key, (label, decimals) in _labels(scheme).items():
        values = [figures[key] for figures in rehearsals if key in figures]
        if not values:
            continue
        rows.append(
            FigureRow(
                key=key,
                label=label,
                published=published.get(key, ""),
                mean=statistics.fmean(values),
                spread=statistics.stdev(values) if len(values) > 1 else None,
                decimals=decimals,
            )
        )
    return rows


def sample_items(project: Project, count: int) -> list[Rehearsed]:
    """Return random items with a reference, the same in every call."""
    references = references_of(project)
    items = project.items.filter(in_production=True, pk__in=references)
    chosen = list(items.select_related("sentence__image").order_by("position", "pk"))
    random.Random(SAMPLE_SEED).shuffle(chosen)  # noqa: S311
    return [
        Rehearsed(SimulatedItem(item.key, context_of(item, project)), references[item.pk].content)
        for item in chosen[:count]
    ]


def _figures_of(
    project: Project, items: Sequence[Rehearsed], options: FigureOptions, seed: int
) -> dict[str, float]:
    scheme = scheme_of(project)
    crowd = SimulatedCrowd(simulation=scheme.get_simulation(), skill=options.skill, seed=seed)
    names = names_of(options.workers)
    measures: dict[str, list[Mapping[str, Json]]] = defaultdict(list)
    totals: dict[str, int] = defaultdict(int)
    for item in items:
        rng = random.Random(f"{seed}:{item.simulated.key}")  # noqa: S311
        people = rng.sample(names, 2 * TEAM)
        first, second = (
            _work(scheme, crowd, item, team) for team in (people[:TEAM], people[TEAM:])
        )
        for key, (reference, predicted) in _pairs(scheme, item.reference, first, second):
            target = item.simulated.context.target
            measures[key].append(scheme.comparison.measure(reference, predicted, target))
        for total, number in scheme.content.count(first.gold).items():
            totals[total] += number
        totals["cents"] += _cents(project, scheme, first)
    return {
        **_scores(scheme, measures),
        **{f"{key} per item": total / len(items) for key, total in totals.items()},
    }


def _work(scheme: Scheme, crowd: SimulatedCrowd, item: Rehearsed, team: Sequence[str]) -> _Work:
    *generators, consolidator = team
    merging, simulated = scheme.get_merging(), item.simulated
    sources = [
        scheme.content.parse_generation(
            crowd.generation(item.reference, simulated, name), simulated.context
        )
        for name in generators
    ]
    consolidation = merging.parse(
        crowd.consolidation(sources, simulated, consolidator), simulated.context, sources
    )
    return _Work(sources, consolidation, merging.gold_of(consolidation, sources)[0])


def _pairs(
    scheme: Scheme, reference: Json, work: _Work, other: _Work
) -> list[tuple[str, tuple[Json, Json]]]:
    """Return the annotations to compare, by the keys of COMPARED."""
    union = scheme.get_merging().union
    return [
        ("pair", (work.sources[0], work.sources[1])),
        *(("annotator", (reference, source)) for source in work.sources),
        *([("union", (reference, union(work.sources)))] if union else []),
        ("gold", (reference, work.gold)),
        ("teams", (work.gold, other.gold)),
    ]


def _scores(
    scheme: Scheme, measures: Mapping[str, Sequence[Mapping[str, Json]]]
) -> dict[str, float]:
    """Return the defined figures, in per cent if they are shares."""
    scores = {}
    for key in measures:
        for figure in scheme.comparison.figures:
            total = figure.total([measure[figure.key] for measure in measures[key]])
            scale = 100 if figure.unit == "%" else 1
            for column in figure.headings:
                if total[column] is not None:
                    scores[f"{key} {figure.key} {column}"] = scale * total[column]
    return scores


def _labels(scheme: Scheme) -> dict[str, tuple[str, int]]:
    """Return the label of each figure and its number of decimals, in the order of the table."""
    labels = {
        f"{key} {figure.key} {column}": (f"{text}: {heading}", 1 if figure.unit == "%" else 2)
        for key, text in COMPARED.items()
        for figure in scheme.comparison.figures
        for column, heading in figure.headings.items()
        if key in AGAINST_REFERENCE or column == figure.main
    }
    nouns = {total.key: total.noun.plural for total in scheme.content.totals}
    unit = scheme.vocabulary.item.singular
    for key, noun in {**nouns, "cents": "cents"}.items():
        labels[f"{key} per item"] = f"{noun.capitalize()} per {unit}", 1
    return labels


def _cents(project: Project, scheme: Scheme, work: _Work) -> int:
    """Return what the team's work on an item costs, with fees."""
    done: list[tuple[Role, Json]] = [(Role.GENERATOR, source) for source in work.sources]
    cents = 0
    for role, content in [*done, (Role.CONSOLIDATOR, work.consolidation)]:
        terms = project.pay_scheme[role]
        bonus = bonus_cents(terms, scheme.content.count_units(content, role))
        reward = terms["reward_cents"]
        most = project.redundancy(role)
        cents += reward + fee_cents(reward, provider=project.provider, max_assignments=most)
        cents += bonus + fee_cents(bonus, provider=project.provider)
    return cents


def figures_table(rows: Sequence[FigureRow]) -> str:
    """Return the figures as a table in Markdown."""
    lines = ["| Figure | Paper | Mean | Spread |", "| --- | ---: | ---: | ---: |"]
    for row in rows:
        mean, spread = (
            "–" if value is None else f"{value:.{row.decimals}f}"
            for value in (row.mean, row.spread)
        )
        lines.append(f"| {row.label} | {row.published or '–'} | {mean} | {spread} |")
    return "\n".join(lines)


def as_json(row: FigureRow) -> dict[str, Any]:
    return {
        "figure": row.key,
        "label": row.label,
        "paper": row.published or None,
        "mean": row.mean,
        "spread": row.spread,
    }
