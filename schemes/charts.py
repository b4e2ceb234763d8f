"""Charts of an evaluation as SVG. The same figures give the same bytes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Okabe and Ito's blue and orange, which colour-blind readers can distinguish, plus hatching.
_SERIES_STYLE: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "hatch": "", "edgecolor": "white"},
    {"color": "#E69F00", "hatch": "//", "edgecolor": "white"},
)


def write_bar_chart(
    path: Path,
    title: str,
    categories: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
) -> None:
    """Write a chart as SVG with a horizontal bar in percent per category and series.

    The values are shares in [0, 1] or None. There are at most two series.
    """
    # Inline, because matplotlib is slow to load.
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "touchstone", "svg.fonttype": "none"}):
        bars = len(categories) * len(series)
        figure = Figure(figsize=(7.5, 1.4 + 0.28 * bars), layout="constrained")
        axes = figure.add_subplot()
        _draw_bars(axes, len(categories), series)
        axes.set_yticks(range(len(categories)), categories)
        axes.invert_yaxis()
        axes.set_xlim(0, 108)
        axes.set_xlabel("%")
        axes.set_title(title, loc="left", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside lower right", ncols=len(series), frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None, "Title": title})


def write_heat_map(
    path: Path,
    title: str,
    rows: Sequence[str],
    columns: Mapping[str, Sequence[float | None]],
) -> None:
    """Write a chart as SVG with a cell per row and column, blue above zero and orange below.

    The colours are scaled to the largest absolute value. None is an empty cell.
    """
    # Inline, because matplotlib is slow to load.
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.colors import LinearSegmentedColormap, Normalize  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    values = [[column[at] for column in columns.values()] for at in range(len(rows))]
    limit = max((abs(value) for row in values for value in row if value is not None), default=0.0)
    colours = LinearSegmentedColormap.from_list("effect", ["#E69F00", "#FFFFFF", "#0072B2"])
    scale = Normalize(-(limit or 1.0), limit or 1.0)
    with mpl.rc_context({"svg.hashsalt": "touchstone", "svg.fonttype": "none"}):
        size = (3.5 + 1.2 * len(columns), 1.4 + 0.26 * len(rows))
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        cells = [[float("nan") if value is None else value for value in row] for row in values]
        axes.imshow(cells, cmap=colours, norm=scale, aspect="auto")
        for row, line in enumerate(values):
            for column, value in enumerate(line):
                if value is not None:
                    shade = "white" if limit and value > 0.6 * limit else "black"
                    axes.text(
                        column,
                        row,
                        f"{value:+.4f}",
                        ha="center",
                        va="center",
                        fontsize=8,
                        color=shade,
                    )
        axes.set_yticks(range(len(rows)), rows)
        axes.set_xticks(range(len(columns)), list(columns))
        axes.xaxis.tick_top()
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)
        figure.savefig(path, format="svg", metadata={"Date": None, "Title": title})


def _draw_bars(axes: Any, rows: int, series: Mapping[str, Sequence[float | None]]) -> None:
    thickness = 0.8 / len(series)
    for at, (name, values) in enumerate(series.items()):
        offset = (at - (len(series) - 1) / 2) * thickness
        places = [row + offset for row in range(rows)]
        lengths = [100 * (value or 0.0) for value in values]
        drawn = axes.barh(places, lengths, thickness, label=name, **_SERIES_STYLE[at])
        shown = ["–" if value is None else f"{100 * value:.1f}" for value in values]
        axes.bar_label(drawn, shown, padding=3, fontsize=8)
