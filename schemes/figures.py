"""Figures that schemes declare, such as an F1 or an accuracy.

An item's measure is a JSON value. A figure's `total` combines the measures of all items into a JSON
object with the figure's columns, of which `main` is the figure itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from metrics.counts import Counts
from metrics.intervals import Interval

Measure = Mapping[str, Any]
Total = dict[str, Any]
REPETITIONS = 1000


class Combine(Protocol):
    """Return the total of the measures of all items, a JSON object with the figure's columns."""

    def __call__(self, measures: Sequence[Measure]) -> Total: ...


class Bootstrap(Protocol):
    """Return the 95 % interval of the main column over items.

    An item has a group of measures, such as those of several annotators. Equal seeds give equal
    intervals.
    """

    def __call__(self, groups: Sequence[Sequence[Measure]], seed: int) -> Interval: ...


class Feedback(Protocol):
    """Return sentences for workers about a total."""

    def __call__(self, total: Total) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Figure:
    """A declared figure.

    `unit` is "%" for shares in [0, 1], else a word. `columns` are the keys of a total. `headings` maps
    those in the figure's unit to table headings, and the others are counts.
    """

    key: str
    label: str
    explanation: str
    total: Combine
    interval_of_groups: Bootstrap
    columns: Sequence[str]
    main: str
    unit: str = "%"
    higher_is_better: bool = True
    headings: Mapping[str, str] = field(default_factory=dict)
    feedback: Feedback = lambda total: ()

    @property
    def counts(self) -> list[str]:
        """Return the columns that are counts."""
        return [column for column in self.columns if column not in self.headings]

    def interval(self, measures: Sequence[Measure], seed: int) -> Interval:
        """Return the 95 % interval of the main column over items."""
        return self.interval_of_groups([[measure] for measure in measures], seed)

    def value(self, measures: Sequence[Measure]) -> float | None:
        """Return the figure over the items, or None if it is undefined."""
        return self.value_of(self.total(measures))

    def value_of(self, total: Mapping[str, Any] | None) -> float | None:
        """Return the figure of a total, or None if there is none."""
        value = (total or {}).get(self.main)
        return value if isinstance(value, int | float) else None


def f1_figure(
    *,
    key: str,
    label: str,
    explanation: str,
    feedback: Feedback = lambda total: (),
    heading: str = "",
) -> Figure:
    """Return a figure whose measures are counts (`{"tp", "fp", "fn"}`), summed over the items.

    `heading` is its name in table headings, by default the key.
    """
    name = heading or key
    return Figure(
        key=key,
        label=label,
        explanation=explanation,
        total=_total_counts,
        interval_of_groups=_f1_interval,
        columns=("tp", "fp", "fn", "precision", "recall", "f1"),
        main="f1",
        headings={"precision": f"{name} P", "recall": f"{name} R", "f1": f"{name} F1"},
        feedback=feedback,
    )


def item_figure(
    *,
    key: str,
    label: str,
    explanation: str,
    compute: Callable[[Sequence[Measure]], float | None],
    unit: str = "%",
    higher_is_better: bool = True,
) -> Figure:
    """Return a figure that is a function of the measures of all items, such as a kappa."""

    def interval_of_groups(groups: Sequence[Sequence[Measure]], seed: int) -> Interval:
        from metrics.bootstrap import bootstrap_items  # noqa: PLC0415 - loads numpy

        def figure(drawn: Sequence[Sequence[Measure]]) -> float | None:
            return compute([measure for group in drawn for measure in group])

        return bootstrap_items(groups, figure, repetitions=REPETITIONS, seed=abs(seed))

    return Figure(
        key=key,
        label=label,
        explanation=explanation,
        total=lambda measures: {"items": len(measures), "value": compute(measures)},
        interval_of_groups=interval_of_groups,
        columns=("items", "value"),
        main="value",
        headings={"value": label},
        unit=unit,
        higher_is_better=higher_is_better,
    )


def counts_json(counts: Counts) -> Total:
    """Return counts and their ratios, in [0, 1] or None, as JSON."""
    return {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }


def _summed(measures: Sequence[Measure]) -> Counts:
    return Counts(*(sum([measure[name] for measure in measures]) for name in ("tp", "fp", "fn")))


def _total_counts(measures: Sequence[Measure]) -> Total:
    return counts_json(_summed(measures))


def _f1_interval(groups: Sequence[Sequence[Measure]], seed: int) -> Interval:
    from metrics.bootstrap import bootstrap_counts  # noqa: PLC0415 - loads numpy

    if not groups:
        return Interval(None, None, 0.95, 1.0)
    counts = [_summed(group) for group in groups]
    # numpy accepts no negative seed. Figures of the same items use the same draws.
    return bootstrap_counts(counts, repetitions=REPETITIONS, seed=abs(seed))["f1"]
