"""Readings of finished questions (slots, tense and voice), and questions from slots."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from schemes.english.forms import FORM_NAMES, INFLECTIONS, VerbForms
from schemes.qasrl.published_csv import SEPARATOR
from schemes.qasrl.slots import Slots

# (slot, word class, word), in the order of the text.
Step = tuple[str, str, str]

_REGULAR = ("is", "was", "does", "did", "has", "had", "would", "should")
CONTRACTED = {word: f"{word}n't" for word in _REGULAR} | {"can": "can't", "will": "won't"}
_PLAIN = {contracted: plain for plain, contracted in CONTRACTED.items()}
_PRESENT = frozenset({"is", "does", "has"})
MODALS = frozenset({"can", "will", "might", "would", "should"})
_FORM_BY_LOWER = {name.lower(): name for name in FORM_NAMES}
_FORM_OF_INFLECTION = {inflection: name for name, inflection in INFLECTIONS.items()}


@dataclass(frozen=True, slots=True)
class Reading:
    """A finished question with its grammar.

    `tense` is past, present or the modal itself ("might"). `verb_shape` is the verb phrase with an
    abstract main verb, as in the QA-SRL Bank ("be pastParticiple"). `has_separate_not` and `has_it`
    preserve two details that slots lose: "did not" becomes `didn't`, and `it` becomes something.
    """

    slots: Slots
    tense: str
    is_perfect: bool
    is_progressive: bool
    verb_shape: str
    has_separate_not: bool
    has_it: bool


def reading_of(steps: Sequence[Step], spellings: Sequence[VerbForms]) -> Reading:
    words: dict[str, list[str]] = {}
    for slot, _, word in steps:
        words.setdefault(slot, []).append(word)
    form, verb = next((form, word) for slot, form, word in steps if slot == "verb")
    forms = next(forms for forms in spellings if forms.by_name()[form] == verb)
    prefix, aux = words.get("prefix", []), "".join(words.get("aux", []))
    subj = "".join(words.get("subj", []))
    separate = "not" in prefix
    folded = CONTRACTED.get(aux, "") if separate else ""
    in_prefix = [word for word in prefix if word != "not" or not folded]
    chain = [word for word in prefix if word != "not"]
    plain_aux = _PLAIN.get(aux, aux)
    slots = Slots(
        wh=" ".join(words["wh"]),
        aux=folded or aux,
        subj="something" if subj == "it" else subj,
        verb_prefix=SEPARATOR.join(in_prefix),
        verb_slot_inflection=forms.inflection_of(form),
        obj="".join(words.get("obj", [])),
        prep=" ".join(words.get("prep", [])),
        obj2="".join(words.get("obj2", [])),
        is_passive=_is_passive(plain_aux, chain, form),
        is_negated=separate or aux in _PLAIN,
    )
    return Reading(
        slots=slots,
        tense=_tense(plain_aux, form),
        is_perfect=plain_aux in ("has", "had") or "have" in chain,
        is_progressive=form == "presentParticiple" or "being" in chain,
        verb_shape=" ".join([*chain, form]),
        has_separate_not=separate,
        has_it=subj == "it",
    )


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """The grammar of a verb phrase. Fields as in Reading."""

    tense: str
    is_perfect: bool
    is_progressive: bool
    verb_shape: str


def verb_phrase_of(slots: Slots) -> VerbPhrase:
    """Return the verb phrase of the slots, equal to that of the reading."""
    chain = [word for word in slots.verb_prefix.split(SEPARATOR) if word not in ("", "not")]
    aux = _PLAIN.get(slots.aux, slots.aux)
    form = _form_of(slots, aux, chain)
    return VerbPhrase(
        tense=_tense(aux, form),
        is_perfect=aux in ("has", "had") or "have" in chain,
        is_progressive=form == "presentParticiple" or "being" in chain,
        verb_shape=" ".join([*chain, form]),
    )


def slots_of_shape(values: object, forms: VerbForms) -> Slots | None:
    """Return the slots of a question of the QA-SRL Bank, or None if they are incomplete.

    `values` has wh, aux, subj, verb, obj, prep and obj2, with `_` if empty. The verb phrase has an
    abstract main verb, such as "be pastParticiple".
    """
    if not isinstance(values, dict):
        return None
    texts = tuple([values.get(name) for name in _SHAPE_SLOTS])
    if not all(isinstance(text, str) for text in texts):
        return None
    return _slots_of_shape(texts, forms)


_SHAPE_SLOTS = ("wh", "aux", "subj", "verb", "obj", "prep", "obj2")


@lru_cache(maxsize=1 << 14)
def _slots_of_shape(values: tuple[str, ...], forms: VerbForms) -> Slots | None:
    """Return the slots for the values of _SHAPE_SLOTS, cached because they recur."""
    texts = map(str.lower, values)
    wh, aux, subj, verb, obj, prep, obj2 = ("" if text == "_" else text for text in texts)
    *prefix, form = verb.split() or [""]
    form = _FORM_BY_LOWER.get(form, "")
    if not wh or not form:
        return None
    chain = [word for word in prefix if word != "not"]
    return Slots(
        wh=wh,
        aux=aux,
        subj=subj,
        verb_prefix=SEPARATOR.join(prefix),
        verb_slot_inflection=forms.inflection_of(form),
        obj=obj,
        prep=prep,
        obj2=obj2,
        is_passive=_is_passive(_PLAIN.get(aux, aux), chain, form),
        is_negated="not" in prefix or aux.endswith("n't"),
    )


def _form_of(slots: Slots, aux: str, chain: Sequence[str]) -> str:
    """Return the verb form. The inflection column is ambiguous for forms spelled alike."""
    if not aux:
        is_present = slots.verb_slot_inflection == "PresentSingular3rd"
        return "presentSingular3rd" if is_present else "past"
    if not chain and (aux in MODALS or aux in ("does", "did")):
        return "stem"
    is_ing = slots.verb_slot_inflection == "PresentParticiple"
    return "presentParticiple" if is_ing else "pastParticiple"


def question_of(
    slots: Slots, forms: VerbForms, *, has_separate_not: bool = False, has_it: bool = False
) -> str:
    """Return the text of the slots, with "did not" and "it" if requested.

    Raises ValueError if the slots name no form of the verb.
    """
    prefix = slots.verb_prefix.split(SEPARATOR) if slots.verb_prefix else []
    aux = slots.aux
    if has_separate_not and aux in _PLAIN:
        aux, prefix = _PLAIN[aux], ["not", *prefix]
    subj = "it" if has_it else slots.subj
    name = _FORM_OF_INFLECTION.get(slots.verb_slot_inflection)
    if name is None:
        raise ValueError(f"{slots.verb_slot_inflection!r} names no form of a verb")
    verb = forms.by_name()[name]
    parts = [slots.wh, aux, subj, *prefix, verb, slots.obj, slots.prep, slots.obj2]
    return finished(" ".join(part for part in parts if part))


def finished(words: str) -> str:
    """Return words as a stored question: an initial capital and a question mark."""
    return f"{words[:1].upper()}{words[1:]}?"


def _is_passive(aux: str, chain: Sequence[str], form: str) -> bool:
    """Return True for a past participle directly after a form of be."""
    before = chain[-1] if chain else aux
    return form == "pastParticiple" and before in ("is", "was", "be", "being", "been")


def _tense(aux: str, form: str) -> str:
    if aux in MODALS:
        return aux
    is_present = aux in _PRESENT or (not aux and form == "presentSingular3rd")
    return "present" if is_present else "past"
