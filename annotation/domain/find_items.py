"""Items found by the scheme, on all cores."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from types import TracebackType

from schemes.base import ItemRecord, SentenceRecord
from schemes.registry import get_scheme

# Below this many sentences processes cost more than they save.
POOL_FROM = 200
CHUNK = 100


class Finder:
    """A context in which items are found; its processes, each with the scheme's models loaded once,
    are started by the first call that is worth them and end with the context."""

    def __init__(self, scheme: str) -> None:
        self._scheme = scheme
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Finder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def find(self, sentences: Sequence[SentenceRecord]) -> list[ItemRecord]:
        """The items of the sentences, in their order: those that the corpus gave, else those found."""
        cores = os.cpu_count() or 1
        if cores == 1 or len(sentences) < POOL_FROM:
            return _find(self._scheme, sentences)
        if self._pool is None:
            # Spawned, not forked: this process holds a database connection.
            self._pool = ProcessPoolExecutor(cores, mp_context=get_context("spawn"))
        chunks = [sentences[at : at + CHUNK] for at in range(0, len(sentences), CHUNK)]
        found = self._pool.map(_find, [self._scheme] * len(chunks), chunks)
        return list(chain.from_iterable(found))


def _find(scheme: str, sentences: Sequence[SentenceRecord]) -> list[ItemRecord]:
    finder = get_scheme(scheme)
    found = (finder.find_items(one.external_id, one.tokens, one.metadata) for one in sentences)
    return list(chain.from_iterable(found))
