"""Search of grounded captions."""

from schemes.contract.items import ItemContext
from schemes.contract.search import Search, SearchField
from schemes.contract.values import Json
from schemes.grounding.content import phrase_text
from schemes.grounding.merging import STATE_TEXTS


def _states(content: Json, context: ItemContext) -> list[str]:
    return [STATE_TEXTS.get(phrase.get("state"), "") for phrase in content.get("phrases", ())]


def _phrases(content: Json, context: ItemContext) -> list[str]:
    return [phrase_text(phrase, context) for phrase in context.target.get("phrases", ())]


SEARCH = Search(
    content=SearchField("Answer", _states),
    target=SearchField("Phrase", _phrases),
)
