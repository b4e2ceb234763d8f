"""A verb's tense, aspect, voice and polarity, derived from the words before it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemes.contract.values import Tokens
from schemes.english.forms import VerbForms

_BE = {"am": "present", "is": "present", "are": "present", "'s": "present", "'re": "present"}
_BE |= {"'m": "present", "was": "past", "were": "past", "be": "", "been": "", "being": ""}
_HAVE = {"has": "present", "have": "present", "'ve": "present", "had": "past", "having": "past"}
_DO = {"do": "present", "does": "present", "did": "past"}
# English modals and the template's equivalents.
_MODALS = {"can": "can", "ca": "can", "could": "might", "may": "might", "might": "might"}
_MODALS |= {"will": "will", "wo": "will", "'ll": "will", "shall": "will", "would": "would"}
_MODALS |= {"'d": "would", "should": "should", "must": "should", "ought": "should"}
_MODALS |= {"cannot": "can"}
_NEGATIONS = frozenset({"not", "n't", "never", "cannot"})
# Words before "to" and the modality that they give the verb: "likely to win" is "might win".
_BEFORE_TO = {
    "might": "expected likely predicted projected supposed unlikely",
    "can": "able unable",
    "will": "about due going scheduled",
    "should": "need needs obliged required",
}
_MODALITIES = {word: tense for tense, words in _BEFORE_TO.items() for word in words.split()}
_NEGATIVE_BEFORE_TO = frozenset(
    {"decline", "declined", "declines", "fail", "failed", "fails", "refuse", "refused", "refuses"}
    | {"unable", "unlikely", "unwilling"}
)
# "It was too dark to see anything."
_TOO = "too"
# Subjects that negate their verb: "No casualties were reported."
_NEGATIVE_SUBJECTS = frozenset({"no", "nobody", "none", "nothing", "neither", "nor"})
# "He denied that officers fired shots."
_DENIALS = frozenset({"denied", "denies", "deny", "denying", "doubt", "doubted", "doubts"})
_CLAUSE_STARTS = frozenset({"that", "which", "who", "whom", "if", "when", "while", "and", "but"})
_COORDINATORS = frozenset({"and", "or"})
_PUNCTUATION = frozenset([".", ",", ";", ":", "!", "?", "--", "''", "``", '"', ")", "("])
_PRONOUNS = frozenset({"he", "she", "it", "they", "we", "i", "you", "there"})
_ADVERBS = frozenset(
    {"also", "already", "always", "even", "ever", "just", "now", "often", "only", "soon", "still"}
    | {"then", "yet"}
)
_FARTHEST = 6
_SUBJECT_LENGTH = 4
_DENIED_LENGTH = 6
_COORDINATED_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Cue:
    """The grammatical context of a verb.

    `tense` is past, present, a modal of the template, "to" (infinitive) or "" if unknown. `form` is
    the name of the token's form. Auxiliaries distinguish "pastParticiple" from a past with the same
    spelling.
    """

    tense: str
    form: str
    is_perfect: bool
    is_progressive: bool
    is_passive: bool
    is_negated: bool


@dataclass(slots=True)
class _Before:
    """The words before a verb: its auxiliaries and "to", nearest first, and where they start."""

    auxiliaries: list[str]
    is_negated: bool
    modality: str
    start: int


def cue_of(tokens: Tokens, verb_idx: int, forms: VerbForms) -> Cue:
    words = [token.lower() for token in tokens]
    context = _before(words, verb_idx)
    before = context.auxiliaries
    form = _form(words[verb_idx], before, forms)
    has_be = any(word in _BE for word in before)
    has_have = any(word in _HAVE for word in before)
    is_negated = context.is_negated or _has_negative_subject(words, context.start)
    cue = Cue(
        tense=context.modality or _tense(before, form),
        form=form,
        is_perfect=has_have and (form == "pastParticiple" or has_be),
        is_progressive="being" in before or (has_be and form == "presentParticiple"),
        is_passive=form == "pastParticiple" and (has_be or not has_have),
        is_negated=is_negated or _is_denied(words, context.start),
    )
    return cue if before or form != "stem" else _coordinated(cue, words, verb_idx)


def _before(words: Sequence[str], verb_idx: int) -> _Before:
    """Return the auxiliaries, and those of "likely to" and similar phrases."""
    found = _Before(auxiliaries=[], is_negated=False, modality="", start=verb_idx)
    _add_auxiliaries(found, words)
    if not found.auxiliaries or found.auxiliaries[-1] != "to" or found.start == 0:
        return found
    phrase = words[found.start - 1]
    if found.start >= 2 and words[found.start - 2] == _TOO:
        found.is_negated = True
        return found
    if phrase not in _MODALITIES and phrase not in _NEGATIVE_BEFORE_TO:
        return found
    found.is_negated ^= phrase in _NEGATIVE_BEFORE_TO
    upper = _Before(auxiliaries=[], is_negated=False, modality="", start=found.start - 1)
    _add_auxiliaries(upper, words)
    modal = next((_MODALS[word] for word in upper.auxiliaries if word in _MODALS), "")
    found.modality = (
        _MODALITIES.get(phrase, "") or modal or ("past" if phrase.endswith("ed") else "")
    )
    found.is_negated ^= upper.is_negated
    found.start = upper.start
    return found


def _add_auxiliaries(found: _Before, words: Sequence[str]) -> None:
    for at in range(found.start - 1, max(0, found.start - _FARTHEST) - 1, -1):
        word = words[at]
        is_auxiliary = word in _BE or word in _HAVE or word in _DO or word in _MODALS
        if is_auxiliary or word == "to":
            found.auxiliaries.append(word)
        if word in _NEGATIONS:
            found.is_negated = True
        elif not (is_auxiliary or word == "to" or _is_adverb(word)):
            break
        found.start = at


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and word not in _MODALITIES)


def _has_negative_subject(words: Sequence[str], end: int) -> bool:
    """Return True for "No casualties", "None of them" and similar words before the position."""
    for at in range(end - 1, max(0, end - _SUBJECT_LENGTH) - 1, -1):
        word = words[at]
        if word in _NEGATIVE_SUBJECTS:
            return not (
                word == "no" and at + 1 < len(words) and words[at + 1] in ("doubt", "longer")
            )
        if word in _PUNCTUATION or word in _CLAUSE_STARTS or word in _PRONOUNS:
            return False
    return False


def _is_denied(words: Sequence[str], end: int) -> bool:
    """Return True if the verb's clause follows "denied that" or "doubt"."""
    for at in range(end - 1, max(0, end - _DENIED_LENGTH) - 1, -1):
        if words[at] in _DENIALS:
            return words[at - 1 : at] != ["no"]
        if words[at] in _PUNCTUATION or words[at] in _CLAUSE_STARTS - {"that"}:
            return False
    return False


