"""Filters for figures, and badges of outcomes."""

from collections.abc import Mapping

from django import template
from django.utils.safestring import SafeString

from metrics.intervals import Interval
from web.badges import badge
from web.states import Tone
from web.templatetags.web import percent

register = template.Library()

# What became of a part of an annotation in a consolidation.
OUTCOMES: Mapping[str, Tone] = {
    "kept": Tone.SUCCESS,
    "merged": Tone.SUCCESS,
    "edited": Tone.WAITING,
    "new": Tone.WAITING,
    "invalid": Tone.DANGER,
}


@register.simple_tag
def outcome_badge(outcome: str) -> SafeString:
    return badge(outcome, OUTCOMES.get(outcome, Tone.NEUTRAL))


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
