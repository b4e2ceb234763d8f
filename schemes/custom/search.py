"""Search of gold by its answers and by the words of the texts."""

from schemes.contract.items import ItemContext
from schemes.contract.search import Search, SearchField
from schemes.contract.values import Json
from schemes.custom.form import Form


def search_of(form: Form) -> Search:
    """Return the search of a definition's annotations."""

    def answers(content: Json, context: ItemContext) -> list[str]:
        units = form.units(content)
        return [text for unit in units for text in unit.kind.shown(unit.part, context).values]

    def text(content: Json, context: ItemContext) -> list[str]:
        return [context.span_text(0, len(context.tokens))]

    return Search(content=SearchField("Answer", answers), target=SearchField("Text", text))
