"""Abstract questions: the arguments of a question without its verb, its tense and its preposition.

"What did someone refuse to do?" and "What does someone want to do?" have the same pattern. A prompt
for the next question is a pattern, a verb phrase and, if the pattern has one, a preposition.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from schemes.qasrl.reading import Reading
from schemes.qasrl.slots import Slots

AGENT, PATIENT = "agent", "patient"
FILLERS = {"who": "someone", "what": "something"}
# Stands for any preposition in a pattern.
ANY = "P"
_VERB_PHRASES = ("do", "doing")


@dataclass(frozen=True, slots=True)
class Pattern:
    """The slots of a question, "" where empty. `prep` is "", `ANY`, `do`, `P do`, ..."""

    wh: str
    subj: str
    is_passive: bool
    obj: str
    prep: str
    obj2: str

    def __str__(self) -> str:
        voice = "passive" if self.is_passive else "active"
        return "|".join((self.wh, self.subj, voice, self.obj, self.prep, self.obj2))

    @property
    def is_argument(self) -> bool:
        """Whether the question is about a participant, not an adverbial."""
        return self.wh in FILLERS

    @property
    def subject_role(self) -> str:
        return PATIENT if self.is_passive else AGENT

    @property
    def tail(self) -> str:
        return f"{self.obj}|{self.prep}|{self.obj2}"

    @property
    def role(self) -> str:
        """The role that the question asks for. Two questions about a role are redundant."""
        if not self.is_argument:
            return self.wh
        if not self.subj:
            return self.subject_role
        if self.prep and not self.obj2:
            return "prep"
        if self.obj2 in _VERB_PHRASES:
            return "do"
        if self.obj:
            return "obj2"
        return "obj" if self.is_passive else PATIENT

    @property
    def use(self) -> str:
        """The use of the preposition: "", asked, filled, particle, or that of a passive."""
        if ANY not in self.prep:
            return ""
        if self.obj2:
            use = "do" if self.obj2 in _VERB_PHRASES or self.prep != ANY else "filled"
        else:
            use = "asked" if self.role == "prep" else "particle"
        return f"{use} passive" if self.is_passive else use

    @property
    def has_verb_phrase(self) -> bool:
        return self.obj2 in _VERB_PHRASES or self.prep.split(" ")[-1] in _VERB_PHRASES


def pattern_of(text: str) -> Pattern:
    """Return the pattern with a name."""
    wh, subj, voice, obj, prep, obj2 = text.split("|")
    return Pattern(wh, subj, voice == "passive", obj, prep, obj2)


def split_pattern(slots: Slots) -> tuple[Pattern, str]:
    """Return the pattern of a question and its preposition, or ""."""
    words = slots.prep.split(" ") if slots.prep else []
    verb_phrase = [words.pop()] if words and words[-1] in _VERB_PHRASES else []
    abstract = " ".join([*([ANY] if words else []), *verb_phrase])
    pattern = Pattern(slots.wh, slots.subj, slots.is_passive, slots.obj, abstract, slots.obj2)
    return pattern, " ".join(words)


def features_of(pattern: Pattern) -> Iterator[str]:
    """Yield what the context of a verb can make likely or unlikely about a pattern."""
    voice = "passive" if pattern.is_passive else "active"
    yield f"wh {pattern.wh}"
    yield f"role {pattern.role} {voice}"
    yield f"{pattern.subject_role} {pattern.subj or FILLERS[pattern.wh]}"
    yield f"voice {voice}"
    yield f"obj {pattern.obj or (pattern.role == PATIENT and FILLERS[pattern.wh])} {voice}"
    yield f"has obj {bool(pattern.obj) or (pattern.role == PATIENT)} {voice}"
    yield f"prep {pattern.prep} {pattern.use}"
    yield f"obj2 {pattern.obj2} {pattern.prep == ''}"
    yield f"verb phrase {pattern.has_verb_phrase} {pattern.prep}"
    yield f"adverbial {not pattern.is_argument} tail {pattern.tail}"
    yield f"pattern {pattern}"


@dataclass(slots=True)
class Facts:
    """Facts about the questions asked so far.

    `fillers` maps participants to "someone" or "something". `roles` has the roles asked for, with
    the preposition for "prep".
    """

    count: int = 0
    texts: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    fillers: dict[str, str] = field(default_factory=dict)
    tails: set[str] = field(default_factory=set)
    voices: set[bool] = field(default_factory=set)
    prepositions: set[str] = field(default_factory=set)
    times: set[str] = field(default_factory=set)
    polarities: set[bool] = field(default_factory=set)
    has_verb_phrase: bool = False
    has_object: bool = False

    def add(self, reading: Reading) -> None:
        pattern, preposition = split_pattern(reading.slots)
        self.count += 1
        self.roles.add(role_with(pattern, preposition))
        subject = pattern.subject_role
        self.fillers.setdefault(subject, pattern.subj or FILLERS[pattern.wh])
        if pattern.obj and not pattern.is_passive:
            self.fillers.setdefault(PATIENT, pattern.obj)
        elif pattern.role == PATIENT:
            self.fillers.setdefault(PATIENT, FILLERS[pattern.wh])
        names_object = bool(pattern.obj) and not pattern.is_passive
        self.has_object |= names_object or pattern.role == PATIENT
        self.tails.add(pattern.tail)
        self.voices.add(pattern.is_passive)
        if preposition:
            self.prepositions.add(preposition)
        self.has_verb_phrase |= pattern.has_verb_phrase
        self.times.add(time_name(reading))
        self.polarities.add(reading.slots.is_negated)


def role_with(pattern: Pattern, preposition: str) -> str:
    """Return the role with its preposition. "by" in a passive asks for the agent."""
    if pattern.role != "prep":
        return pattern.role
    if pattern.is_passive and preposition == "by":
        return AGENT
    return f"prep {preposition}"


def shape_name(phrase: Reading) -> str:
    names = (("perfect", phrase.is_perfect), ("progressive", phrase.is_progressive))
    return " ".join(name for name, holds in names if holds)


def time_name(phrase: Reading) -> str:
    """Return tense and shape, such as "present perfect"."""
    return f"{phrase.tense} {shape_name(phrase)}"


# Relations of a pattern to the questions asked so far, each with a learned cost.
RELATIONS = (
    "role asked",
    "first agent",
    "first patient",
    "first other",
    "subject agrees",
    "subject differs",
    "object agrees",
    "object differs",
    "object dropped",
    "object added",
    "tail agrees",
    "tail differs",
    "voice agrees",
    "voice differs",
    "verb phrase agrees",
    "verb phrase dropped",
    "verb phrase added",
    "adverbial asked before",
)


def relations_of(pattern: Pattern, facts: Facts) -> Iterator[str]:
    """Yield the names of the RELATIONS that hold. static/js/schemes/qasrl/grammar.js does the same."""
    if facts.count == 0:
        is_subject = pattern.is_argument and not pattern.subj
        other = "patient" if pattern.role == PATIENT else "other"
        yield f"first {'agent' if is_subject else other}"
        return
    role = pattern.role
    if role in facts.roles:
        yield "role asked"
    known = facts.fillers.get(pattern.subject_role)
    if known:
        filler = pattern.subj or FILLERS[pattern.wh]
        yield "subject agrees" if known == filler else "subject differs"
    if not pattern.is_passive and role != PATIENT:
        yield from _object_relation(pattern, facts)
    if role != PATIENT:
        yield "tail agrees" if pattern.tail in facts.tails else "tail differs"
    yield "voice agrees" if pattern.is_passive in facts.voices else "voice differs"
    if facts.has_verb_phrase:
        agrees = pattern.has_verb_phrase
        yield "verb phrase agrees" if agrees else "verb phrase dropped"
    elif pattern.has_verb_phrase:
        yield "verb phrase added"
    if not pattern.is_argument and facts.roles - {AGENT, PATIENT}:
        yield "adverbial asked before"


def _object_relation(pattern: Pattern, facts: Facts) -> Iterator[str]:
    known = facts.fillers.get(PATIENT)
    if pattern.obj and known:
        yield "object agrees" if known == pattern.obj else "object differs"
    elif pattern.obj:
        yield "object added"
    elif facts.has_object:
        yield "object dropped"
