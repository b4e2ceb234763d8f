"""Find items with the scheme."""

from collections.abc import Sequence
from itertools import chain

from schemes.contract.items import ItemContext
from schemes.contract.records import ItemRecord, SentenceRecord
from schemes.contract.scheme import Scheme

NO_ITEMS = "No items were found in them. Check the tags in the files, or give a list of the items."


def find_items(
    *, scheme: Scheme, search: str = "", sentences: Sequence[SentenceRecord]
) -> list[ItemRecord]:
    """Return the items of sentences, in order.

    `search` is one of the scheme's searches. Items given by the corpus take precedence over items
    found by the scheme.
    """
    find = scheme.corpus.search_of(search)
    items = (
        find(sentence.external_id, ItemContext(sentence.tokens, metadata=sentence.metadata))
        for sentence in sentences
    )
    return list(chain.from_iterable(items))
