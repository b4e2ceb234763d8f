"""Charts as SVG images with colours for light and dark mode. The same data give the same bytes.

Points are connected over numbers or time (`draw_chart`), drawn as bars per category
(`draw_category_bars`), or as the cells of a table (`draw_heat_map`). Lengths are in pixels.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, tostring

WIDTH, HEIGHT = 720, 320
MARGIN = 12
LETTER, CAPITAL = 7.5, 9.5  # the mean widths of letters
LINE = 20  # the height of a line of text
TICKS = 5  # the number of ticks that an axis aims at
BAR = 16  # the thickness of a bar of a category
CELL = 26  # the height of a cell of a heat map

MINUTE, HOUR, DAY = 60, 3600, 86_400
TIME_STEPS = (
    MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR,
    DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 84 * DAY, 364 * DAY,
)  # fmt: skip

# An image inherits no styles from its page. Each colour has its values in light and dark mode. The first
# four are those of static/css/tokens.css.
COLOURS = {
    "ink": ("#5a5751", "#aeaaa1"),
    "line": ("#dcd8cf", "#3b3a36"),
    "first": ("#1a55b8", "#8fb8ff"),
    "second": ("#a63f00", "#ff9b63"),
    # Cells of a heat map. Their numbers are readable on every shade.
    "above": ("#6f9be8", "#3f6fc4"),
    "below": ("#e08a5a", "#a8521f"),
    "number": ("#1c1b19", "#ffffff"),
}
SERIES = ("first", "second")

Point = tuple[float, float]
Range = tuple[float, float] | None


class Unit(Enum):
    """How the values of an axis are written."""

    NUMBER = auto()
    DOLLARS = auto()  # values in cents
    PERCENT = auto()  # values as shares
    TIME = auto()  # values in seconds since 1970, UTC


class Style(Enum):
    """How a series is drawn."""

    LINE = auto()
    DASHED = auto()
    POINTS = auto()
    BARS = auto()


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis with the unit of its values. A logarithmic axis has values above zero only."""

    label: str
    unit: Unit = Unit.NUMBER
    is_logarithmic: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """Points (x, y) with a name. `names` are the names of the points, if they have any."""

    name: str
    points: Sequence[tuple[float, float]]
    style: Style = Style.LINE
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """Series over two axes, with lines across at `levels` and upright at `marks`."""

    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    levels: Mapping[str, float] | None = None
    marks: Mapping[str, float] | None = None


def draw_chart(chart: Chart) -> bytes:
    """Draw the chart. The vertical axis starts at zero, unless it is logarithmic."""
    svg = _image(chart.title, WIDTH, HEIGHT)
    xs = [x for series in chart.series for x, _ in series.points]
    width = _bar_width(xs) if any(s.style is Style.BARS for s in chart.series) else 0.0
    ys = [y for series in chart.series for _, y in series.points]
    xs += (chart.marks or {}).values()
    ys += (chart.levels or {}).values()
    x_ticks = _ticks(chart.x, [x + side for x in xs for side in (-width / 2, width / 2)])
    y_ticks = _ticks(chart.y, ys if chart.y.is_logarithmic else [0, *ys])
    labels = [format_value(tick, chart.y.unit) for tick in y_ticks]
    area = _Area(
        left=2 * MARGIN + LINE + max(map(_width, labels)),
        top=MARGIN + LINE + _legend_height(chart),
        right=WIDTH - 3 * MARGIN,
        bottom=HEIGHT - MARGIN - 2 * LINE,
        x=_Scale.over(chart.x, x_ticks, xs, width),
        y=_Scale.over(chart.y, y_ticks, ys, 0.0),
    )
    _draw_legend(svg, chart)
    _draw_axes(svg, chart, area, x_ticks, y_ticks)
    for at, series in enumerate(chart.series):
        _draw_series(svg, area, series, SERIES[at % len(SERIES)], width)
    for name, y in (chart.levels or {}).items():
        _line(svg, (area.left, area.y_of(y)), (area.right, area.y_of(y)), "mark")
        _text(svg, area.right, area.y_of(y) - 5, name, anchor="end")
    for name, x in (chart.marks or {}).items():
        _line(svg, (area.x_of(x), area.top), (area.x_of(x), area.bottom), "mark")
        is_right = area.x_of(x) > (area.left + area.right) / 2
        shift, anchor = (-5, "end") if is_right else (5, "start")
        _text(svg, area.x_of(x) + shift, area.top + 10, name, anchor=anchor)
    return tostring(svg, encoding="utf-8")


