from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.charts import (
    COLOURS,
    Axis,
    Chart,
    Series,
    Style,
    Unit,
    draw_category_bars,
    draw_chart,
    draw_heat_map,
    format_value,
    number_ticks,
)

SVG = "{http://www.w3.org/2000/svg}"
DAY = 86_400
START = 1_764_000_000  # 2025-11-24 16:00 UTC


def texts(drawing: bytes) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def line_chart(points, style=Style.LINE, **options):
    x, y = options.pop("x", Axis("rank")), options.pop("y", Axis("items"))
    return Chart("Title", x, y, [Series("One", points, style)], **options)


def curve(drawing: bytes) -> list[tuple[float, float]]:
    [line] = ElementTree.fromstring(drawing).iter(f"{SVG}polyline")
    return [tuple(map(float, point.split(","))) for point in line.get("points").split()]


def test_larger_values_are_drawn_higher_and_further_right():
    [(x1, y1), (x2, y2), (x3, y3)] = curve(draw_chart(line_chart([(1, 5), (2, 10), (3, 0)])))
    assert x1 < x2 < x3
    assert y2 < y1 < y3
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.2)
    assert y3 - y1 == pytest.approx(y1 - y2, abs=0.2)


def test_logarithmic_axis_has_equal_steps_for_equal_ratios():
    axis = Axis("count", is_logarithmic=True)
    drawing = draw_chart(line_chart([(1, 1), (2, 10), (3, 100)], y=axis))
    [(_, y1), (_, y2), (_, y3)] = curve(drawing)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.2)


@pytest.mark.parametrize(
    ("span", "label"),
    [(600, "Nov 24, 16:00"), (10 * DAY, "Nov 26"), (900 * DAY, "Oct 2026")],
)
def test_times_are_labelled_by_their_span(span, label):
    points = [(START, 1), (START + span, 2)]
    assert label in texts(draw_chart(line_chart(points, x=Axis("", Unit.TIME))))


def test_single_point_is_drawn_as_a_circle():
    drawing = draw_chart(line_chart([(START, 1)], x=Axis("", Unit.TIME)))
    assert len(list(ElementTree.fromstring(drawing).iter(f"{SVG}circle"))) == 1


def test_points_carry_their_names_and_are_escaped():
    chart = Chart(
        "A < B", Axis("s"), Axis("F1", Unit.PERCENT),
        [Series("W", [(3, 0.5)], Style.POINTS, ["<W1>"])],
    )  # fmt: skip
    root = ElementTree.fromstring(draw_chart(chart))
    assert [title.text for title in root.iter(f"{SVG}title")] == ["A < B", "<W1>"]


def test_bars_stay_inside_the_axes():
    drawing = draw_chart(line_chart([(10, 3), (20, 5), (30, 1)], Style.BARS))
    bars = list(ElementTree.fromstring(drawing).iter(f"{SVG}rect"))
    edges = [(float(bar.get("x")), float(bar.get("width"))) for bar in bars]
    for (x1, width), (x2, _) in pairwise(edges):
        assert x1 + width < x2
    axis = [
        line
        for line in ElementTree.fromstring(drawing).iter(f"{SVG}line")
        if line.get("class") == "axis"
    ][-1]
    assert float(axis.get("x1")) <= edges[0][0]
    assert edges[-1][0] + edges[-1][1] <= float(axis.get("x2"))


def test_levels_and_marks_are_named():
    chart = line_chart([(1, 5), (2, 7)], levels={"limit": 20.0}, marks={"mean": 1.5})
    assert {"limit", "mean", "20"} <= set(texts(draw_chart(chart)))


def test_names_of_series_are_shown_if_there_are_several():
    series = [Series("Done", [(1, 2), (2, 3)]), Series("Forecast", [(2, 3), (3, 4)], Style.DASHED)]
    shown = texts(draw_chart(Chart("T", Axis("x"), Axis("y"), series)))
    assert {"Done", "Forecast"} <= set(shown)
    assert "One" not in texts(draw_chart(line_chart([(1, 2), (2, 3)])))


def test_category_bars_show_undefined_values_as_a_dash():
    drawing = draw_category_bars("F1", ["anna", "ben"], {"UA": [0.8, 0.5], "LA": [0.75, None]})
    assert {"anna", "ben", "UA", "LA", "80.0 %", "75.0 %", "–"} <= set(texts(drawing))
    bars = list(ElementTree.fromstring(drawing).iter(f"{SVG}rect"))
    assert bars[-1].get("width") == "0"


def test_heat_map_has_numbers_and_no_cell_for_none():
    drawing = draw_heat_map("A", ["a", "b"], {"a": [None, 80.0], "b": [80.0, -20.0]}, largest=100)
    assert texts(drawing).count("80.00") == 2
    cells = list(ElementTree.fromstring(drawing).iter(f"{SVG}rect"))
    assert [cell.get("class") for cell in cells] == ["above", "above", "below"]


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["above", "below"])
def test_numbers_are_readable_on_every_shade(name, mode):
    paper, ink = ("#ffffff", "#151514")[mode], COLOURS["number"][mode]
    for percent in range(101):
        shade = [
            (100 - percent) * back / 100 + percent * front / 100
            for back, front in zip(channels(paper), channels(COLOURS[name][mode]), strict=True)
        ]
        first, second = sorted([luminance(shade), luminance(channels(ink))])
        assert (second + 0.05) / (first + 0.05) >= 4.5, percent


def channels(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def luminance(shade: list[float]) -> float:
    """Return the relative luminance of WCAG 2."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in shade
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_exist_for_light_and_dark_and_drawings_repeat_exactly():
    chart = line_chart([(1, 5), (2, 10)])
    drawing = draw_chart(chart)
    assert b"prefers-color-scheme:dark" in drawing
    assert draw_chart(chart) == drawing


@given(st.floats(0, 1e9, allow_subnormal=False), st.floats(0, 1e9, allow_subnormal=False))
def test_ticks_enclose_their_range_in_a_readable_number(start, end):
    low, high = sorted((start, end))
    ticks = number_ticks(low, high)
    slack = 1e-6 * max(high, 1.0)
    assert ticks[0] <= low + slack
    assert high <= ticks[-1] + slack
    assert 2 <= len(ticks) <= 8


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (150, Unit.DOLLARS, "$1.50"),
        (200_000, Unit.DOLLARS, "$2,000"),
        (0.856, Unit.PERCENT, "86 %"),
        (START, Unit.TIME, "Nov 24, 16:00"),
        (1234.0, Unit.NUMBER, "1,234"),
        (0.25, Unit.NUMBER, "0.25"),
    ],
)
def test_values_are_written_by_their_unit(value, unit, written):
    assert format_value(value, unit) == written
