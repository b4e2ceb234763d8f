"""The grammatical relations of semantic heads to their verbs, which the task's baselines cluster by.

The relation is that of the Enhanced Universal Dependencies if the sentence has them, so that a raised
or controlled subject has one (`nsubj:xsubj`). Otherwise it is that of the basic tree. A head that
does not depend on its verb is syntactically complex: `lscmpx` left of the verb, and `rscmpx` right of it.
"""

import re
from collections.abc import Sequence

from schemes.contract.items import ItemContext
from schemes.contract.values import Json

LEFT_COMPLEX, RIGHT_COMPLEX = "lscmpx", "rscmpx"
# An arc of the column DEPS between words. Those of empty nodes, such as 8.1, are left out.
_ARC = re.compile(r"(0|[1-9][0-9]{0,8}):([^\s|]+)")

# The zero-based governor of a word, or -1 for the root, and its relation
Arc = tuple[int, str]


def enhanced_arcs(dependencies: str | None, *, words: int) -> list[Arc]:
    """Return the arcs of a word's DEPS between words of the sentence."""
    matches = map(_ARC.fullmatch, (dependencies or "").split("|"))
    arcs = [(int(match[1]) - 1, match[2]) for match in matches if match]
    return [arc for arc in arcs if arc[0] < words]


def relation_to_verb(head: Sequence[int], verb: Sequence[int], context: ItemContext) -> str:
    """Return the relation of a semantic head to the words of its verb.

    Return "" if the corpus has no dependencies, or not those of the head.
    """
    arcs = _arcs_of(head, context.metadata)
    if arcs is None:
        return ""
    for word in verb:
        for governor, relation in arcs:
            if governor == word:
                return relation
    return LEFT_COMPLEX if head[0] < verb[0] else RIGHT_COMPLEX


def _arcs_of(head: Sequence[int], metadata: Json) -> list[Arc] | None:
    """Return the arcs of a head's words, or None if they are unknown."""
    if "deps" in metadata:
        return [(governor, relation) for at in head for governor, relation in metadata["deps"][at]]
    relations, governors = metadata.get("deprels"), metadata.get("heads")
    if not relations or not governors:
        return None
    arcs = [(governors[at], relations[at]) for at in head if relations[at] != "_"]
    return arcs or None
