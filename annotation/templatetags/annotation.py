"""Tags that show sentences and annotations."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.neighbours import neighbours_of
from annotation.models import HeldBonus, Item, Sentence
from annotation.translated import translated
from projects.domain.schemes import scheme_of
from projects.templatetags.corpus_text import corpus_text, language_of
from schemes.contract.items import Neighbours
from schemes.contract.scheme import Scheme
from schemes.contract.texts import Translatable, text_of_parts

register = template.Library()
register.filter(translated)


@register.filter
def translated_detail(detail: str) -> str:
    """Return the detail of a stored row, whose parts are texts of the scheme or of the project."""
    return ", ".join(gettext(part) for part in detail.split(", "))


@register.filter
def text_of_reason(reason: Mapping[str, Any]) -> str:
    """Return the text of a stored reason of a held bonus, which is translatable."""
    return text_of_parts(reason.get("parts", reason["text"]))


@register.filter
def text_of_note(held: HeldBonus) -> str:
    """Return the text of the decision on a held bonus, translatable if it was automatic."""
    return held.note if held.note_parts is None else text_of_parts(held.note_parts)


@register.simple_tag(takes_context=True)
def side_value(context: Context, value: str, state: str) -> SafeString:
    """Render the value of a side of an aligned row: a text of the annotation or of the scheme."""
    project = context.get("project")
    if project and value in scheme_of(project).comparison.value_texts:
        return format_html('<span class="answer answer--{}">{}</span>', state, gettext(value))
    attributes = corpus_text(context)
    return format_html('<span class="answer answer--{}" {}>{}</span>', state, attributes, value)


@register.simple_tag(takes_context=True)
def scheme_text(context: Context, text: str) -> str:
    """Return a text of the scheme in the reader's language, or one of the project in its own."""
    if isinstance(text, Translatable):
        return translated(text)
    return format_html('<span lang="{}" dir="auto">{}</span>', language_of(context), text)


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
def neighbours_of_rows(context: Context, rows: Sequence[Any]) -> dict[int, Neighbours]:
    """Return the neighbours of the sentences of all rows, for `sentence_context` in a list."""
    sentences = [row.item.sentence for row in rows]
    return _neighbours(context, sentences) if sentences else {}


@register.simple_tag(takes_context=True)
def sentence_context(
    context: Context, sentence: Sentence, known: Mapping[int, Neighbours] | None = None
) -> SafeString:
    """Render the neighbours of the sentence in its document, or "" if none are shown.

    They are read unless `known` has them.
    """
    known = _neighbours(context, [sentence]) if known is None else known
    if sentence.pk not in known:
        return SafeString("")
    language = language_of(context)
    shown = {"sentence": sentence, "shown": known[sentence.pk], "language": language}
    return render_to_string("annotation/context.html", shown)


def _neighbours(context: Context, sentences: Sequence[Sentence]) -> dict[int, Neighbours]:
    project = context.get("project") or sentences[0].project
    return neighbours_of(project=project, sentences=sentences)


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
    shown = {"item": item, "units": units, "unit": scheme.vocabulary.unit, "remark": remark}
    language = language_of(context)
    return render_to_string("annotation/content/units.html", {**shown, "language": language})


def _scheme(context: Context, item: Item) -> Scheme:
    """Return the item's scheme. The page's project spares a query for each item of a list."""
    if project := context.get("project"):
        item.project = project
    return scheme_of(item.project)
