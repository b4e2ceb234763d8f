"""Tags that show sentences and annotations."""

from typing import Any

from django import template
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.domain.item_context import context_of
from annotation.models import Item
from schemes.base import Scheme
from schemes.registry import get_scheme

register = template.Library()


@register.simple_tag(takes_context=True)
def sentence_with_target(context: Context, item: Item) -> SafeString:
    """Return the sentence with the tokens of its target marked."""
    marked = set(_scheme(context, item).views.marked(item.target))
    tokens = [
        (token.gap, format_html("<mark>{}</mark>" if at in marked else "{}", token.text))
        for at, token in enumerate(item.sentence.shown_tokens())
    ]
    return format_html_join("", "{}{}", tokens)


@register.simple_tag(takes_context=True)
def annotation(context: Context, content: Any, item: Item) -> SafeString:
    """Render an annotation's units, or its JSON if its shape is unknown.

    JSON is for content in another shape, such as an arbitrary copy of the marketplace.
    """
    scheme = _scheme(context, item)
    units = scheme.views.units(content, context_of(item))
    if units is None:
        return render_to_string("annotation/content/raw.html", {"content": content})
    remark = scheme.views.remark(content)
    return render_to_string(
        "annotation/content/units.html",
        {"item": item, "units": units, "unit": scheme.vocabulary.unit, "remark": remark},
    )


def _scheme(context: Context, item: Item) -> Scheme:
    """Return the item's scheme. The page's project spares a query for each item of a list."""
    if project := context.get("project"):
        item.project = project
    return get_scheme(item.project.scheme)
