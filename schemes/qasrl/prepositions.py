"""The closed list of prepositions, and those that a sentence offers."""

from itertools import pairwise, product

from schemes.contract.values import Tokens

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
# Adverbs that stand in the place of a preposition: "given back", "brought together", "sent home".
_ADVERBS = """
    aback back backward backwards downward downwards forward forwards home inward inwards onward onwards
    outward outwards together upward upwards
"""
_OTHER_PARTICLES = """
    about across ahead along apart around aside away by down forth in off on out over past round
    through under up
"""
ADVERBS = frozenset(_ADVERBS.split())
PARTICLES = ADVERBS.union(_OTHER_PARTICLES.split())
# All that the slot accepts
WORDS = PREPOSITIONS | ADVERBS
ALWAYS_OFFERED = ("by", "for", "with", "in", "from", "to", "as")

Pair = tuple[str, str]


def offered_prepositions(tokens: Tokens) -> tuple[list[str], list[Pair]]:
    """Return the prepositions and the pairs of them that a question about the sentence may use.

    The seven common ones come first, followed by the sentence's own in order. Pairs are adjacent in the
    sentence, or a particle of the sentence with any preposition: "blown up with".
    """
    words = [token.lower() for token in tokens]
    own = list(dict.fromkeys(word for word in words if word in WORDS))
    singles = list(dict.fromkeys((*ALWAYS_OFFERED, *own)))
    adjacent = (pair for pair in pairwise(words) if WORDS.issuperset(pair))
    particles = [word for word in own if word in PARTICLES]
    combined = (pair for pair in product(particles, singles) if pair[0] != pair[1])
    return singles, list(dict.fromkeys((*adjacent, *combined)))
