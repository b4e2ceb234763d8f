"""Texts for workers that pages translate. Schemes know nothing of languages."""

from collections.abc import Iterable
from typing import Any


class Translatable(str):
    """An English text with the pattern and values that it was made of.

    `Translatable("%(count)s box is missing.", plural="%(count)s boxes are missing.", count=2)` has the
    plural unless the count is 1. Values may be translatable themselves. The pattern and the plural must
    be literals, because scripts/write_messages.py reads them from the source.
    """

    __slots__ = ("pattern", "plural", "values")
    pattern: str
    plural: str
    values: dict[str, Any]

    def __new__(cls, pattern: str, plural: str = "", **values: Any) -> "Translatable":
        chosen = plural if plural and values["count"] != 1 else pattern
        text = super().__new__(cls, chosen % values if values else chosen)
        text.pattern, text.plural, text.values = pattern, plural, values
        return text


def joined(texts: Iterable[str], separator: str = " ") -> Translatable:
    """Return one text. Its parts are translated one by one if they are translatable."""
    values = {f"text_{at}": text for at, text in enumerate(texts)}
    return Translatable(separator.join(f"%({name})s" for name in values), **values)


def text_parts(text: str) -> Any:
    """Return the JSON value from which `text_of_parts` makes the text again."""
    if not isinstance(text, Translatable):
        return text
    values = {
        name: text_parts(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return {"pattern": text.pattern, "plural": text.plural, "values": values}


def text_of_parts(parts: Any) -> str:
    """Return the text of a value of `text_parts`, translatable if the original was."""
    if not isinstance(parts, dict):
        return str(parts)
    values = {
        name: text_of_parts(value) if isinstance(value, str | dict) else value
        for name, value in parts["values"].items()
    }
    return Translatable(parts["pattern"], plural=parts["plural"], **values)
