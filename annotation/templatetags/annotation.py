"""Tags that show sentences and annotations."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.template.loader import select_template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.highlight import has_questions, target_of
from annotation.models import Item

register = template.Library()


@register.filter
def words(span: Sequence[int], tokens: Sequence[str]) -> str:
    """Return the words of a half-open token span."""
    start, end = span
    return " ".join(tokens[start:end])


@register.simple_tag
def sentence_with_target(item: Item) -> SafeString:
    """Return the sentence, with its target marked if it is a single token."""
    tokens = list(item.sentence.tokens)
    at = target_of(item.target)
    if at is None or at >= len(tokens):
        return format_html("{}", " ".join(tokens))
    before, after = " ".join(tokens[:at]), " ".join(tokens[at + 1 :])
    return format_html("{} <mark>{}</mark> {}", before, tokens[at], after)


@register.simple_tag
def annotation(content: Any, item: Item) -> SafeString:
    """Render an annotation's content with the scheme's template, or as JSON.

    JSON is for content in another shape, such as an arbitrary copy of the marketplace.
    """
    tokens = item.sentence.tokens
    names = [f"annotation/content/{item.project.scheme}.html", "annotation/content/raw.html"]
    chosen = select_template(names if has_questions(content, len(tokens)) else names[1:])
    return chosen.render({"content": content, "tokens": tokens})
