"""Search of gold by its labels and verbs."""

from schemes.contract.items import ItemContext
from schemes.contract.search import Search, SearchField
from schemes.contract.values import Json


def _labels(content: Json, context: ItemContext) -> list[str]:
    labels = [content.get("frame", "")]
    for argument in content.get("arguments", []):
        labels += [argument.get("element", ""), argument.get("role", "")]
    return [label.replace("_", " ") for label in labels if label]


def _lemma(content: Json, context: ItemContext) -> list[str]:
    lemmas = [content.get("lemma", ""), context.target.get("lemma", "")]
    return [lemma.replace("_", " ") for lemma in dict.fromkeys(lemmas) if lemma]


SEARCH = Search(
    content=SearchField("Frame, element or role", _labels),
    target=SearchField("Verb", _lemma),
)
