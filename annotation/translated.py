"""Translation of the texts of schemes, which know nothing of languages."""

from typing import Any

from django.conf import settings
from django.utils.translation import get_language, gettext, ngettext

from schemes.contract.texts import Translatable


def translated(text: str) -> str:
    """Return a translatable text in the current language, and any other text as it is."""
    if not isinstance(text, Translatable):
        return text
    if text.plural:
        pattern = ngettext(text.pattern, text.plural, text.values["count"])
    else:
        pattern = gettext(text.pattern)
    values = {
        name: translated(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return pattern % values if values else pattern


def with_translated_texts(data: Any) -> Any:
    """Return the data of a page with its translatable texts in the current language."""
    if get_language() == settings.LANGUAGE_CODE:
        return data
    if isinstance(data, dict):
        return {key: with_translated_texts(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [with_translated_texts(value) for value in data]
    return translated(data) if isinstance(data, str) else data
