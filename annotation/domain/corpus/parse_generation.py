"""Parse what generators write about an item."""

from dataclasses import replace

from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.neighbours import neighbours_of_item
from annotation.models import Item
from projects.domain.schemes import scheme_of
from schemes.contract.values import Json


def parse_generation(item: Item, content: object) -> Json:
    """Parse a generator's content. Raise ContentError."""
    context = context_of(item)
    if context.allows_context_answers:
        context = replace(context, neighbours=neighbours_of_item(item))
    return scheme_of(item.project).content.parse_generation(content, context)