def draw_category_bars(
    title: str,
    categories: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    unit: Unit = Unit.PERCENT,
    *,
    ranges: Mapping[str, Sequence[Range]] | None = None,
) -> bytes:
    """Draw a horizontal bar per category and series, with its value. There are at most two series.

    `ranges` are lines across the ends of the bars of a series, such as intervals.
    """
    left = 2 * MARGIN + max(map(_width, categories), default=0)
    group = BAR * len(series) + 10
    top = MARGIN + LINE * (2 if len(series) > 1 else 1) + 6
    width = max(WIDTH, math.ceil(left) + 320)
    svg = _image(title, width, top + group * len(categories) + MARGIN)
    if len(series) > 1:
        _draw_names(svg, series, MARGIN + LINE + 12)
    shown = [value for values in series.values() for value in values if value is not None]
    largest = 1.0 if unit is Unit.PERCENT else max(shown, default=0.0) or 1.0
    room = width - left - 70
    for row, category in enumerate(categories):
        y = top + row * group
        middle = y + BAR * len(series) / 2
        _text(svg, left - 6, middle + 4, category, anchor="end")
        for at, (name, values) in enumerate(series.items()):
            value, bar_top = values[row], y + at * BAR
            length = room * min(max(value or 0.0, 0.0), largest) / largest
            _rectangle(svg, (left, bar_top), (length, BAR - 2), SERIES[at])
            written = "–" if value is None else format_value(value, unit, decimals=1)
            place = left + length + 5
            if limits := ranges and ranges[name][row]:
                low, high = (left + room * min(max(end, 0.0), largest) / largest for end in limits)
                _line(svg, (low, bar_top + 7), (high, bar_top + 7), "range")
                place = max(place, high + 5)
            _text(svg, place, bar_top + 11, written)
    return tostring(svg, encoding="utf-8")


def draw_heat_map(
    title: str,
    rows: Sequence[str],
    columns: Mapping[str, Sequence[float | None]],
    *,
    largest: float | None = None,
    number: str = "{:.2f}",
) -> bytes:
    """Draw a cell per row and column, with its number, darker for larger absolute values.

    `largest` is the value of the darkest cell, by default the largest of all. Values below zero have
    the second colour, and None is an empty cell. Columns with long names are labelled upright.
    """
    left = MARGIN + 8 + max(map(_width, rows), default=0)
    is_upright = max(map(len, columns), default=0) > 12
    widest = max(map(_width, columns), default=0)
    cell = max(44.0, 16 + _width(number.format(-0.1)), 0 if is_upright else 16 + widest)
    top = MARGIN + LINE + 6
    bottom = top + CELL * len(rows)
    label_height = widest if is_upright else LINE
    width = max(260.0, left + cell * len(columns) + MARGIN, 2 * MARGIN + _width(title))
    svg = _image(title, math.ceil(width), math.ceil(bottom + label_height + 2 * MARGIN))
    values = [value for column in columns.values() for value in column if value is not None]
    scale = largest or max(map(abs, values), default=0.0) or 1.0
    for at, name in enumerate(rows):
        _text(svg, left - 8, top + at * CELL + 17, name, anchor="end")
    for at, (name, column) in enumerate(columns.items()):
        x = left + at * cell
        label = _text(svg, x + cell / 2, bottom + 16, name, anchor="middle")
        if is_upright:
            label.set("text-anchor", "end")
            label.set("transform", f"rotate(-90 {_n(x + cell / 2)} {_n(bottom + 8)})")
            label.set("y", _n(bottom + 12))
        for row, value in enumerate(column):
            if value is not None:
                _draw_cell(svg, (x, top + row * CELL, cell), value, scale, number)
    return tostring(svg, encoding="utf-8")


def _draw_cell(
    svg: Element, place: tuple[float, float, float], value: float, scale: float, number: str
) -> None:
    x, y, width = place
    share = min(abs(value) / scale, 1.0)
    rectangle = _rectangle(svg, (x, y), (width - 1, CELL - 1), "above" if value >= 0 else "below")
    rectangle.set("fill-opacity", f"{0.08 + 0.92 * share:.2f}")  # a cell with 0 stays visible
    text = _text(svg, x + width / 2, y + 17, number.format(value), anchor="middle")
    text.set("class", "number")


