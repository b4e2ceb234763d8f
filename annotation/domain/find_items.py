"""Items found by the scheme, on all cores."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from schemes.base import ItemRecord, SentenceRecord
from schemes.registry import get_scheme

# Below this many sentences a pool costs more than it saves.
POOL_FROM = 200


def find_items_in(*, scheme: str, sentences: Sequence[SentenceRecord]) -> Iterator[ItemRecord]:
    """The items of the sentences, in their order: those that the corpus gave, else those found."""
    cores = os.cpu_count() or 1
    if cores == 1 or len(sentences) < POOL_FROM:
        yield from _find(scheme, sentences)
        return
    size = max(50, len(sentences) // (cores * 4))
    chunks = [sentences[start : start + size] for start in range(0, len(sentences), size)]
    # Spawned, not forked: the parent holds a database connection.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        for found in pool.map(_find_list, [scheme] * len(chunks), chunks):
            yield from found


def _find(scheme: str, sentences: Sequence[SentenceRecord]) -> Iterator[ItemRecord]:
    finder = get_scheme(scheme)
    for one in sentences:
        yield from finder.find_items(one.external_id, one.tokens, one.metadata)


def _find_list(scheme: str, sentences: Sequence[SentenceRecord]) -> list[ItemRecord]:
    return list(_find(scheme, sentences))
