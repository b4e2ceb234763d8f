"""Template filters and tags that format figures."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from qualification.domain.figures import figure_at
from qualification.domain.gold_comparisons import Point
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
    """Return the ratio at `path` in percent with one decimal, or a dash if undefined."""
    return ratio(figure_at(figures, path))


@register.filter
def ratio(value: float | None) -> str:
    """Return a ratio in percent with one decimal, or a dash if undefined."""
    return "–" if value is None else f"{100 * value:.1f}"


@register.filter
def amount(figures: Json | None, path: str) -> str:
    """Return the figure at `path` with one decimal, or a dash if undefined."""
    value = figure_at(figures, path)
    return "–" if value is None else f"{value:.1f}"


@register.filter
def as_words(code: str) -> str:
    """Replace hyphens with spaces, as in "modal missing"."""
    return code.replace("-", " ")


@register.filter
def threshold_name(path: str) -> str:
    return NAMES.get(path, path)


@register.filter
def threshold_value(value: float, path: str) -> str:
    """Format a threshold like its figure."""
    return (
        f"{100 * value:.0f} %" if path.endswith((".f1", ".precision", ".recall")) else f"{value:g}"
    )


@register.simple_tag
def curve(points: Sequence[Point], window: int) -> SafeString:
    """Draw agreement over time from 0 to 100, in at most about MOST_POINTS points."""
    step = max(1, len(points) // MOST_POINTS)
    shown = [point.window for point in points if point.window is not None][::step] or [0.0]
    across = (CURVE_WIDTH - CURVE_LEFT) / max(1, len(shown) - 1)
    line = " ".join(
        f"{CURVE_LEFT + at * across:.1f},{CURVE_TOP + (1 - value) * CURVE_HEIGHT:.1f}"
        for at, value in enumerate(shown)
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
    """Draw ratios as a row of small bars, with a text alternative."""
    if not values:
        return ""
    description = ", ".join(
        "undefined" if value is None else f"{100 * value:.0f}" for value in values
    )
    drawn = format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}"/>',
        (
            (at * STEP, HEIGHT - tall, WIDTH, tall)
            for at, value in enumerate(values)
            for tall in [max(1, round((value or 0) * HEIGHT))]
        ),
    )
    return format_html(
        '<svg class="bars" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img">'
        "<title>{what}: {description}</title>{drawn}</svg>",
        w=len(values) * STEP,
        h=HEIGHT,
        what=what,
        description=description,
        drawn=drawn,
    )
