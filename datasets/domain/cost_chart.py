"""The distribution of cost per item, as a table and as an SVG chart."""

import io
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

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


# An image inherits no styles from its page. These colours are those of static/css/tokens.css.
LIGHT = {"ink": "#5a5751", "bar": "#1a55b8", "mean": "#a63f00"}
DARK = {"ink": "#aeaaa1", "bar": "#8fb8ff", "mean": "#ff9b63"}


@lru_cache(maxsize=16)
def draw_distribution(distribution: Distribution) -> bytes:
    """Draw the distribution as SVG, with the mean as a dashed line."""
    # Inline, because matplotlib is slow to import and no other page needs it.
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.fonttype": "none", "font.family": "sans-serif", "svg.hashsalt": ""}):
        figure = Figure(figsize=(7, 2.8), layout="constrained")
        axes = figure.add_subplot()
        _fill(axes, distribution)
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None})
    return in_the_dark(drawn.getvalue()).encode()


def _fill(axes: Any, distribution: Distribution) -> None:
    for bin_ in distribution.bins:
        width = (bin_.high - bin_.low + 1) / 100
        axes.bar(
            bin_.low / 100, bin_.count, width * 0.92, align="edge", color=LIGHT["bar"], linewidth=0
        )
    if distribution.mean is not None:
        axes.axvline(distribution.mean / 100, color=LIGHT["mean"], linestyle="--")
    axes.set_xlabel("dollars per item, fees included", color=LIGHT["ink"])
    axes.set_ylabel("items", color=LIGHT["ink"])
    axes.xaxis.set_major_formatter(lambda value, _: f"${value:.2f}")
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.tick_params(colors=LIGHT["ink"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(LIGHT["ink"])


def in_the_dark(svg: str) -> str:
    """Move the chart's colours to custom properties with values for light and dark mode."""
    for name, colour in LIGHT.items():
        svg = svg.replace(colour, f"var(--{name})")
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in colours.items())
        for colours in (LIGHT, DARK)
    )
    style = f"<style>:root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}</style>"
    head, mark, rest = svg.partition("<defs>")
    return head + style + mark + rest
