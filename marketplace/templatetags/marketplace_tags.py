"""Template tags of the marketplace: facts, tables, amounts of money and durations."""

from django import template
from django.core.paginator import Page
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy

from web.money import dollars

register = template.Library()
register.filter(dollars)
UNITS = (
    (86_400, ngettext_lazy("%(count)s day", "%(count)s days", "count")),
    (3_600, ngettext_lazy("%(count)s hour", "%(count)s hours", "count")),
    (60, ngettext_lazy("%(count)s minute", "%(count)s minutes", "count")),
)


@register.filter
def duration(seconds: int) -> str:
    """Format seconds in the largest unit that fits, such as "5 minutes" or "2 days"."""
    for size, text in UNITS:
        if seconds >= size:
            count = round(seconds / size)
            return text % {"count": count}
    return gettext("%(count)s seconds") % {"count": seconds}


@register.filter
def amount(cents: int | None) -> str:
    """Format cents without a unit, such as "0.05". Return an empty string for None."""
    return dollars(cents).replace("$", "")


@register.filter
def entries(value: object) -> list[tuple[str, object]] | None:
    """Return the keys and values of a mapping, and the members of a list without keys.

    Return None for what fits a line: single values, and lists of them.
    """
    if isinstance(value, dict):
        return [(str(key), member) for key, member in value.items()]
    if isinstance(value, list) and any(isinstance(member, dict | list) for member in value):
        return [("", member) for member in value]
    return None


@register.filter
def one_line(value: object) -> str:
    """Return a value as text, and a list as its members with commas."""
    return ", ".join(str(member) for member in value) if isinstance(value, list) else str(value)


@register.filter
def page_numbers(page: Page[object]) -> list[int]:
    """Return the numbers of the pages to link to. 0 is a gap."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1)
    return [number if isinstance(number, int) else 0 for number in numbers]


@register.simple_tag
def fact(name: str, value: object, *, code: bool = False) -> SafeString:
    """Render an entry of a list of facts. `code` marks an identifier."""
    shown = format_html("<code>{}</code>", value) if code else value
    return format_html("<dt>{}</dt><dd>{}</dd>", name, shown)


@register.simple_block_tag
def table(content: SafeString, caption: str, *columns: str) -> SafeString:
    """Render a table that scrolls within the page, with `content` as its rows.

    A column is a heading, with classes after "|", such as "Fee ($)|number". The caption and the headings
    are translated.
    """
    heads = [(gettext(name), classes) for name, _, classes in (c.partition("|") for c in columns)]
    context = {"content": content, "caption": gettext(caption), "heads": heads}
    return render_to_string("marketplace/table.html", context)
