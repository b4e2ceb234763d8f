"""Nouns that are derived from verbs, such as "acquisition" from "acquire".

A candidate is a common noun with a related verb. Whether it describes an event in its sentence is
left to the annotators. See Klein et al. 2020, QANom.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from schemes.contract.values import Tokens
from schemes.english.tagger import tag_tokens
from schemes.english.verb_list import is_verb

# HanTa's tags of common nouns: neutral, singular and plural.
_COMMON_NOUNS = frozenset({"NN0", "NN1", "NN2"})
# verb: its nouns. These are irregular, or a rule below would choose another verb.
_NOUNS_BY_VERB = {
    "abolish": "abolition", "absorb": "absorption", "abstain": "abstention abstinence",
    "accede": "accession", "acclaim": "acclamation", "acquire": "acquisition",
    "act": "act action", "adhere": "adherence adhesion", "admit": "admission admittance",
    "advise": "advice", "affirm": "affirmation", "allude": "allusion", "analyze": "analysis",
    "apply": "application", "apologize": "apology", "assume": "assumption",
    "attend": "attendance", "attract": "attraction", "bear": "birth", "behave": "behavior behaviour",
    "believe": "belief", "besiege": "siege", "bleed": "blood", "breathe": "breath",
    "build": "building", "carry": "carriage", "cede": "cession", "choose": "choice",
    "classify": "classification", "clothe": "clothing", "coerce": "coercion", "collide": "collision",
    "commit": "commission commitment", "complain": "complaint", "comply": "compliance",
    "conceive": "conception", "conclude": "conclusion", "confess": "confession",
    "confuse": "confusion", "constrain": "constraint", "consume": "consumption",
    "contend": "contention", "contradict": "contradiction", "convene": "convention",
    "convert": "conversion", "corrode": "corrosion", "criticize": "criticism",
    "deceive": "deception deceit", "decide": "decision", "deduce": "deduction",
    "deduct": "deduction", "deepen": "depth", "defend": "defense defence", "defy": "defiance",
    "deride": "derision", "descend": "descent", "describe": "description",
    "destroy": "destruction", "detain": "detention", "deter": "deterrence", "die": "death",
    "discover": "discovery", "dissect": "dissection", "dissent": "dissension",
    "dissolve": "dissolution", "divide": "division", "draw": "draft", "emit": "emission",
    "enter": "entry entrance", "erode": "erosion", "evade": "evasion", "evolve": "evolution",
    "exceed": "excess", "exclude": "exclusion", "expand": "expansion", "expel": "expulsion",
    "explain": "explanation", "explode": "explosion", "expose": "exposure",
    "extend": "extension extent", "fail": "failure", "fall": "fall", "feed": "food",
    "fly": "flight", "flee": "flight", "forgive": "forgiveness", "fuse": "fusion",
    "gain": "gain", "give": "gift", "grieve": "grief", "grow": "growth", "hate": "hatred",
    "identify": "identification", "immerse": "immersion", "impel": "impulse",
    "imply": "implication", "impress": "impression", "include": "inclusion",
    "induce": "induction", "infuse": "infusion", "injure": "injury", "inquire": "inquiry",
    "inscribe": "inscription", "intend": "intention intent", "intervene": "intervention",
    "introduce": "introduction", "intrude": "intrusion", "invade": "invasion",
    "invert": "inversion", "join": "juncture", "judge": "judgment judgement", "know": "knowledge",
    "laugh": "laughter", "lend": "loan", "live": "life", "lose": "loss", "maintain": "maintenance",
    "marry": "marriage", "mix": "mixture", "modify": "modification", "multiply": "multiplication",
    "notify": "notification", "obey": "obedience", "obtain": "obtainment", "occur": "occurrence",
    "offend": "offense offence", "omit": "omission", "oppose": "opposition", "perceive": "perception",
    "permit": "permission", "persuade": "persuasion", "please": "pleasure", "possess": "possession",
    "practise": "practice", "precede": "precedence", "prescribe": "prescription",
    "presume": "presumption", "pretend": "pretense pretence", "proceed": "procedure",
    "produce": "production", "pronounce": "pronunciation", "prove": "proof", "provide": "provision",
    "pursue": "pursuit", "qualify": "qualification", "reassure": "reassurance",
    "receive": "reception receipt", "recognize": "recognition", "recover": "recovery",
    "redeem": "redemption", "reduce": "reduction", "refer": "reference", "relieve": "relief",
    "remember": "remembrance", "repeat": "repetition", "repel": "repulsion",
    "require": "requisition", "rescind": "rescission", "resolve": "resolution",
    "respond": "response", "restrain": "restraint", "resume": "resumption", "retain": "retention",
    "reveal": "revelation", "revise": "revision", "revolt": "revulsion", "satisfy": "satisfaction",
    "secede": "secession", "see": "sight", "seduce": "seduction", "seize": "seizure",
    "sell": "sale", "serve": "service", "sing": "song", "sit": "session", "solve": "solution",
    "speak": "speech", "specify": "specification", "steal": "theft", "strike": "stroke",
    "submit": "submission", "subscribe": "subscription", "subvert": "subversion",
    "succeed": "success succession", "suppose": "supposition", "suspect": "suspicion",
    "suspend": "suspension", "sustain": "sustenance", "tempt": "temptation", "think": "thought",
    "transcribe": "transcription", "transmit": "transmission", "try": "trial",
    "unify": "unification", "unite": "union", "use": "usage", "vary": "variation",
    "verify": "verification", "weigh": "weight", "withdraw": "withdrawal", "write": "script",
}  # fmt: skip
# Endings of nouns, with what the verb ends in instead. The first listed verb is used.
_RULES = (
    ("ification", ("ify",)),
    ("ization", ("ize", "ise")),
    ("isation", ("ise", "ize")),
    ("ation", ("ate", "e", "")),
    ("ition", ("e", "ite", "it", "")),
    ("tion", ("t", "te", "e")),
    ("ssion", ("ss", "de", "t")),
    ("sion", ("de", "se", "d", "s", "t")),
    ("ment", ("", "e")),
    ("iage", ("y",)),
    ("ial", ("y",)),
    ("iance", ("y",)),
    ("ance", ("", "e", "ate")),
    ("ence", ("", "e")),
    ("al", ("", "e")),
    ("ing", ("", "e")),
    ("ure", ("", "e")),
    ("age", ("", "e")),
    ("ery", ("er", "e", "")),
    ("y", ("", "e")),
)
_DOUBLED = re.compile(r"([bdglmnprt])\1$")
_MIN_STEM = 3


def find_nominalizations(tokens: Tokens) -> list[tuple[int, str]]:
    """Return the position and the verb's stem of each candidate noun, ascending."""
    candidates = []
    for at, tag in enumerate(tag_tokens(tokens)):
        stem = verb_of_noun(tokens[at]) if tag in _COMMON_NOUNS else None
        if stem:
            candidates.append((at, stem))
    return candidates


