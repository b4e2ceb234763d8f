"""`{% load modules %}`: preload links of the JavaScript modules that a page's script imports."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()
_IMPORT = re.compile(r"""^(?:import|export)\b[^;'"]*["'](\.[^'"]+)["']""", re.MULTILINE)


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


def imported_modules(entry: str) -> list[str]:
    """Return the static names of all modules that the entry imports, directly or not."""
    seen = {entry}
    queue = [entry]
    while queue:
        name = queue.pop()
        path = finders.find(name)
        if path is None:
            raise FileNotFoundError(f"No static file {name}, which {entry} imports.")
        for target in _IMPORT.findall(Path(path).read_text(encoding="utf-8")):
            module = normpath(PurePosixPath(name).parent / target)
            if module not in seen:
                seen.add(module)
                queue.append(module)
    return sorted(seen - {entry})
