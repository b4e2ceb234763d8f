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