def format_value(value: float, unit: Unit, *, decimals: int = 0) -> str:
    """Write a value of an axis, such as "$1.50", "85 %" or "Nov 3, 14:05"."""
    match unit:
        case Unit.DOLLARS:
            whole = value % 100 == 0 and abs(value) >= 1000
            return f"${value / 100:,.0f}" if whole else f"${value / 100:,.2f}"
        case Unit.PERCENT:
            return f"{100 * value:.{decimals}f} %"
        case Unit.TIME:
            return f"{_moment(value):%b %-d, %H:%M}"
        case Unit.NUMBER:
            return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"


# Axes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scale:
    """The range of values of an axis."""

    low: float
    high: float
    is_logarithmic: bool

    @classmethod
    def over(
        cls, axis: Axis, ticks: Sequence[float], values: Sequence[float], around: float
    ) -> "_Scale":
        """Return the range of the ticks. Time ends with the data, and bars have room `around` them."""
        if axis.unit is Unit.TIME:
            low, high = min(values, default=ticks[0]), max(values, default=ticks[-1])
            return cls(low - around / 2, max(high, low + 1) + around / 2, is_logarithmic=False)
        return cls(ticks[0], ticks[-1], axis.is_logarithmic)

    def share(self, value: float) -> float:
        low, high = self.low, self.high
        if self.is_logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        return (value - low) / ((high - low) or 1)


@dataclass(frozen=True, slots=True)
class _Area:
    """The part of the image between the axes."""

    left: float
    top: float
    right: float
    bottom: float
    x: _Scale
    y: _Scale

    def x_of(self, value: float) -> float:
        return self.left + (self.right - self.left) * self.x.share(value)

    def y_of(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * self.y.share(value)


def _ticks(axis: Axis, values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    if axis.unit is Unit.TIME:
        return _time_ticks(low, high)
    if axis.is_logarithmic:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        return [10.0**power for power in range(first, max(last, first + 1) + 1)]
    if axis.unit is Unit.PERCENT:
        return [share / 5 for share in range(6)]
    return number_ticks(low, high, is_whole=axis.unit is Unit.DOLLARS)


def number_ticks(low: float, high: float, *, is_whole: bool = False) -> list[float]:
    """Return about TICKS round numbers that enclose the range, in steps of 1, 2 or 5 times 10^n."""
    rough = max((high - low) / TICKS, 1.0 if is_whole else 1e-9)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(at * step, 9) for at in range(first, max(last, first + 1) + 1)]


def _time_ticks(low: float, high: float) -> list[float]:
    step = next((step for step in TIME_STEPS if (high - low) / step <= TICKS), TIME_STEPS[-1])
    first = math.ceil(low / step)
    return [float(at * step) for at in range(first, math.floor(high / step) + 1)] or [low]


def _time_labels(ticks: Sequence[float]) -> list[str]:
    """Write the times of the ticks, with the day where it changes if they are hours or minutes."""
    step = ticks[1] - ticks[0] if len(ticks) > 1 else MINUTE
    if step >= DAY:
        style = "%b %Y" if step >= 300 * DAY else "%b %-d"
        return [f"{_moment(tick):{style}}" for tick in ticks]
    labels, day = [], ""
    for tick in ticks:
        today = f"{_moment(tick):%b %-d}"
        labels.append(f"{_moment(tick):%H:%M}" if today == day else format_value(tick, Unit.TIME))
        day = today
    return labels


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)


def _bar_width(xs: Iterable[float]) -> float:
    """Return the smallest distance of two bars, which is the width of a bar with its gap."""
    places = sorted(set(xs))
    return min((b - a for a, b in pairwise(places)), default=1.0)


def _draw_axes(
    svg: Element, chart: Chart, area: _Area, x_ticks: Sequence[float], y_ticks: Sequence[float]
) -> None:
    for tick in y_ticks:
        y = area.y_of(tick)
        _line(svg, (area.left, y), (area.right, y), "grid")
        _text(svg, area.left - 6, y + 4, format_value(tick, chart.y.unit), anchor="end")
    is_time = chart.x.unit is Unit.TIME
    labels = (
        _time_labels(x_ticks) if is_time else [format_value(tick, chart.x.unit) for tick in x_ticks]
    )
    for tick, label in zip(x_ticks, labels, strict=True):
        x = area.x_of(tick)
        _line(svg, (x, area.bottom), (x, area.bottom + 4), "axis")
        _text(svg, x, area.bottom + LINE, label, anchor="middle")
    _line(svg, (area.left, area.bottom), (area.right, area.bottom), "axis")
    middle = (area.left + area.right) / 2
    _text(svg, middle, area.bottom + 2 * LINE, chart.x.label, anchor="middle")
    height = (area.top + area.bottom) / 2
    upright = _text(svg, MARGIN, height, chart.y.label, anchor="middle")
    upright.set("transform", f"rotate(-90 {_n(MARGIN)} {_n(height)})")


