"""How pages write money, times and annotations."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django import template
from django.template.loader import select_template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.models import Item, Project
from annotation.permissions import pages_open_to
from dashboard.highlight import has_questions
from dashboard.pages import MenuGroup, menu_of

register = template.Library()

STEPS = ((60, 1, "second"), (3600, 60, "minute"), (86400, 3600, "hour"), (10**12, 86400, "day"))


@register.simple_tag(takes_context=True)
def project_menu(context: template.Context, project: Project) -> list[MenuGroup]:
    """The project's menu, for pages of apps below that extend the dashboard's base."""
    request = context["request"]
    return menu_of(request, project, pages_open_to(request.user, project))


@register.filter
def dollars(cents: float | None) -> str:
    """Cents as dollars with two digits: 123456 -> $1,234.56; nothing for None."""
    if cents is None:
        return ""
    return f"{'-' if cents < 0 else ''}${abs(cents) / 100:,.2f}"


@register.filter
def percent(share: float | None) -> str:
    """A share as a percentage with one digit: 0.0384 -> 3.8 %; a dash for None."""
    return "–" if share is None else f"{100 * share:.1f} %"


@register.filter
def seconds(value: float | str | None) -> str:
    """A span of time for people: 75 -> 1 min 15 s. Nothing for None, and for the empty text that a
    template has in the place of what is missing."""
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
    """How long ago, with the exact time on hover."""
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
    told = f"{count} {name}{'' if count == 1 else 's'}"
    return f"{told} ago" if past > 0 else f"in {told}"


@register.filter
def of(table: Mapping[Any, Any], key: Any) -> Any:
    """What a mapping holds under a key that is itself a value; None without it."""
    return table.get(key)


@register.filter
def words(span: Sequence[int], tokens: Sequence[str]) -> str:
    """The words of a half-open token span."""
    start, end = span
    return " ".join(tokens[start:end])


@register.simple_tag
def sentence_with_target(item: Item) -> SafeString:
    """The sentence, its target marked where the scheme's target names one token."""
    tokens = list(item.sentence.tokens)
    at = item.target.get("verb_idx")
    if not isinstance(at, int) or not 0 <= at < len(tokens):
        return format_html("{}", " ".join(tokens))
    before, after = " ".join(tokens[:at]), " ".join(tokens[at + 1 :])
    return format_html("{} <mark>{}</mark> {}", before, tokens[at], after)


@register.simple_tag
def annotation(content: Any, item: Item) -> SafeString:
    """An annotation's content as its scheme's people read it; as JSON where it has another shape
    (a copy that the marketplace holds may be anything)."""
    tokens = item.sentence.tokens
    names = (
        [f"dashboard/content/{item.project.scheme}.html"]
        if has_questions(content, len(tokens))
        else []
    )
    chosen = select_template([*names, "dashboard/content/raw.html"])
    return chosen.render({"content": content, "tokens": tokens})
