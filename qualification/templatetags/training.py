"""How the trainer's pages write figures."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from qualification.domain.figures import figure_at
from qualification.domain.outcomes import Point
from schemes.base import Json

register = template.Library()
HEIGHT, STEP, WIDTH = 24, 6, 4
CURVE_WIDTH, CURVE_HEIGHT, CURVE_LEFT, CURVE_TOP = 600, 160, 34, 10
MOST_POINTS = 300
NAMES = {
    "UA.f1": "UA F1",
    "LA.f1": "LA F1",
    "questions_per_item": "questions per item",
    "seconds_per_item": "seconds per item",
}


@register.filter
def percent(figures: Json | None, path: str) -> str:
    """A ratio of the figures in per cent with one digit: 0.8125 -> 81.2; a dash where undefined."""
    value = figure_at(figures, path)
    return "–" if value is None else f"{100 * value:.1f}"


@register.filter
def ratio(value: float | None) -> str:
    """The same of a bare ratio."""
    return "–" if value is None else f"{100 * value:.1f}"


@register.filter
def amount(figures: Json | None, path: str) -> str:
    """A figure with one digit after the point; a dash where undefined."""
    value = figure_at(figures, path)
    return "–" if value is None else f"{value:.1f}"


@register.filter
def as_words(code: str) -> str:
    """modal-missing -> modal missing."""
    return code.replace("-", " ")


@register.filter
def threshold_name(path: str) -> str:
    return NAMES.get(path, path)


@register.filter
def threshold_value(value: float, path: str) -> str:
    """As the pages write the figure that it belongs to."""
    return (
        f"{100 * value:.0f} %" if path.endswith((".f1", ".precision", ".recall")) else f"{value:g}"
    )


@register.simple_tag
def curve(points: Sequence[Point], window: int) -> SafeString:
    """A worker's agreement over time as a line from 0 to 100; the first and last figure in words. Long
    series are thinned to what can be told apart."""
    step = max(1, len(points) // MOST_POINTS)
    shown = [one.window for one in points if one.window is not None][::step] or [0.0]
    across = (CURVE_WIDTH - CURVE_LEFT) / max(1, len(shown) - 1)
    line = " ".join(
        f"{CURVE_LEFT + at * across:.1f},{CURVE_TOP + (1 - one) * CURVE_HEIGHT:.1f}"
        for at, one in enumerate(shown)
    )
    grid = format_html_join(
        "",
        '<line x1="{}" y1="{}" x2="{}" y2="{}"/><text x="0" y="{}">{}</text>',
        (
            (CURVE_LEFT, y, CURVE_WIDTH, y, y + 4, label)
            for label in (0, 50, 100)
            for y in [CURVE_TOP + (100 - label) * CURVE_HEIGHT // 100]
        ),
    )
    return format_html(
        '<svg class="curve" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img">'
        "<title>UA F1 over the last {window} items: {first} at first, {last} now, over {n} "
        'items</title>{grid}<polyline points="{line}"/></svg>',
        w=CURVE_WIDTH,
        h=CURVE_HEIGHT + 2 * CURVE_TOP,
        window=window,
        first=round(100 * shown[0]),
        last=round(100 * shown[-1]),
        n=len(points),
        grid=grid,
        line=line,
    )


@register.simple_tag
def bars(values: Sequence[float | None], what: str) -> SafeString | str:
    """Ratios as a row of small bars, and in words for who can't see them."""
    if not values:
        return ""
    told = ", ".join("undefined" if one is None else f"{100 * one:.0f}" for one in values)
    drawn = format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}"/>',
        (
            (at * STEP, HEIGHT - tall, WIDTH, tall)
            for at, one in enumerate(values)
            for tall in [max(1, round((one or 0) * HEIGHT))]
        ),
    )
    return format_html(
        '<svg class="bars" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img">'
        "<title>{what}: {told}</title>{drawn}</svg>",
        w=len(values) * STEP,
        h=HEIGHT,
        what=what,
        told=told,
        drawn=drawn,
    )