def _coordinated(cue: Cue, words: Sequence[str], verb_idx: int) -> Cue:
    """Return the cue with the modality of the verb before "and", as in "will sing and dance"."""
    if verb_idx == 0 or words[verb_idx - 1] not in _COORDINATORS:
        return cue
    for word in reversed(words[max(0, verb_idx - _COORDINATED_LENGTH) : verb_idx - 1]):
        if word in _MODALS or word == "to":
            return replace(cue, tense=_MODALS.get(word, word))
    return cue


def _form(word: str, before: list[str], forms: VerbForms) -> str:
    """Return the form of a word. The auxiliary resolves shared spellings, else it is the past."""
    nearest = before[0] if before else ""
    spelt = [name for name, form in forms.by_name().items() if form == word]
    if nearest in _BE or nearest in _HAVE:
        preferred = ["presentParticiple", "pastParticiple"]
    elif nearest:
        preferred = ["stem"]
    else:
        preferred = ["past"]
    return next((name for name in (*preferred, *spelt) if name in spelt), "")


def _tense(before: list[str], form: str) -> str:
    for word in reversed(before):
        if word in _MODALS:
            return _MODALS[word]
        if word == "to":
            return "to"
        for group in (_HAVE, _BE, _DO):
            if group.get(word):
                return group[word]
    by_form = {"stem": "present", "presentSingular3rd": "present", "past": "past"}
    return by_form.get(form, "")
