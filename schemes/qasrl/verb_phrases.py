"""Verb phrases of the template: the question word, the auxiliary, the subject and the verb."""

from dataclasses import dataclass
from itertools import product

from schemes.english.forms import VerbForms
from schemes.qasrl.reading import CONTRACTED, MODALS
from schemes.qasrl.sentence_phrases import SHAPES, TENSES

_DO = ("does", "did")

Head = tuple[str, str, bool]  # wh, subj, is_passive


@dataclass(frozen=True, slots=True)
class Phrase:
    """The beginning of a question, from the question word to the verb."""

    text: str
    time: str
    is_negated: bool
    has_separate_not: bool


def phrases_of(head: Head, forms: VerbForms) -> list[Phrase]:
    """Return all verb phrases that the template allows, in a fixed order."""
    wh, subj, is_passive = head
    phrases = []
    for tense, shape, negation in product(TENSES, SHAPES, ("", "n't", "not")):
        names = shape.split(" ")
        chain = _chain(tense, "perfect" in names, "progressive" in names, is_passive)
        if chain is None:
            continue
        aux, *rest, form = chain
        if negation == "n't" and aux not in CONTRACTED:
            continue
        verb = getattr(forms, form)
        if aux in _DO and not subj and not negation:
            aux, verb = "", forms.past if tense == "past" else forms.present_singular_3rd
        helper = CONTRACTED[aux] if negation == "n't" else aux
        words = (wh, helper, subj, negation if negation == "not" else "", *rest, verb)
        text = " ".join(word for word in words if word)
        phrases.append(Phrase(text, f"{tense} {shape}", bool(negation), negation == "not"))
    return phrases


def _chain(
    tense: str, is_perfect: bool, is_progressive: bool, is_passive: bool
) -> tuple[str, ...] | None:
    """Return auxiliary, middle words and the name of the verb's form, or None."""
    if is_progressive and is_passive and (is_perfect or tense in MODALS):
        return None
    form = "present_participle" if is_progressive and not is_passive else "past_participle"
    is_simple = not (is_perfect or is_progressive or is_passive)
    if tense in MODALS:
        if is_simple:
            return tense, "stem"
        be = is_progressive or is_passive
        middle = ("have", *(["been"] if be else [])) if is_perfect else ("be",)
        return tense, *middle, form
    is_present = tense == "present"
    if is_simple:
        return ("does" if is_present else "did"), "stem"
    if is_perfect:
        been = ("been",) if is_progressive or is_passive else ()
        return ("has" if is_present else "had"), *been, form
    being = ("being",) if is_progressive and is_passive else ()
    return ("is" if is_present else "was"), *being, form