def _draw_series(svg: Element, area: _Area, series: Series, colour: str, width: float) -> None:
    places = [(area.x_of(x), area.y_of(y)) for x, y in series.points]
    if series.style is Style.BARS:
        thickness = 0.9 * (area.x_of(width) - area.x_of(0.0))
        for x, y in places:
            _rectangle(svg, (x - thickness / 2, y), (thickness, area.bottom - y), colour)
    elif series.style is Style.POINTS or len(places) == 1:
        for at, (x, y) in enumerate(places):
            circle = SubElement(
                svg, "circle", {"cx": _n(x), "cy": _n(y), "r": "4", "class": colour}
            )
            if series.names:
                SubElement(circle, "title").text = series.names[at]
    else:
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in places)
        dashes = " dashed" if series.style is Style.DASHED else ""
        SubElement(svg, "polyline", {"points": points, "class": f"curve {colour}{dashes}"})


def _legend_height(chart: Chart) -> int:
    return LINE + 8 if len(chart.series) > 1 else 0


def _draw_legend(svg: Element, chart: Chart) -> None:
    if _legend_height(chart):
        _draw_names(svg, [series.name for series in chart.series], MARGIN + LINE + 12)


def _draw_names(svg: Element, names: Iterable[str], y: float) -> None:
    x = float(MARGIN)
    for at, name in enumerate(names):
        _rectangle(svg, (x, y - 10), (12, 10), SERIES[at % len(SERIES)])
        _text(svg, x + 18, y, name)
        x += 40 + _width(name)


# Elements -----------------------------------------------------------------------------------------


def _image(title: str, width: float, height: float) -> Element:
    size = {"width": _n(width), "height": _n(height), "viewBox": f"0 0 {_n(width)} {_n(height)}"}
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, "role": "img"})
    SubElement(svg, "title").text = title
    SubElement(svg, "style").text = _style()
    _text(svg, MARGIN, MARGIN + 8, title).set("class", "title")
    return svg


def _style() -> str:
    light, dark = (
        "".join(f"--{name}:{values[at]};" for name, values in COLOURS.items()) for at in (0, 1)
    )
    return (
        f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
        "text{fill:var(--ink);font:13px system-ui,sans-serif}text.title{font-weight:600}"
        ".first{fill:var(--first)}.second{fill:var(--second)}"
        ".above{fill:var(--above)}.below{fill:var(--below)}text.number{fill:var(--number)}"
        ".range{stroke:var(--ink);stroke-width:2}"
        ".grid{stroke:var(--line)}.axis{stroke:var(--ink)}"
        ".mark{stroke:var(--second);stroke-dasharray:6 4}"
        ".curve{fill:none;stroke-width:2}.curve.first{stroke:var(--first)}"
        ".curve.second{stroke:var(--second)}.dashed{stroke-dasharray:3 4}"
    )


def _width(text: str) -> float:
    """Estimate the width of a text."""
    capitals = sum(letter.isupper() or letter.isdecimal() for letter in text)
    return CAPITAL * capitals + LETTER * (len(text) - capitals)


def _text(svg: Element, x: float, y: float, text: str, *, anchor: str = "start") -> Element:
    element = SubElement(svg, "text", {"x": _n(x), "y": _n(y), "text-anchor": anchor})
    element.text = text
    return element


def _line(svg: Element, start: Point, end: Point, look: str) -> None:
    ends = {"x1": _n(start[0]), "y1": _n(start[1]), "x2": _n(end[0]), "y2": _n(end[1])}
    SubElement(svg, "line", {**ends, "class": look})


def _rectangle(svg: Element, corner: Point, size: Point, colour: str) -> Element:
    (x, y), (width, height) = corner, size
    sides = {"x": _n(x), "y": _n(y), "width": _n(max(width, 0)), "height": _n(max(height, 0))}
    return SubElement(svg, "rect", {**sides, "class": colour})


def _n(number: float) -> str:
    """Write a length with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")
