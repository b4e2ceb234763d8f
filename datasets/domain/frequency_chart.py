"""The frequency of categories as an SVG chart, by rank."""

import io
from functools import lru_cache
from typing import Any

from datasets.domain.cost_chart import LIGHT, in_the_dark

MOST_NAMED = 40


@lru_cache(maxsize=16)
def draw_frequencies(title: str, counts: tuple[tuple[str, int], ...]) -> bytes:
    """Draw a bar per category, most frequent first. Names are shown for up to MOST_NAMED."""
    # Inline, because matplotlib is slow to import and no other page needs it.
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.fonttype": "none", "font.family": "sans-serif", "svg.hashsalt": ""}):
        figure = Figure(figsize=(7, 3.6), layout="constrained")
        axes = figure.add_subplot()
        _fill(axes, title, counts)
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None})
    return in_the_dark(drawn.getvalue()).encode()


def _fill(axes: Any, title: str, counts: tuple[tuple[str, int], ...]) -> None:
    axes.bar(range(len(counts)), [count for _, count in counts], color=LIGHT["bar"], linewidth=0)
    if len(counts) <= MOST_NAMED:
        names = [name for name, _ in counts]
        axes.set_xticks(range(len(counts)), names, rotation=60, ha="right", fontsize=8)
        axes.yaxis.get_major_locator().set_params(integer=True)
    else:
        axes.set_xlabel("rank", color=LIGHT["ink"])
        axes.set_yscale("log")
    axes.set_ylabel(title.lower(), color=LIGHT["ink"])
    axes.tick_params(colors=LIGHT["ink"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(LIGHT["ink"])
