"""Filters for figures."""

from django import template

from metrics.intervals import Interval
from web.templatetags.web import percent

register = template.Library()


@register.filter
def in_unit(value: float | None, unit: str) -> str:
    """Format a value of a figure with its unit. None is a dash."""
    if unit == "%" or value is None:
        return percent(value)
    return f"{value:.2f} {unit}"


@register.filter
def interval(bounds: Interval, unit: str) -> str:
    """Format an interval of a figure, or of a number if the unit is empty. Undefined is a dash."""
    low, high = bounds.low, bounds.high
    if low is None or high is None:
        return "–"
    if unit == "%":
        return f"{100 * low:.1f} to {100 * high:.1f} %"
    return f"{low:.1f} to {high:.1f}" if not unit else f"{low:.2f} to {high:.2f}"


@register.filter
def count_or_mean(value: float | None) -> str:
    """Format a whole number, or a mean with two decimals. None is a dash."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
