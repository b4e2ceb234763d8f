"""Render Markdown as safe HTML."""

import re
from functools import lru_cache
from itertools import pairwise

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

# Raw HTML is shown as text. Links may lead to web pages, mail addresses and headings.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")


@lru_cache(maxsize=64)
def render_markdown(text: str) -> SafeString:
    """Render a Markdown text as HTML. Headings get ids, for links to them, and name the tables below."""
    tokens = _MARKDOWN.parse(text)
    heading = ""
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            heading = heading_id(inline.content)
            opening.attrSet("id", heading)
        elif opening.type == "table_open" and heading:
            opening.attrSet("aria-labelledby", heading)
    for token in tokens:
        if aligned := token.attrs.pop("style", None):  # the CSP forbids inline styles
            token.attrSet("class", f"align-{str(aligned).rpartition(':')[2]}")
    assert isinstance(_MARKDOWN.renderer, RendererHTML)
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    # The renderer escapes everything that is not Markdown. Wide code scrolls, also by keyboard.
    return mark_safe(html.replace("<pre>", '<pre tabindex="0">'))  # noqa: S308


@lru_cache(maxsize=64)
def headings_of(text: str) -> dict[str, str]:
    """Return the headings of a Markdown text by their ids."""
    return {
        heading_id(inline.content): inline.content
        for opening, inline in pairwise(_MARKDOWN.parse(text))
        if opening.type == "heading_open"
    }


def heading_id(text: str) -> str:
    """Return a heading's id in lower case, without punctuation and with hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
