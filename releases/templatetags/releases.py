"""Filters of the pages of releases."""

from django import template

from releases.domain.paper_tables import shown_value

register = template.Library()


@register.filter
def in_unit(value: float | None, unit: str) -> str:
    """Return a figure of a release with its unit, or a dash."""
    return shown_value(value, unit)
