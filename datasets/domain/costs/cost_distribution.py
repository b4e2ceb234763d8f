"""The distribution of cost per item."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from projects.charts import Column, PageChart
from web.charts import Axis, Chart, Series, Style, Unit
from web.money import dollars

BARS = 24
# 1, 2 or 5 times a power of ten, which is easy to read on an axis.
WIDTHS = tuple(step * 10**power for power in range(7) for step in (1, 2, 5))


@dataclass(frozen=True, slots=True)
class Bin:
    """Items that cost from `low` to `high` cents, inclusive."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """Bins of equal width without gaps, and the mean in cents (None without items)."""

    bins: tuple[Bin, ...]
    count: int
    mean: float | None


def distribution_of(cents: Collection[int]) -> Distribution:
    """Return the distribution of amounts in whole cents, in at most BARS bins."""
    if not cents:
        return Distribution((), 0, None)
    low, high = min(cents), max(cents)
    width = next(width for width in WIDTHS if high // width - low // width < BARS)
    first = low // width
    counts = [0] * (high // width - first + 1)
    for amount in cents:
        counts[amount // width - first] += 1
    bins = (
        Bin((first + at) * width, (first + at + 1) * width - 1, count)
        for at, count in enumerate(counts)
    )
    return Distribution(tuple(bins), len(cents), sum(cents) / len(cents))


COLUMNS = (
    Column("from_cents", "From", Unit.DOLLARS),
    Column("to_cents", "To", Unit.DOLLARS),
    Column("items", "Items"),
)


def distribution_chart(distribution: Distribution, *, counted_at: datetime) -> PageChart:
    """Return a bar per bin, with a line at the mean."""
    mean, count = distribution.mean or 0.0, distribution.count
    bars = [((bin_.low + bin_.high + 1) / 2, float(bin_.count)) for bin_ in distribution.bins]
    chart = Chart(
        "Cost per item",
        Axis("per item, fees included", Unit.DOLLARS),
        Axis("items"),
        [Series("Items", bars, Style.BARS)],
        marks={f"mean {dollars(mean)}": mean},
    )
    items = "1 finished item" if count == 1 else f"{count:,} finished items"
    return PageChart(
        name="cost-per-item",
        title="Cost per item",
        description=f"{items}, fees included. The dashed line is the mean, {dollars(mean)}.",
        columns=COLUMNS,
        rows=[(bin_.low, bin_.high, bin_.count) for bin_ in distribution.bins],
        counted_at=counted_at,
        chart=chart if count else None,
        empty="No item is finished yet. The distribution starts with the first gold.",
    )
