"""Frames that a verb can't have, such as "What fell something?". The lists are not complete."""

from schemes.qasrl.complement_cues import takes_bare_infinitive
from schemes.qasrl.patterns import AGENT, ANY, FILLERS, PATIENT, Pattern

_INTRANSITIVE = frozenset(
    """
    appear arise arrive belong bleed collapse come consist cough crumble depart depend deteriorate die
    disappear dwindle elapse emerge erupt exist expire faint fall falter fluctuate go happen
    hesitate hail kneel languish last laugh lie linger loom matter occur originate persist
    plummet prevail rain recede relent remain reside rise seem shine sink sleep sneeze snow soar
    sit stay subside surge swim thrive tumble vanish vary wane wither
    """.split()  # noqa: SIM905 - a table of words
)
# No person does it.
_IMPERSONAL = frozenset(
    "elapse erupt hail happen last loom matter occur rain snow subside wane".split()  # noqa: SIM905
)
# Verb phrases without "to" follow few verbs: "What did someone see someone do?"
_IMPOSSIBLE = 60


def frame_cost(pattern: Pattern, stem: str) -> int:
    """Return the cost of a pattern that the verb can't have, in tenths of a nat, or 0."""
    if _has_bare_infinitive(pattern) and not takes_bare_infinitive(stem):
        return _IMPOSSIBLE
    if stem in _INTRANSITIVE and (pattern.is_passive or has_object(pattern)):
        return _IMPOSSIBLE
    if pattern.is_passive:
        return 0
    agent = FILLERS.get(pattern.wh) if pattern.role == AGENT else pattern.subj
    return _IMPOSSIBLE if stem in _IMPERSONAL and agent == "someone" else 0


def has_object(pattern: Pattern) -> bool:
    """Return True if an active question names the object of the verb or asks for it."""
    return bool(pattern.obj) or (pattern.role == PATIENT and ANY not in pattern.prep)


def _has_bare_infinitive(pattern: Pattern) -> bool:
    return pattern.prep == "do" or (pattern.obj2 == "do" and not pattern.prep)
