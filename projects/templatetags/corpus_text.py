"""Tags for texts of the corpus, whose language is not that of the pages."""

from typing import Any

from django import template
from django.template.context import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from projects.languages import DEFAULT_LANGUAGE, direction_of

register = template.Library()


@register.simple_tag(takes_context=True)
def corpus_text(context: Context) -> SafeString:
    """Return the attributes `lang` and `dir` of an element with a text of the corpus."""
    tag = language_of(context)
    return format_html('lang="{}" dir="{}"', tag, direction_of(tag))


def language_of(context: Any) -> str:
    """Return the language of the page's project, or that of a worker's page."""
    if language := context.get("language"):
        return str(language)
    project = context.get("project")
    return project.language if project else DEFAULT_LANGUAGE
