"""Cues in the sentence about the questions that a verb will have."""

import re
from collections.abc import Iterator

from schemes.contract.values import Tokens
from schemes.english.forms import VerbForms
from schemes.qasrl.complement_cues import complement_cues
from schemes.qasrl.particle_cues import particle_cues
from schemes.qasrl.prepositions import PREPOSITIONS
from schemes.qasrl.verb_context import cue_of

_PERSONS = frozenset({"he", "she", "they", "we", "i", "you", "who", "him", "her", "them", "us"})
_DETERMINERS = frozenset(
    {"the", "a", "an", "this", "that", "these", "those", "his", "her", "its", "their", "our", "my"}
    | {"your", "some", "any", "no", "all", "each", "every", "both", "many", "more", "other"}
)
_PUNCTUATION = frozenset({".", ",", ";", ":", "!", "?", "--", "''", "``", '"', ")", "("})
_REASONS = frozenset({"because", "due", "since", "so", "after", "as"})
_TIMES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december today yesterday tomorrow tonight now year week
    month day morning evening night years weeks months days hours last next earlier recently when
    before after during while until since
    """.split()  # noqa: SIM905 - a table of words
)
# The later entries win.
_CLASS_OF = {
    **dict.fromkeys(_DETERMINERS, "determiner"),
    **dict.fromkeys(_PERSONS, "person"),
    **dict.fromkeys(_PUNCTUATION, "punctuation"),
    **dict.fromkeys(PREPOSITIONS, "preposition"),
    **{word: word for word in ("by", "that", "as", "for", "in", "from", "with", "on", "up", "out")},
}
_AMOUNT = re.compile(r"[$€£%]|\d")
_YEAR = re.compile(r"(19|20)\d\d")
_WINDOW = 12
_SUBJECT_WINDOW = 3


def cues_of(tokens: Tokens, verb_idx: int, forms: VerbForms) -> Iterator[str]:
    """Yield the names of the cues that hold for a verb."""
    cue = cue_of(tokens, verb_idx, forms)
    words = [token.lower() for token in tokens]
    yield "always"
    yield "passive" if cue.is_passive else "active"
    yield f"form {cue.form}"
    yield f"tense {cue.tense}"
    yield f"verb {forms.stem}"
    following = _kind(tokens, verb_idx + 1)
    yield f"next {following}"
    yield f"next {following} passive {cue.is_passive}"
    yield f"second {following == 'to verb' or _kind(tokens, verb_idx + 2)}"
    yield f"before {_kind(tokens, verb_idx - 1)}"
    yield from _subject(tokens, verb_idx)
    yield from complement_cues(tokens, verb_idx, forms.stem, is_passive=cue.is_passive)
    yield from particle_cues(tokens, verb_idx, forms.stem)
    after = words[verb_idx + 1 : verb_idx + 1 + _WINDOW]
    if _infinitive_at(tokens, verb_idx + 2, verb_idx + 5):
        yield "infinitive later"
    if "by" in after:
        yield "by later"
    if any(word in _TIMES or _YEAR.fullmatch(word) for word in after):
        yield "time later"
    if any(word in _TIMES for word in words[:verb_idx]):
        yield "time before"
    if any(word in _REASONS for word in words):
        yield "reason"
    if any(_AMOUNT.search(word) for word in after):
        yield "amount later"
    if _place_later(tokens, verb_idx):
        yield "place later"


def _kind(tokens: Tokens, at: int) -> str:
    """Return the class of a word, as far as its spelling and neighbours show it."""
    if not 0 <= at < len(tokens):
        return "edge"
    word = tokens[at].lower()
    if word == "to":
        return "to verb" if _infinitive_at(tokens, at, at) else "to"
    return _CLASS_OF.get(word) or _class_by_spelling(tokens[at])


def _class_by_spelling(token: str) -> str:
    if token.lower().endswith("ing"):
        return "ing"
    if _AMOUNT.search(token):
        return "number"
    if token[:1].isupper():
        return "name"
    return "ly" if token.lower().endswith("ly") else "word"


def _infinitive_at(tokens: Tokens, start: int, end: int) -> bool:
    """Return True if "to" stands between the positions and a lower-case content word follows it."""
    for at in range(start, min(end, len(tokens) - 2) + 1):
        if tokens[at].lower() != "to":
            continue
        following = tokens[at + 1]
        lowered = following.lower()
        is_noun = lowered in _DETERMINERS or lowered in _PERSONS or _AMOUNT.search(lowered)
        is_stem = following.islower() and not re.search("ing$|[^s]s$", following)
        if is_stem and not is_noun and lowered not in PREPOSITIONS:
            return True
    return False


def _subject(tokens: Tokens, verb_idx: int) -> Iterator[str]:
    """Yield cues of whether a person does it."""
    before = tokens[max(0, verb_idx - _SUBJECT_WINDOW) : verb_idx]
    if any(token.lower() in _PERSONS for token in before):
        yield "person before"
    if any(token[:1].isupper() and token.lower() not in _PERSONS for token in before):
        yield "name before"
    if any(token.lower() in ("it", "which") for token in before):
        yield "thing before"


def _place_later(tokens: Tokens, verb_idx: int) -> bool:
    last = min(verb_idx + _WINDOW, len(tokens) - 1)
    return any(
        tokens[at].lower() in ("in", "at", "near", "into", "across")
        and (tokens[at + 1][:1].isupper() or tokens[at + 1].lower() == "the")
        for at in range(verb_idx + 1, last)
    )
