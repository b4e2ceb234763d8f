"""Charts of an evaluation as SVG files. The same figures give the same bytes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from web.charts import draw_category_bars, draw_heat_map


def write_bar_chart(
    path: Path,
    title: str,
    categories: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
) -> None:
    """Write a chart as SVG with a horizontal bar in percent per category and series.

    The values are shares in [0, 1] or None. There are at most two series.
    """
    path.write_bytes(draw_category_bars(title, categories, series))


def write_heat_map(
    path: Path,
    title: str,
    rows: Sequence[str],
    columns: Mapping[str, Sequence[float | None]],
) -> None:
    """Write a chart as SVG with a cell per row and column, blue above zero and orange below.

    The colours are scaled to the largest absolute value. None is an empty cell.
    """
    path.write_bytes(draw_heat_map(title, rows, columns, number="{:+.4f}"))
