"""The five forms of the verb behind a token.

lemminflect provides most of them. The exceptions below correct its errors and unusual spellings.
"""

import re
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Any

from schemes.contract.values import Tokens
from schemes.english.contractions import VERB_BY_CONTRACTION
from schemes.english.forms import VerbForms
from schemes.english.spelling import plain_spelling

# stem: 3rd person, present participle, past, past participle. Other spellings follow a slash.
EXCEPTIONS = {
    "bias": "biases biasing biased biased",
    "blend": "blends blending blended blended",
    "bid": "bids bidding bid/bade bid/bidden",
    "do": "does doing did done",
    "focus": "focuses/focusses focusing/focussing focused/focussed focused/focussed",
    "get": "gets getting got gotten/got",
    "frolic": "frolics frolicking frolicked frolicked",
    "have": "has having had had",
    "kneel": "kneels kneeling knelt/kneeled knelt/kneeled",
    "knit": "knits knitting knit/knitted knit/knitted",
    "lay": "lays laying laid laid",
    "lean": "leans leaning leaned/leant leaned/leant",
    "leap": "leaps leaping leapt/leaped leapt/leaped",
    "lie": "lies lying lay/lied lain/lied",
    "mimic": "mimics mimicking mimicked mimicked",
    "panic": "panics panicking panicked panicked",
    "picnic": "picnics picnicking picnicked picnicked",
    "outfit": "outfits outfitting outfitted/outfit outfitted/outfit",
    "plead": "pleads pleading pleaded/pled pleaded/pled",
    "podcast": "podcasts podcasting podcasted/podcast podcasted/podcast",
    "program": "programs programming programmed programmed",
    "prove": "proves proving proved proven/proved",
    "retrofit": "retrofits retrofitting retrofitted/retrofit retrofitted/retrofit",
    "ski": "skis skiing skied skied",
    "sneak": "sneaks sneaking sneaked/snuck sneaked/snuck",
    "surveil": "surveils surveilling surveilled surveilled",
    "sweat": "sweats sweating sweated/sweat sweated/sweat",
    "telecast": "telecasts telecasting telecast/telecasted telecast/telecasted",
    "wake": "wakes waking woke/waked woken/waked",
    "traffic": "traffics trafficking trafficked trafficked",
    "typeset": "typesets typesetting typeset typeset",
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
# Words before a stem.
_BEFORE_STEM = frozenset({"to", "can", "ca", "could", "may", "might", "must", "shall", "should"})
_BEFORE_STEM |= {"cannot", "gonna", "gotta", "wanna", "na", "ta"}
_BEFORE_STEM |= {"will", "wo", "'ll", "would", "'d", "do", "does", "did", "let"}
_PASSED_OVER = frozenset({"not", "n't", "never", "also", "now", "then", "always"})
# Words after an intransitive verb.
_NO_OBJECT = frozenset({".", ",", ";", ":", "!", "?", ")", "''", "dead", "down", "there"})
_NO_OBJECT |= {"at", "behind", "beneath", "between", "beyond", "in", "on", "over", "under", "with"}
# Prefixes of verbs that lemminflect does not list ("unfroze").
_PREFIX = re.compile("(back|fore|inter|mis|out|over|pre|re|un|under)(?=.{4})")
# A verb made of an abbreviation ("OK'd", "DM'ing")
_ABBREVIATED = re.compile("([a-z0-9]{2,})'(?:s|d|ed|ing)")
# Ends in one vowel and one consonant, as in "combat". w, x and y are never doubled.
_ENDS_SHORT = re.compile(r"[^aeiou][aeiou][bcdfgklmnprst]$")
Forms = tuple[str, ...]
_TAGS = ("VBZ", "VBG", "VBD", "VBN")


def verb_forms(token: str) -> VerbForms:
    """Return the forms of the token's likeliest verb, ignoring case."""
    return candidate_forms(token)[0]


def verb_forms_at(tokens: Tokens, at: int) -> VerbForms:
    """Return the forms of the likeliest verb of a token in its sentence.

    The context separates "lay" in "to lay a stone" from "lay" in "it lay there".
    """
    word = tokens[at].lower()
    readings = candidate_forms(word)
    if word in AMBIGUOUS and (_needs_stem(tokens, at) or _is_transitive_lay(tokens, at)):
        return next((forms for forms in readings if forms.stem == word), readings[0])
    return readings[0]


def _needs_stem(tokens: Tokens, at: int) -> bool:
    before = (token.lower() for token in reversed(tokens[max(0, at - 4) : at]))
    nearest = next((word for word in before if word not in _PASSED_OVER), "")
    return nearest in _BEFORE_STEM


def _is_transitive_lay(tokens: Tokens, at: int) -> bool:
    following = tokens[at + 1].lower() if at + 1 < len(tokens) else "."
    return tokens[at].lower() == "lay" and following not in _NO_OBJECT


@lru_cache(maxsize=20_000)
def candidate_forms(token: str) -> tuple[VerbForms, ...]:
    """Return all readings of the token as a verb form, likeliest first. Never empty.

    A verb with two spellings ("travelling", "traveling") has a reading for each. Readings that
    contain the token come first, and there is always one.
    """
    word = plain_spelling(token).lower()
    if word in VERB_BY_CONTRACTION:
        return tuple(_spellings(VERB_BY_CONTRACTION[word]))
    if match := _ABBREVIATED.fullmatch(word):
        return (VerbForms(match[1], *(f"{match[1]}'{end}" for end in ("s", "ing", "d", "d"))),)
    prefix, _, last = word.rpartition("-")
    # "re-elected" inflects like "elected", also for irregular verbs.
    joint, rest = (f"{prefix}-", last) if prefix and last else _split_prefix(word)
    found = [forms for lemma in _lemmas(rest) for forms in _spellings(lemma)]
    found.sort(key=lambda forms: rest not in forms.by_name().values())
    if rest not in found[0].by_name().values():
        found.insert(0, _with_own_form(found[0], rest))
    return tuple(dict.fromkeys(_prefixed(joint, forms) for forms in found))


def _split_prefix(word: str) -> tuple[str, str]:
    """Split "unfroze" into "un" and "froze", if the dictionary has only the latter."""
    match = _PREFIX.match(word)
    if match and word not in _lemma_by_exception() and not _is_listed(word):
        rest = word[match.end() :]
        if _is_listed(rest):
            return match[0], rest
    return "", word


def _is_listed(word: str) -> bool:
    return bool(_lemminflect().getAllLemmas(word, upos="VERB"))


def _with_own_form(forms: VerbForms, word: str) -> VerbForms:
    """Return the forms with a word in the place that its ending suggests."""
    stem, third, participle, past, past_participle = forms.by_name().values()
    if word.endswith("ing"):
        participle = word
    elif word.endswith("s"):
        third = word
    else:
        past = past_participle = word
    return VerbForms(stem, third, participle, past, past_participle)


def _lemmas(word: str) -> tuple[str, ...]:
    if word in AMBIGUOUS:
        return AMBIGUOUS[word]
    exception = _lemma_by_exception().get(word)
    if exception:
        return (exception,)
    lemmas: tuple[str, ...] = _lemminflect().getLemma(word, upos="VERB")
    return tuple(lemma for lemma in lemmas if "-" not in lemma and " " not in lemma) or (word,)


def _spellings(lemma: str) -> list[VerbForms]:
    """Return the forms of a lemma in all spellings, the usual ones first."""
    if lemma in EXCEPTIONS:
        alternatives = [tuple(forms.split("/")) for forms in EXCEPTIONS[lemma].split()]
    else:
        third, ing, past, participle = (_inflections(lemma, tag) for tag in _TAGS)
        alternatives = [third, ing, *_aligned(lemma, past, participle)]
    usual = [forms[0] for forms in alternatives]
    rows = [
        VerbForms(lemma, *(form or first for form, first in zip(row, usual, strict=True)))
        for row in zip_longest(*alternatives)
    ]
    return [*rows, *_doubled(rows[0])]


def _aligned(stem: str, pasts: Forms, participles: Forms) -> tuple[Forms, Forms]:
    """Return pasts and participles so that those of one spelling are at the same position.

    Where they share a spelling, each past is also a participle. lemminflect lists "lit" and
    "lighted", but only "was lighted". The same holds for verbs that either change nothing or add -ed:
    it lists "forecasted" and "was forecast", and lacks "they forecast".
    """
    both = {*pasts, *participles}
    is_invariant = stem in both and all(form == stem or form.endswith("ed") for form in both)
    if is_invariant and not both <= set(pasts):
        forms = tuple(sorted(both, key=lambda form: form != stem))
        return forms, forms
    if not set(pasts) & set(participles):
        return pasts, participles
    others = tuple(form for form in participles if form not in pasts)
    return pasts + pasts[:1] * len(others), pasts + others


def _doubled(usual: VerbForms) -> list[VerbForms]:
    """Return the spelling with a doubled consonant ("combatting"), which dictionaries lack."""
    stem = usual.stem
    if not _ENDS_SHORT.search(stem) or usual.past != f"{stem}ed":
        return []
    longer = stem + stem[-1]
    third = usual.present_singular_3rd
    return [VerbForms(stem, third, f"{longer}ing", f"{longer}ed", f"{longer}ed")]


def _inflections(lemma: str, tag: str) -> Forms:
    """Return the spellings of a form. A third person spelled like the lemma comes first."""
    listed: Forms = _lemminflect().getInflection(lemma, tag=tag)
    # lemminflect also lists "under-went" and "under went".
    words = [form for form in listed if " " not in form and ("-" not in form or "-" in lemma)]
    words.sort(key=lambda form: tag == "VBZ" and form != f"{lemma}s")
    return tuple(words) or (lemma,)


def _prefixed(joint: str, forms: VerbForms) -> VerbForms:
    if not joint:
        return forms
    return VerbForms(*(joint + form for form in forms.by_name().values()))


@cache
def _lemma_by_exception() -> dict[str, str]:
    return {
        form: lemma
        for lemma, others in EXCEPTIONS.items()
        for form in (lemma, *re.split("[ /]", others))
    }


@cache
def _lemminflect() -> Any:
    """Import lemminflect on first use, because its tables are slow to load."""
    import lemminflect  # noqa: PLC0415 - see above

    return lemminflect
