"""Guidelines and notes, from Markdown to HTML that is safe to show."""

import re
from functools import lru_cache
from itertools import pairwise

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

# Raw HTML is shown as text; links may lead to web pages, mail, or a heading of the same text.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")


@lru_cache(maxsize=64)
def render_markdown(text: str) -> SafeString:
    """HTML of a Markdown text. Headings get ids made of their words, for links to `#that-heading`."""
    tokens = _MARKDOWN.parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", heading_id(inline))
    for token in tokens:
        if aligned := token.attrs.pop("style", None):  # our policy lets no inline style through
            token.attrSet("class", f"align-{str(aligned).rpartition(':')[2]}")
    assert isinstance(_MARKDOWN.renderer, RendererHTML)
    # The renderer escapes everything that is not Markdown of its own making.
    return mark_safe(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S308


@lru_cache(maxsize=64)
def headings_of(text: str) -> dict[str, str]:
    """Id -> words of each heading of a Markdown text."""
    return {
        heading_id(inline): inline.content
        for opening, inline in pairwise(_MARKDOWN.parse(text))
        if opening.type == "heading_open"
    }


def heading_id(inline: Token) -> str:
    """Lower case, punctuation dropped, blanks to hyphens: as readers of Markdown expect it."""
    return re.sub(r"[^\w\- ]", "", inline.content.lower()).replace(" ", "-")
