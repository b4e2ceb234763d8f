"""Filters for figures."""

from django import template

from web.templatetags.web import percent

register = template.Library()


@register.filter
def in_unit(value: float | None, unit: str) -> str:
    """Format a value of a figure with its unit. None is a dash."""
    if unit == "%" or value is None:
        return percent(value)
    return f"{value:.2f} {unit}"


@register.filter
def count_or_mean(value: float | None) -> str:
    """Format a whole number, or a mean with two decimals. None is a dash."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
