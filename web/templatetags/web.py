"""Filters and tags that format money, times and shares."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from web.money import dollars

register = template.Library()
register.filter(dollars)


STEPS = ((60, 1, "second"), (3600, 60, "minute"), (86400, 3600, "hour"), (10**12, 86400, "day"))


@register.filter
def percent(share: float | None) -> str:
    """Format a share as a percentage, such as 3.8 % for 0.0384. None is a dash."""
    return "–" if share is None else f"{100 * share:.1f} %"


@register.filter
def seconds(value: float | str | None) -> str:
    """Format seconds, such as 1 min 15 s for 75. None and missing variables are empty."""
    if value is None or isinstance(value, str):
        return ""
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


@register.simple_tag
def when(at: datetime | None) -> str | SafeString:
    """Render a relative time, with the exact time on hover."""
    if at is None:
        return ""
    exact = at.strftime("%Y-%m-%d %H:%M:%S UTC")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', at.isoformat(), exact, ago(at, timezone.now())
    )


def ago(at: datetime, now: datetime) -> str:
    past = (now - at).total_seconds()
    size = abs(past)
    unit, name = next((unit, name) for below, unit, name in STEPS if size < below)
    count = int(size // unit)
    if name == "second" and count < 10:
        return "just now"
    duration = f"{count} {name}{'' if count == 1 else 's'}"
    return f"{duration} ago" if past > 0 else f"in {duration}"


@register.filter
def of(table: Mapping[Any, Any], key: Any) -> Any:
    """Return the mapping's value for a key that is a template variable, or None."""
    return table.get(key)


@register.simple_tag
def fact(name: str, value: object) -> SafeString:
    """Render an entry of a list of facts."""
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", name, value)
