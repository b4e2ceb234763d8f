"""Search of gold by its questions and verbs."""

from schemes.contract.items import ItemContext
from schemes.contract.search import Search, SearchField
from schemes.contract.values import Json


def _questions(content: Json, context: ItemContext) -> list[str]:
    return [question["question"] for question in content.get("questions", [])]


def _verb(content: Json, context: ItemContext) -> list[str]:
    return [context.target.get("verb", ""), context.target.get("forms", {}).get("stem", "")]


SEARCH = Search(
    content=SearchField("Question", _questions),
    target=SearchField("Verb", _verb),
)
