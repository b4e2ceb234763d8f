"""Data of the workers' pages: the definition, and the texts of an item."""

import json
import re
from collections.abc import Sequence

from schemes.contract.items import ItemContext
from schemes.contract.pages import Pages
from schemes.contract.values import Json
from schemes.custom.form import Form
from schemes.custom.items import text_range

_FOLDER = "js/schemes/custom"
# What static/js/schemes/custom/cards.js imports for fields of these types.
_MODULES = {
    "spans": (f"{_FOLDER}/span-card.js", f"{_FOLDER}/marking.js"),
    "relations": (f"{_FOLDER}/relation-card.js",),
    "questions": (f"{_FOLDER}/question-card.js", f"{_FOLDER}/marking.js"),
    "boxes": (f"{_FOLDER}/box-card.js", "js/schemes/grounding/picture.js"),
}
# As loadPatterns in static/js/schemes/custom/answers.js
_PATTERN = re.compile('"pattern": "[^"]')


class CustomPages(Pages):
    """Pages that are built from the definition."""

    def __init__(self, form: Form) -> None:
        self._form = form
        types = {kind.field.type for kind in form.kinds}
        value = form.definition.value
        modules = {name for type_ in types for name in _MODULES.get(type_, ())}
        if _PATTERN.search(json.dumps(value["fields"])):
            modules.add(f"{_FOLDER}/patterns.js")
        self.modules = sorted(modules)
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
