"""The leaderboard of a phase and a task: an entry per team, ranked, with intervals and tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from benchmarks.domain.queries import scoring_of
from benchmarks.enums import EntryState, PhaseKind
from benchmarks.models import Entry, Phase
from schemes.contract.scoring import Measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How far a row is below the first row, in the ranking measure. `adjusted` is Holm's p-value."""

    value: float | None
    low: float | None
    high: float | None
    p_value: float | None
    adjusted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a leaderboard. Baselines have no rank."""

    rank: int | None
    entry: Entry
    figures: Sequence[Mapping[str, float | None]]
    facts: Sequence[int | None]
    compared: Compared | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """The rows of a leaderboard, best first. `fact_names` are the counts that its entries have."""

    measures: Sequence[Measure]
    ranked_by: Measure
    rows: Sequence[Row]
    fact_names: Sequence[str] = ()
    documents: int = 0
    items: int = 0
    types: Sequence[Mapping[str, Any]] = field(default_factory=list)


def shown_entries(*, phase: Phase, variant: str) -> QuerySet[Entry]:
    """Return the scored entries that nobody withdrew, oldest first."""
    return Entry.objects.filter(
        phase=phase,
        variant=variant,
        state=EntryState.SCORED,
        withdrawn_at=None,
        team__withdrawn_at=None,
    ).order_by("pk")


def chosen_entries(*, phase: Phase, variant: str) -> list[Entry]:
    """Return an entry per team: its best in the development phase, and its last in the test phase.

    In the test phase, teams must not choose by the scores of the test items.
    """
    is_last = phase.kind == PhaseKind.TEST
    # Only the values, because the tables of thousands of entries would need too much memory.
    value = f"result__figures__{phase.benchmark.ranked_by}__value"
    chosen: dict[int, tuple[int, float]] = {}
    rows = shown_entries(phase=phase, variant=variant).values_list("pk", "team", value)
    for pk, team, share in rows:
        score = -1.0 if share is None else float(share)
        if team not in chosen or is_last or score > chosen[team][1]:
            chosen[team] = pk, score
    order = sorted(chosen.values(), key=lambda pair: (-pair[1], pair[0]))
    entries = Entry.objects.defer("draws", "item_scores").select_related("team")
    found = entries.in_bulk([pk for pk, _ in order])
    return [found[pk] for pk, _ in order]


def leaderboard_of(*, phase: Phase, variant: str, with_types: bool = False) -> Leaderboard:
    """Return the leaderboard, whatever the viewer may see of it."""
    scoring = scoring_of(phase.benchmark)
    # The first column is that of the ranking, which a narrow screen shows.
    measures = sorted(scoring.measures, key=lambda m: m.key != phase.benchmark.ranked_by)
    ranked_by = measures[0]
    entries = chosen_entries(phase=phase, variant=variant)
    names = list(dict.fromkeys(name for entry in entries for name in entry.result["facts"]))
    compared = _compared(entries, ranked_by.key)
    rows, rank = [], 0
    for entry in entries:
        rank += not entry.team.is_baseline
        rows.append(
            Row(
                rank=None if entry.team.is_baseline else rank,
                entry=entry,
                figures=[entry.figures[measure.key] for measure in measures],
                facts=[entry.result["facts"].get(name) for name in names],
                compared=compared.get(entry.pk),
            )
        )
    first = entries[0].result if entries else {}
    return Leaderboard(
        measures=measures,
        ranked_by=ranked_by,
        rows=rows,
        fact_names=names,
        documents=first.get("documents", 0),
        items=first.get("items", 0),
        types=merged_tables(entries) if with_types else [],
    )


def _compared(entries: Sequence[Entry], key: str) -> dict[int, Compared]:
    """Return the difference of the first entry to each other one, by the other's id.

    The test is the paired bootstrap of evaluations. The draws are the same for all entries of a phase
    and task, because they depend on its documents and the project's seed alone.
    """
    if len(entries) < 2:
        return {}
    import numpy as np  # noqa: PLC0415  # slow to import

    from metrics.document_bootstrap import drawn_difference, holm  # noqa: PLC0415

    draws = {
        pk: np.array([np.nan if v is None else v for v in values], dtype=np.float64)
        for pk, values in _draws(entries, key).items()
    }
    first, *others = entries
    found = {
        entry.pk: drawn_difference(
            (first.figures[key]["value"], entry.figures[key]["value"]),
            (draws[first.pk], draws[entry.pk]),
            documents=first.result["documents"],
        )
        for entry in others
    }
    adjusted = holm({pk: difference.p_value for pk, difference in found.items()})
    return {
        pk: Compared(
            value=difference.value,
            low=difference.interval.low,
            high=difference.interval.high,
            p_value=difference.p_value,
            adjusted=adjusted.get(pk),
        )
        for pk, difference in found.items()
    }


def _draws(entries: Iterable[Entry], key: str) -> dict[int, list[float | None]]:
    rows = Entry.objects.filter(pk__in=[entry.pk for entry in entries])
    return dict(rows.values_list("pk", f"draws__{key}"))


def merged_tables(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the tables by type with the figures of all entries, types of the first entry first."""
    tables: dict[str, dict[str, Any]] = {}
    for entry in entries:
        for table in entry.result["types"]:
            merged = tables.setdefault(table["title"], {**table, "rows": {}})
            for row in table["rows"]:
                place = merged["rows"].setdefault(
                    row["type"], {"type": row["type"], "count": row["count"], "systems": {}}
                )
                place["count"] = max(place["count"], row["count"])
                place["systems"][entry.pk] = row["systems"][0]
    for table in tables.values():
        table["rows"] = [
            {**row, "systems": [row["systems"].get(entry.pk, {}) for entry in entries]}
            for row in table["rows"].values()
        ]
    return list(tables.values())


def compared_items(first: Entry, second: Entry) -> list[tuple[str, float | None, float | None]]:
    """Return the scores of both entries by item, those with the largest difference first."""
    ours, theirs = first.item_scores, second.item_scores
    rows = [(key, ours.get(key), theirs.get(key)) for key in dict.fromkeys([*ours, *theirs])]
    return sorted(rows, key=lambda row: (-abs((row[1] or 0.0) - (row[2] or 0.0)), row[0]))
