"""Filters for the figures of an evaluation, which are shares in [0, 1] and None if undefined."""

from collections.abc import Mapping

from django import template

register = template.Library()
_UNDEFINED = "–"


@register.filter
def points(share: float | None) -> str:
    """Format a share in percent, without the sign."""
    return _UNDEFINED if share is None else f"{100 * share:.2f}"


@register.filter
def signed_points(difference: float | None) -> str:
    """Format a difference of shares in percentage points."""
    return _UNDEFINED if difference is None else f"{100 * difference:+.2f}".replace("-", "−")


@register.filter
def ends(figure: Mapping[str, float | None]) -> str:
    """Format the ends of a figure's interval."""
    low, high = figure["low"], figure["high"]
    return "" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f}"


@register.filter
def signed_ends(difference: Mapping[str, float | None]) -> str:
    """Format the ends of a difference's interval in percentage points."""
    low, high = difference["low"], difference["high"]
    if low is None or high is None:
        return _UNDEFINED
    return f"{signed_points(low)} to {signed_points(high)}"


@register.filter
def p_value(value: float | None) -> str:
    """Format a p-value with three decimals, or as below 0.001."""
    if value is None:
        return _UNDEFINED
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
