"""The five forms of the verb that a token is a form of.

lemminflect (its lemma and inflection tables, then rules) does most of it; the exceptions below are
what it gets wrong or what it spells in a way that no newspaper does.
"""

import re
from functools import cache, lru_cache
from typing import Any

from schemes.qasrl.forms import VerbForms

# stem: 3rd person, present participle, past, past participle
EXCEPTIONS = {
    "bias": "biases biasing biased biased",
    "blend": "blends blending blended blended",
    "broadcast": "broadcasts broadcasting broadcast broadcast",
    "bid": "bids bidding bid bid",
    "do": "does doing did done",
    "focus": "focuses focusing focused focused",
    "frolic": "frolics frolicking frolicked frolicked",
    "have": "has having had had",
    "lay": "lays laying laid laid",
    "lie": "lies lying lay lain",
    "mimic": "mimics mimicking mimicked mimicked",
    "panic": "panics panicking panicked panicked",
    "picnic": "picnics picnicking picnicked picnicked",
    "program": "programs programming programmed programmed",
    "prove": "proves proving proved proven",
    "ski": "skis skiing skied skied",
    "traffic": "traffics trafficking trafficked trafficked",
}
# Tokens that are a form of two verbs: the commoner one first. "lied" is kept from "lay".
AMBIGUOUS = {
    "bound": ("bind", "bound"),
    "fell": ("fall", "fell"),
    "felt": ("feel", "felt"),
    "found": ("find", "found"),
    "founded": ("found",),
    "ground": ("grind", "ground"),
    "laid": ("lay",),
    "lain": ("lie",),
    "lay": ("lie", "lay"),
    "leaves": ("leave",),
    "left": ("leave",),
    "lied": ("lie",),
    "lies": ("lie",),
    "lying": ("lie",),
    "saw": ("see", "saw"),
    "wound": ("wind", "wound"),
}
_LIE_UNTRUTH = VerbForms("lie", "lies", "lying", "lied", "lied")
# One vowel and one consonant last, as in "combat"; w, x and y are never doubled.
_ENDS_SHORT = re.compile(r"[^aeiou][aeiou][bcdfgklmnprst]$")
_TAGS = ("VBZ", "VBG", "VBD", "VBN")


def verb_forms(token: str) -> VerbForms:
    """The forms of the verb that the token is most likely a form of, whatever its case."""
    return candidate_forms(token)[0]


@lru_cache(maxsize=20_000)
def candidate_forms(token: str) -> tuple[VerbForms, ...]:
    """All readings of the token as a verb form, likeliest first; never empty.

    A verb that doubles its last letter or not ("travelling", "traveling") has a reading for each,
    the one that spells this token first.
    """
    word = token.lower().replace("\u2019", "'")
    if word == "lied":
        return (_LIE_UNTRUTH,)
    prefix, _, last = word.rpartition("-")
    # "re-elected" is "elected" with something before it, also where the verb is irregular.
    joint = f"{prefix}-" if prefix and last else ""
    readings: dict[VerbForms, None] = {}
    for lemma in _lemmas(last or word):
        spellings = _spellings(lemma)
        spellings.sort(key=lambda forms: last not in forms.by_name().values())
        readings.update(dict.fromkeys(_prefixed(joint, forms) for forms in spellings))
    return tuple(readings)


def _lemmas(word: str) -> tuple[str, ...]:
    if word in AMBIGUOUS:
        return AMBIGUOUS[word]
    exception = _lemma_by_exception().get(word)
    if exception:
        return (exception,)
    lemmas: tuple[str, ...] = _lemminflect().getLemma(word, upos="VERB")
    return lemmas or (word,)


def _spellings(lemma: str) -> list[VerbForms]:
    if lemma in EXCEPTIONS:
        return [VerbForms(lemma, *EXCEPTIONS[lemma].split())]
    found = [_inflections(lemma, tag) for tag in _TAGS]
    usual = VerbForms(lemma, *(each[0] for each in found))
    other = VerbForms(lemma, *(each[1] if len(each) > 1 else each[0] for each in found))
    return [usual, other, *_doubled(usual)]


def _doubled(usual: VerbForms) -> list[VerbForms]:
    """ "combatting" beside "combating": both are written, dictionaries know one."""
    stem = usual.stem
    if not _ENDS_SHORT.search(stem) or usual.past != f"{stem}ed":
        return []
    longer = stem + stem[-1]
    third = usual.present_singular_3rd
    return [VerbForms(stem, third, f"{longer}ing", f"{longer}ed", f"{longer}ed")]


def _inflections(lemma: str, tag: str) -> tuple[str, ...]:
    found: tuple[str, ...] = _lemminflect().getInflection(lemma, tag=tag)
    return found or (lemma,)


def _prefixed(joint: str, forms: VerbForms) -> VerbForms:
    if not joint:
        return forms
    return VerbForms(*(joint + form for form in forms.by_name().values()))


@cache
def _lemma_by_exception() -> dict[str, str]:
    return {
        form: lemma for lemma, others in EXCEPTIONS.items() for form in (lemma, *others.split())
    }


@cache
def _lemminflect() -> Any:
    """Loaded when first asked: its tables take time that most commands need not spend."""
    import lemminflect  # noqa: PLC0415 - see above

    return lemminflect
