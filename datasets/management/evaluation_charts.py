"""Bar charts of an evaluation as SVG. The same figures give the same bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Okabe and Ito's blue and orange, which colour-blind readers can distinguish, plus hatching.
_SERIES_STYLE: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "hatch": "", "edgecolor": "white"},
    {"color": "#E69F00", "hatch": "//", "edgecolor": "white"},
)


@dataclass(frozen=True, slots=True)
class BarChart:
    """Shares in [0, 1] or None, with a bar per category and series. There are at most two series."""

    title: str
    categories: Sequence[str]
    series: Mapping[str, Sequence[float | None]]


def write_bar_chart(chart: BarChart, path: Path) -> None:
    """Write the chart as SVG with horizontal bars in percent, each with its figure."""
    with mpl.rc_context({"svg.hashsalt": "touchstone", "svg.fonttype": "none"}):
        bars = len(chart.categories) * len(chart.series)
        figure = Figure(figsize=(7.5, 1.4 + 0.28 * bars), layout="constrained")
        _draw(chart, figure)
        figure.savefig(path, format="svg", metadata={"Date": None, "Title": chart.title})


def _draw(chart: BarChart, figure: Figure) -> None:
    axes = figure.add_subplot()
    thickness = 0.8 / len(chart.series)
    for at, (name, values) in enumerate(chart.series.items()):
        places = [row + (at - (len(chart.series) - 1) / 2) * thickness
                  for row in range(len(chart.categories))]  # fmt: skip
        lengths = [100 * (value or 0.0) for value in values]
        drawn = axes.barh(places, lengths, thickness, label=name, **_SERIES_STYLE[at])
        shown = ["–" if value is None else f"{100 * value:.1f}" for value in values]
        axes.bar_label(drawn, shown, padding=3, fontsize=8)
    axes.set_yticks(range(len(chart.categories)), chart.categories)
    axes.invert_yaxis()
    axes.set_xlim(0, 108)
    axes.set_xlabel("%")
    axes.set_title(chart.title, loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower right", ncols=len(chart.series), frameon=False)
