"""`{% load modules %}`: preload links of the JavaScript modules that a page's script imports."""

from collections.abc import Sequence
from functools import lru_cache

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from web.modules import imported_modules

register = template.Library()


@register.simple_tag
def modulepreload(entry: str, *later: str, also: Sequence[str] = ()) -> SafeString:
    """Link to all modules below an entry module, so that browsers request them at once.

    `later` are modules that the entry imports by an address that it finds in the page, and `also`
    has those that the page's content needs.
    """
    # Files change while a development server runs.
    return (_links.__wrapped__ if settings.DEBUG else _links)(entry, (*later, *also))


@lru_cache
def _links(entry: str, later: Sequence[str]) -> SafeString:
    names = {name for start in (entry, *later) for name in imported_modules(start)} | {*later}
    addresses = [(static(name),) for name in sorted(names - {entry})]
    return format_html_join("\n", '<link rel="modulepreload" href="{}" crossorigin>', addresses)
