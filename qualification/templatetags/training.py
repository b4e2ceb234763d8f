"""Template filters and tags that format figures."""

from collections.abc import Sequence

from django import template
from django.utils.formats import get_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from qualification.domain.scores.figures import heading_of, threshold_label
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.figures import Figure

register = template.Library()
HEIGHT, STEP, WIDTH = 24, 6, 4


@register.filter
def shown(figures: Json | None, figure: Figure) -> str:
    """Return a figure of an evaluation with one decimal, or a dash if undefined."""
    return shown_value(figure.value_of((figures or {}).get(figure.key)), figure)


@register.filter
def shown_value(value: float | None, figure: Figure) -> str:
    """Return a value of the figure with one decimal, in percent for shares."""
    if not isinstance(value, int | float):
        return "–"
    return f"{100 * value:.1f}" if figure.unit == "%" else f"{value:.1f}"


register.filter("heading", heading_of)


@register.filter
def total_columns(scheme: Scheme) -> list[str]:
    """Return the columns of the totals of all figures, in order."""
    names = [name for figure in scheme.comparison.figures for name in figure.columns]
    return list(dict.fromkeys(names))


@register.filter
def column_heading(name: str) -> str:
    """Return a heading, such as "TP" or "Precision"."""
    return name.upper() if len(name) < 3 else name.replace("_", " ").capitalize()


@register.simple_tag
def total_cells(figures: Json | None, figure: Figure, scheme: Scheme) -> list[str]:
    """Return the texts of a figure's total for the columns of all figures."""
    total = (figures or {}).get(figure.key) or {}
    return [
        _cell(total.get(name), figure) if name in figure.columns else ""
        for name in total_columns(scheme)
    ]


def _cell(value: float | None, figure: Figure) -> str:
    return str(value) if isinstance(value, int) else shown_value(value, figure)


@register.filter
def one_decimal(value: float | None) -> str:
    """Return a number with one decimal, or a dash if it is undefined or missing."""
    if not isinstance(value, int | float):
        return "–"
    return f"{value:.1f}".replace(".", get_format("DECIMAL_SEPARATOR"))


@register.filter
def as_words(code: str) -> str:
    """Replace hyphens with spaces, as in "modal missing"."""
    return code.replace("-", " ")


register.filter("threshold_name", threshold_label)


@register.simple_tag
def threshold_text(key: str, value: float, scheme: Scheme) -> str:
    """Describe a threshold, such as "Accuracy of 70 % or more"."""
    figures = {figure.key: figure for figure in scheme.comparison.figures}
    figure = figures.get(key)
    number = f"{100 * value:.0f} %" if figure and figure.unit == "%" else f"{value:g}"
    bound = "less" if figure and not figure.higher_is_better else "more"
    return f"{threshold_label(key, scheme)} of {number} or {bound}"


@register.simple_tag
def bars(values: Sequence[float | None], label: str) -> SafeString | str:
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
        "<title>{label}: {description}</title>{drawn}</svg>",
        w=len(values) * STEP,
        h=HEIGHT,
        label=label,
        description=description,
        drawn=drawn,
    )
