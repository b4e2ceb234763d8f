"""A verb's tense, aspect and voice, derived from the words before it."""

from dataclasses import dataclass

from schemes.base import Tokens
from schemes.english.forms import VerbForms

_BE = {"am": "present", "is": "present", "are": "present", "'s": "present", "'re": "present"}
_BE |= {"'m": "present", "was": "past", "were": "past", "be": "", "been": "", "being": ""}
_HAVE = {"has": "present", "have": "present", "'ve": "present", "had": "past", "having": "past"}
_DO = {"do": "present", "does": "present", "did": "past"}
# English modals and the template's equivalents.
_MODALS = {"can": "can", "ca": "can", "could": "might", "may": "might", "might": "might"}
_MODALS |= {"will": "will", "wo": "will", "'ll": "will", "shall": "will", "would": "would"}
_MODALS |= {"'d": "would", "should": "should", "must": "should", "ought": "should"}
_NEGATIONS = frozenset({"not", "n't", "never"})
_ADVERBS = frozenset(
    {"also", "already", "always", "even", "ever", "just", "now", "often", "only", "soon", "still"}
    | {"then", "yet"}
)
_FARTHEST = 6


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


def cue_of(tokens: Tokens, verb_idx: int, forms: VerbForms) -> Cue:
    before, negated = _auxiliaries(tokens, verb_idx)
    form = _form(tokens[verb_idx].lower(), before, forms)
    has_be = any(word in _BE for word in before)
    has_have = any(word in _HAVE for word in before)
    return Cue(
        tense=_tense(before, form),
        form=form,
        is_perfect=has_have and (form == "pastParticiple" or has_be),
        is_progressive="being" in before or (has_be and form == "presentParticiple"),
        is_passive=form == "pastParticiple" and (has_be or not has_have),
        is_negated=negated,
    )


def _auxiliaries(tokens: Tokens, verb_idx: int) -> tuple[list[str], bool]:
    """Return the auxiliaries and "to" before the verb, nearest first, and if one is negated."""
    auxiliaries: list[str] = []
    negated = False
    for token in reversed(tokens[max(0, verb_idx - _FARTHEST) : verb_idx]):
        word = token.lower()
        if word in _NEGATIONS:
            negated = True
        elif word in _BE or word in _HAVE or word in _DO or word in _MODALS or word == "to":
            auxiliaries.append(word)
        elif word not in _ADVERBS and not word.endswith("ly"):
            break
    return auxiliaries, negated


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
