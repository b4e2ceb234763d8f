"""Find items with the scheme, on all cores."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from types import TracebackType

from schemes.base import ItemRecord, SentenceRecord
from schemes.registry import get_scheme

# Processes take longer to start than they save for fewer sentences.
POOL_FROM = 200
CHUNK = 100


class Finder:
    """A context manager that finds items in worker processes.

    The processes start with the first large call and end with the context. Each loads the scheme's
    models once.
    """

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
        """Return the items of the sentences, in order.

        Items given by the corpus take precedence over items found by the scheme.
        """
        cores = os.cpu_count() or 1
        if cores == 1 or len(sentences) < POOL_FROM:
            return _find(self._scheme, sentences)
        if self._pool is None:
            # Forked processes would share the database connection.
            self._pool = ProcessPoolExecutor(cores, mp_context=get_context("spawn"))
        chunks = [sentences[at : at + CHUNK] for at in range(0, len(sentences), CHUNK)]
        items = self._pool.map(_find, [self._scheme] * len(chunks), chunks)
        return list(chain.from_iterable(items))


def _find(scheme: str, sentences: Sequence[SentenceRecord]) -> list[ItemRecord]:
    finder = get_scheme(scheme)
    items = (
        finder.find_items(sentence.external_id, sentence.tokens, sentence.metadata)
        for sentence in sentences
    )
    return list(chain.from_iterable(items))
