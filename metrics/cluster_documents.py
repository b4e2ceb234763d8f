"""Purity and BCubed of a clustering for draws of the documents that its items belong to."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from .bootstrap import Floats
from .clustering import Ints, Labels, item_scores, label_codes, mean_scores


class ClusterDocuments:
    """The scores of a clustering over documents (see `metrics.document_bootstrap.DocumentScores`).

    The figures are those of `metrics.clustering.ClusterScores`. Items keep their scores among all
    items, whichever documents are drawn.
    """

    def __init__(self, gold: Labels, system: Labels, documents: Sequence[Hashable]) -> None:
        """Raise ValueError if there is not a label and a document for each item."""
        if not len(gold) == len(system) == len(documents):
            raise ValueError("gold, system and documents must have an entry per item")
        codes = label_codes(documents)
        self.documents = int(codes.max()) + 1 if len(codes) else 0
        self._items = np.bincount(codes, minlength=self.documents)
        self._sums = np.zeros((self.documents, 4))
        np.add.at(self._sums, codes, item_scores(gold, system))

    def figures(self, draws: Ints) -> Mapping[str, Floats]:
        return mean_scores(draws @ self._sums, draws @ self._items)
