"""Data of the workers' pages: the definition, and the texts of an item."""

from collections.abc import Sequence

from schemes.contract.items import ItemContext
from schemes.contract.pages import Pages
from schemes.contract.values import Json
from schemes.custom.form import Form
from schemes.custom.items import text_range


class CustomPages(Pages):
    """Pages that are built from the definition."""

    def __init__(self, form: Form) -> None:
        self._form = form
        value = form.definition.value
        hidden = ("examples", "renamed")
        self._definition = {name: part for name, part in value.items() if name not in hidden}

    def shared(self, contexts: Sequence[ItemContext]) -> Json:
        """Return the normalised definition, without its examples: `{"definition": {...}}`."""
        return {"definition": self._definition}

    def item(self, context: ItemContext) -> Json:
        """Return the texts, which are half-open ranges of tokens, and the image.

        `{"texts": [{"key", "label", "language", "dir", "start", "end"}, ...], "image": {"url",
        "width", "height", "name"} or None}`
        """
        definition = self._form.definition
        texts = []
        for text in definition.texts:
            start, end = text_range(definition, text.key, context)
            texts.append(
                {
                    "key": text.key,
                    "label": text.label,
                    "language": text.language,
                    "dir": text.direction,
                    "start": start,
                    "end": end,
                }
            )
        image = context.image
        return {
            "texts": texts,
            "image": image
            and {
                "url": image.url,
                "width": image.width,
                "height": image.height,
                "name": image.name,
            },
        }
