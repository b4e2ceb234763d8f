"""Find items with the scheme, on all cores."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import chain
from multiprocessing import get_context

from schemes.base import ItemContext, ItemRecord, SentenceRecord
from schemes.registry import get_scheme

# Processes take longer to start than they save for fewer sentences.
POOL_FROM = 200
CHUNK = 100
FindItems = Callable[[Sequence[SentenceRecord]], list[ItemRecord]]


@contextmanager
def item_finder(scheme: str) -> Iterator[FindItems]:
    """Yield a function that returns the items of sentences, in order.

    Items given by the corpus take precedence over items found by the scheme. Worker processes start
    with the first large call and end with the context. Each loads the scheme's models once.
    """
    pool: ProcessPoolExecutor | None = None
    with ExitStack() as stack:

        def find(sentences: Sequence[SentenceRecord]) -> list[ItemRecord]:
            nonlocal pool
            cores = os.cpu_count() or 1
            if cores == 1 or len(sentences) < POOL_FROM:
                return _find(scheme, sentences)
            if pool is None:
                # Forked processes would share the database connection.
                pool = ProcessPoolExecutor(cores, mp_context=get_context("spawn"))
                stack.callback(pool.shutdown, cancel_futures=True)
            chunks = [sentences[at : at + CHUNK] for at in range(0, len(sentences), CHUNK)]
            return list(chain.from_iterable(pool.map(_find, [scheme] * len(chunks), chunks)))

        yield find


def _find(scheme: str, sentences: Sequence[SentenceRecord]) -> list[ItemRecord]:
    find = get_scheme(scheme).corpus.find_items
    items = (
        find(sentence.external_id, ItemContext(sentence.tokens, metadata=sentence.metadata))
        for sentence in sentences
    )
    return list(chain.from_iterable(items))
