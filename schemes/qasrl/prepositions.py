"""The closed list of prepositions, and those that a sentence offers."""

from itertools import pairwise

from schemes.base import Tokens

# Transitive and intransitive ("ahead", "apart"), as in Huddleston and Pullum (2002, chapter 7).
_CLOSED_LIST = """
    aboard about above across after against ahead along alongside amid amidst among amongst apart
    around as aside astride at atop away before behind below beneath beside besides between beyond
    by concerning despite down during except excluding following for forth from given in including
    inside into like minus near next of off on onto opposite out outside over pace past per plus
    regarding round since than through throughout till times to toward towards under underneath
    unlike until unto up upon versus via with within without
"""
PREPOSITIONS = frozenset(_CLOSED_LIST.split())
ALWAYS_OFFERED = ("by", "for", "with", "in", "from", "to", "as")

Pair = tuple[str, str]


def offered_prepositions(tokens: Tokens) -> tuple[list[str], list[Pair]]:
    """Return the prepositions and adjacent pairs that a question about the sentence may use.

    The seven common ones come first, followed by the sentence's own in order.
    """
    words = [token.lower() for token in tokens]
    singles = dict.fromkeys(ALWAYS_OFFERED)
    singles.update(dict.fromkeys(word for word in words if word in PREPOSITIONS))
    pairs = dict.fromkeys(
        (first, second)
        for first, second in pairwise(words)
        if first in PREPOSITIONS and second in PREPOSITIONS
    )
    return list(singles), list(pairs)
