"""The five forms of the verb behind a token.

lemminflect provides most of them. The exceptions below correct its errors and unusual spellings.
"""

import re
from functools import cache, lru_cache
from typing import Any

from schemes.english.forms import VerbForms

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
# Tokens that are a form of two verbs, the more common one first. "lied" must not be "lay".
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
# Ends in one vowel and one consonant, as in "combat". w, x and y are never doubled.
_ENDS_SHORT = re.compile(r"[^aeiou][aeiou][bcdfgklmnprst]$")
_TAGS = ("VBZ", "VBG", "VBD", "VBN")


def verb_forms(token: str) -> VerbForms:
    """Return the forms of the token's likeliest verb, ignoring case."""
    return candidate_forms(token)[0]


@lru_cache(maxsize=20_000)
def candidate_forms(token: str) -> tuple[VerbForms, ...]:
    """Return all readings of the token as a verb form, likeliest first. Never empty.

    A verb with two spellings ("travelling", "traveling") has a reading for each. The one that
    spells this token comes first.
    """
    word = token.lower().replace("\u2019", "'")
    if word == "lied":
        return (_LIE_UNTRUTH,)
    prefix, _, last = word.rpartition("-")
    # "re-elected" inflects like "elected", also for irregular verbs.
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
    inflections = [_inflections(lemma, tag) for tag in _TAGS]
    usual = VerbForms(lemma, *(forms[0] for forms in inflections))
    other = VerbForms(lemma, *(forms[1] if len(forms) > 1 else forms[0] for forms in inflections))
    return [usual, other, *_doubled(usual)]


def _doubled(usual: VerbForms) -> list[VerbForms]:
    """Return the spelling with a doubled consonant ("combatting"), which dictionaries lack."""
    stem = usual.stem
    if not _ENDS_SHORT.search(stem) or usual.past != f"{stem}ed":
        return []
    longer = stem + stem[-1]
    third = usual.present_singular_3rd
    return [VerbForms(stem, third, f"{longer}ing", f"{longer}ed", f"{longer}ed")]


def _inflections(lemma: str, tag: str) -> tuple[str, ...]:
    inflections: tuple[str, ...] = _lemminflect().getInflection(lemma, tag=tag)
    return inflections or (lemma,)


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
    """Import lemminflect on first use, because its tables are slow to load."""
    import lemminflect  # noqa: PLC0415 - see above

    return lemminflect
