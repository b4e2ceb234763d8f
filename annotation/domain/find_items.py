"""Find items with the scheme, on all cores."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from multiprocessing import get_context

from jobs.domain.end_with_parent import end_with_parent
from schemes.base import ItemContext, ItemRecord, SentenceRecord
from schemes.registry import get_scheme

# Processes take longer to start than they save for fewer sentences.
POOL_FROM = 200
CHUNK = 100
FindItems = Callable[[Sequence[SentenceRecord]], list[ItemRecord]]


@contextmanager
def item_finder(scheme: str, search: str = "") -> Iterator[FindItems]:
    """Yield a function that returns the items of sentences, in order.

    `search` is one of the scheme's searches. Items given by the corpus take precedence over items
    found by the scheme. Worker processes start with the first large call and end with the context.
    Each loads the scheme's models once.
    """
    pool: ProcessPoolExecutor | None = None
    with ExitStack() as stack:

        def find(sentences: Sequence[SentenceRecord]) -> list[ItemRecord]:
            nonlocal pool
            cores = os.cpu_count() or 1
            if cores == 1 or len(sentences) < POOL_FROM:
                return find_here(scheme, search, sentences)
            if pool is None:
                # Forked processes would share the database connection.
                context = get_context("spawn")
                end = (os.getpid(), signal.SIGKILL)
                pool = ProcessPoolExecutor(
                    cores, mp_context=context, initializer=end_with_parent, initargs=end
                )
                stack.callback(pool.shutdown, cancel_futures=True)
            chunks = [sentences[at : at + CHUNK] for at in range(0, len(sentences), CHUNK)]
            found = pool.map(partial(find_here, scheme, search), chunks)
            return list(chain.from_iterable(found))

        yield find


def find_here(scheme: str, search: str, sentences: Sequence[SentenceRecord]) -> list[ItemRecord]:
    """Return the items of sentences, found in this process."""
    find = get_scheme(scheme).corpus.search_of(search)
    items = (
        find(sentence.external_id, ItemContext(sentence.tokens, metadata=sentence.metadata))
        for sentence in sentences
    )
    return list(chain.from_iterable(items))
