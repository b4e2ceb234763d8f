"""`{% load interface_language %}`: the language of a page for workers."""

from collections.abc import Sequence

from django import template
from django.conf import settings
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_bidi

from web.interface_language import script_texts
from web.json_element import json_element

register = template.Library()


@register.simple_tag
def interface_language() -> str:
    return get_language()


@register.simple_tag
def direction_attribute() -> SafeString:
    """Return the attribute `dir` for a language that is written from right to left."""
    return SafeString(' dir="rtl"' if get_language_bidi() else "")


@register.simple_tag(name="script_texts")
def script_texts_element(*modules: str, also: Sequence[str] = ()) -> SafeString:
    """Render the texts of the page's modules for static/js/html.js. English needs none."""
    texts = script_texts(*modules, *also)
    return json_element(texts, "texts") if texts else SafeString("")


@register.simple_tag
def languages() -> list[tuple[str, str]]:
    """Return the tags of the interface's languages, with their own names for themselves."""
    return list(settings.LANGUAGES)
