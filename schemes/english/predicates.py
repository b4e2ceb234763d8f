"""Detection of a sentence's predicates: its verbs, except auxiliaries.

Tags are HanTa's (the C5 set of the British National Corpus): VV. is a full verb, VB. be, VM0 a
modal, VH. have, VD. do. The third letter is the form.
"""

from collections.abc import Sequence

from schemes.contract.values import Tokens
from schemes.english.contractions import spelled_out
from schemes.english.tagger import tag_tokens

_PARTICIPLES = frozenset({"VVN", "VVD", "VBN", "VHN", "VDN", "VHD", "VDD"})
_BASE_FORMS = frozenset({"VVI", "VVB", "VHI", "VHB", "VDI", "VDB", "VBI"})
_NEGATION = "XX0"
# What may stand between an auxiliary and its verb: adverbs, pronouns, negation.
_STEPPED_OVER = frozenset({"AV0", "PNP", _NEGATION})
_FARTHEST = 5
_PARTICLE = "AVP"
# Another verb, a conjunction or punctuation ends the search for a particle.
_CLAUSE_ENDS = ("V", "CJ", "PU")
# Tagged as prepositions, but annotated as verbs in the published data ("following claims").
_VERBAL_PREPOSITIONS = frozenset({"following", "including"})


def find_predicates(tokens: Tokens) -> list[int]:
    """Return the positions of the verbs to annotate, ascending.

    Excludes be and modals, have before a participle, and do before a stem or a negation. Of
    contractions such as "cannot" and "wanna", the verb counts that `CONTRACTIONS` names.
    """
    return [verb for verb, *_ in find_predicates_and_particles(tokens)]


def find_predicates_and_particles(tokens: Tokens) -> list[list[int]]:
    """Return the positions of each verb to annotate, and of the particle after it, if there is one."""
    words = spelled_out(tokens)
    spellings = [word.text for word in words]
    tags = tag_tokens(spellings)
    predicates = []
    for at in predicates_of_tags(tags, spellings):
        if words[at].is_auxiliary:
            continue
        particle = _particle_after(tags, at)
        places = [at] if particle is None else [at, particle]
        predicates.append([words[place].position for place in places])
    return predicates


def predicates_of_tags(tags: Sequence[str], tokens: Tokens) -> list[int]:
    """Return the positions of the verbs to annotate by their C5 tags."""
    return [at for at, tag in enumerate(tags) if _is_predicate(tag, at, tags, tokens)]


def _particle_after(tags: Sequence[str], at: int) -> int | None:
    """Return the position of the verb's particle, which may follow its object."""
    for position in range(at + 1, min(at + 1 + _FARTHEST, len(tags))):
        if tags[position] == _PARTICLE:
            return position
        if tags[position].startswith(_CLAUSE_ENDS):
            return None
    return None


def _is_predicate(tag: str, at: int, tags: Sequence[str], tokens: Tokens) -> bool:
    kind = tag[:2]
    if kind == "VV":
        return True
    if kind == "VH":
        return _next_verb(tags, at) not in _PARTICIPLES
    if kind == "VD":
        following = tags[at + 1] if at + 1 < len(tags) else ""
        return following != _NEGATION and _next_verb(tags, at) not in _BASE_FORMS
    return tag == "PRP" and tokens[at].lower() in _VERBAL_PREPOSITIONS


def _next_verb(tags: Sequence[str], at: int) -> str:
    """Return the tag of the verb that an auxiliary would belong to, or ""."""
    for tag in tags[at + 1 : at + 1 + _FARTHEST]:
        if tag not in _STEPPED_OVER:
            return tag
    return ""