@lru_cache(maxsize=20_000)
def verb_of_noun(token: str) -> str | None:
    """Return the stem of the verb behind a noun, ignoring case and number, or None."""
    singulars = list(_singulars(token.lower()))
    irregular = _verb_by_noun()
    for noun in singulars:
        if noun in irregular:
            return irregular[noun]
    stems = (stem for noun in singulars for stem in _stems(noun))
    return next((stem for stem in stems if is_verb(stem)), None)


def _singulars(noun: str) -> Iterator[str]:
    if noun.endswith("ies"):
        yield f"{noun[:-3]}y"
    if noun.endswith("ses"):
        yield f"{noun[:-2]}is"
    if noun.endswith("s") and not noun.endswith("ss"):
        yield noun[:-1]
    if noun.endswith("es"):
        yield noun[:-2]
    yield noun


def _stems(noun: str) -> Iterator[str]:
    """Yield possible stems: the noun itself ("attack"), then those of the suffix rules."""
    yield noun
    for ending, replacements in _RULES:
        base = noun.removesuffix(ending)
        if base == noun or len(base) < _MIN_STEM:
            continue
        for replacement in replacements:
            yield base + replacement
        if _DOUBLED.search(base):
            yield base[:-1]


@cache
def _verb_by_noun() -> dict[str, str]:
    """Return the verb of each irregular noun. The first verb listed is used."""
    verbs: dict[str, str] = {}
    for verb, nouns in _NOUNS_BY_VERB.items():
        for noun in nouns.split():
            verbs.setdefault(noun, verb)
    return verbs
