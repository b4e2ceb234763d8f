"""Filters and tags that format money, times and shares."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from web.badges import badge_of
from web.json_element import json_element
from web.money import dollars

register = template.Library()
register.filter(dollars)
register.filter(json_element)

STEPS = ((60, 1, "second"), (3600, 60, "minute"), (86400, 3600, "hour"), (10**12, 86400, "day"))


@register.filter
def percent(share: float | None) -> str:
    """Format a share as a percentage, such as 3.8 % for 0.0384. None is a dash."""
    return "–" if share is None else f"{100 * share:.1f} %"


@register.filter
def thousands(value: int) -> str:
    """Format a count, such as 1,204."""
    return f"{value:,}"


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


@register.simple_tag
def state(row: Any) -> SafeString:
    """Render the badge of a row's state."""
    return badge_of(row)


@register.simple_tag(takes_context=True)
def crumbs(context: Context, here: str, *steps: str, key: object = None) -> SafeString:
    """Render the way to a page of a project: a route and a title for each step, then `here`.

    `key` is the last route's argument after the project.
    """
    slug = context["project"].slug
    routes, titles = steps[::2], steps[1::2]
    urls = [reverse(route, args=[slug]) for route in routes[: -1 if key else None]]
    if key:
        urls.append(reverse(routes[-1], args=[slug, key]))
    link = '<a href="{}">{}</a> <span aria-hidden="true">›</span>'
    links = format_html_join(" ", link, zip(urls, titles, strict=True))
    return format_html('<nav class="crumbs" aria-label="Breadcrumbs">{} {}</nav>', links, here)


@register.simple_block_tag
def table(
    content: SafeString,
    label: str,
    *columns: str,
    look: str = "list",
    caption: str = "",
    stacked: bool = False,
) -> SafeString:
    """Render a table that scrolls within the page, with `content` as its rows.

    A column is a heading, with classes after "|", such as "Fee|number". The class `hidden` shows it
    to screen readers only. Without columns, `content` has a head and a body of its own. The rows of
    a `stacked` table become blocks on narrow screens. Their elements then need explicit roles.
    """
    context = {
        "content": content,
        "label": label,
        "heads": [column.partition("|")[::2] for column in columns],
        "look": f"{look} list--stacked" if stacked else look,
        "caption": caption,
        "stacked": stacked,
    }
    return render_to_string("web/table.html", context)
