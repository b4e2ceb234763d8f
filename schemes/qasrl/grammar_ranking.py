"""Costs of questions for suggestions that nothing was learned for.

The tables have the form of those in `ranking.py`, and the same code adds them up. The costs are set by
hand. They follow the template and the sentence: its voice, modality and negation come first, then
participants, then adverbials. No cost depends on questions of annotators.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Self

from schemes.contract.values import Json, Tokens
from schemes.english.forms import VerbForms
from schemes.qasrl.complement_cues import complement_of, takes_bare_infinitive
from schemes.qasrl.context_cues import cues_of
from schemes.qasrl.patterns import ANY, FILLERS, RELATIONS, Pattern
from schemes.qasrl.preposition_cues import USES, offered, place_of
from schemes.qasrl.prepositional_verbs import preposition_after
from schemes.qasrl.sentence_phrases import OTHER_POLARITY, SHAPES, TENSES, own_tenses
from schemes.qasrl.verb_context import Cue, cue_of
from schemes.qasrl.verb_frames import frame_cost, has_object

_ADVERBIALS = {"when": 10, "where": 11, "how": 13, "why": 14, "how long": 20, "how much": 22}
_SUBJECTS = ("someone", "something")
_QUESTION_WORDS = ("who", "what")
# Object, preposition and second object of questions about the subject. Costs make rarer ones later.
_SUBJECT_FRAMES = {
    ("something", "", ""): 0,
    ("someone", "", ""): 5,
    ("", "", ""): 2,
    ("", ANY, "something"): 14,
    ("", ANY, "someone"): 22,
    ("", ANY, ""): 22,
    ("something", ANY, "something"): 22,
    ("", f"{ANY} do", "something"): 8,
    ("someone", f"{ANY} do", "something"): 10,
}
_OBJECT_FRAMES = {
    ("", "", ""): 2,
    ("", ANY, ""): 14,
    ("something", ANY, ""): 22,
    ("", ANY, "do"): 8,
    ("someone", ANY, "do"): 10,
    ("someone", "", "do"): 10,
}
_PASSIVE_FRAMES = {
    ("", "", ""): 0,
    ("", ANY, "something"): 16,
    ("", ANY, ""): 22,
    ("", f"{ANY} do", "something"): 8,
}
_PASSIVE_OBJECT_FRAMES = {("", ANY, ""): 18, ("", ANY, "do"): 8}
_ADVERBIAL_FRAMES = {("something", "", ""): 0, ("", "", ""): 2, ("", ANY, "something"): 14}

_OTHER_VOICE = 25
_OTHER_FILLER = 5
_OTHER_TENSE = 40
_OTHER_SHAPE = 20
# With an object although none follows the verb, or without one although words follow it.
_OTHER_OBJECT = 8
_VERB_PHRASE_ABSENT = 40
_VERB_PHRASE_MISSING = 10
_VERB_PHRASE_FOUND = -8
_WITH_OWN_PREPOSITION = -14
_WITHOUT_OWN_PREPOSITION = 15
_PLACES = {"next": 0, "near": 4, "later": 8, "far": 20, "before": 30, "absent": 30}
_RELATIONS = dict.fromkeys(RELATIONS, 0) | {
    "role asked": 45,
    "subject differs": 20,
    "object differs": 25,
    "object dropped": 25,
    "object added": 10,
    "voice differs": 10,
    "verb phrase dropped": 15,
    "verb phrase added": 15,
}


@cache
def grammar_costs() -> Json:
    """Return the patterns, and the costs that are the same for all items."""
    return {
        "patterns": [str(pattern) for pattern in _patterns()],
        "relations": _RELATIONS,
        "changes": {"time": 20, "polarity": 40},
        "not": {"True": 30, "False": 0},
        "used": dict.fromkeys(USES, 0),
    }


def grammar_table(tokens: Tokens, verb_idx: int, forms: VerbForms) -> Json:
    """Return an item's costs, with the keys of `ranking.ranking_table`."""
    cue = cue_of(tokens, verb_idx, forms)
    verb = _VerbInSentence.read(tokens, verb_idx, forms, cue)
    costs = [sum(parts) for parts in zip(_costs_of(verb), _frame_costs(forms.stem), strict=True)]
    cheapest = min(costs)
    return {
        "patterns": [cost - cheapest for cost in costs],
        "prepositions": {
            phrase: [_PLACES[place_of(tokens, verb_idx, phrase)]] * len(USES)
            for phrase in offered(tokens, forms)
        },
        "time": [_time_costs(cue), _time_costs(cue)],
        "negated": {
            str(is_negated): _polarity_cost(cue, is_negated) for is_negated in (True, False)
        },
    }


@cache
def _patterns() -> dict[Pattern, int]:
    """Return the patterns of the template's common questions with their costs."""
    return dict(_priced_patterns())


def _priced_patterns() -> Iterator[tuple[Pattern, int]]:
    for wh, (frame, cost) in product(_QUESTION_WORDS, _SUBJECT_FRAMES.items()):
        yield Pattern(wh, "", False, *frame), cost
    for wh, (frame, cost) in product(_QUESTION_WORDS, _PASSIVE_FRAMES.items()):
        yield Pattern(wh, "", True, *frame), cost
    for subject in _SUBJECTS:
        for wh, (frame, cost) in product(_QUESTION_WORDS, _OBJECT_FRAMES.items()):
            if wh == "what" or not frame[2]:
                yield Pattern(wh, subject, False, *frame), cost + (wh == "who") * _OTHER_FILLER
        for wh, (frame, cost) in product(_QUESTION_WORDS, _PASSIVE_OBJECT_FRAMES.items()):
            if wh == "what" or not frame[2]:
                yield Pattern(wh, subject, True, *frame), cost
        for wh, more in _ADVERBIALS.items():
            for frame, cost in _ADVERBIAL_FRAMES.items():
                yield Pattern(wh, subject, False, *frame), cost + more
            yield Pattern(wh, subject, True, "", "", ""), more


@dataclass(frozen=True)
class _VerbInSentence:
    """What the words around a verb say about its participants."""

    is_passive: bool
    subject: str
    has_room: bool  # for an object
    has_preposition: bool
    complement: str

    @classmethod
    def read(cls, tokens: Tokens, verb_idx: int, forms: VerbForms, cue: Cue) -> Self:
        names = frozenset(cues_of(tokens, verb_idx, forms))
        default = "something" if cue.is_passive else "someone"
        is_thing = "thing before" in names
        is_person = "person before" in names
        return cls(
            is_passive=cue.is_passive,
            subject="something" if is_thing else "someone" if is_person else default,
            has_room=not {"next edge", "next punctuation", "next preposition"} & names,
            has_preposition=not cue.is_passive
            and bool(preposition_after(tokens, verb_idx, forms.stem)),
            complement=complement_of(
                tokens, verb_idx, takes_bare=takes_bare_infinitive(forms.stem)
            ),
        )

    def cost_of(self, pattern: Pattern) -> int:
        cost = 0 if pattern.is_passive == self.is_passive else _OTHER_VOICE
        cost += self._filler_cost(pattern)
        cost += self._verb_phrase_cost(pattern)
        if pattern.is_passive:
            return cost
        if self.has_preposition:
            if has_object(pattern):
                return cost + _WITHOUT_OWN_PREPOSITION
            return cost + (_WITH_OWN_PREPOSITION if ANY in pattern.prep else 0)
        return cost + (_OTHER_OBJECT if has_object(pattern) != self.has_room else 0)

    def _filler_cost(self, pattern: Pattern) -> int:
        subject = pattern.subj or FILLERS[pattern.wh]
        if pattern.is_passive != self.is_passive:
            return 0
        return 0 if subject == self.subject else _OTHER_FILLER

    def _verb_phrase_cost(self, pattern: Pattern) -> int:
        follows = self.complement.removeprefix("object ") in ("to", "bare")
        if not pattern.has_verb_phrase:
            return _VERB_PHRASE_MISSING if self.complement == "to" and pattern.is_argument else 0
        fits = pattern.is_passive or self.complement.startswith("object") == bool(pattern.obj)
        return _VERB_PHRASE_FOUND if follows and fits else _VERB_PHRASE_ABSENT


@lru_cache(maxsize=1024)
def _costs_of(verb: _VerbInSentence) -> Sequence[int]:
    """Return the costs of each pattern. There are few combinations of what a sentence says."""
    return [cost + verb.cost_of(pattern) for pattern, cost in _patterns().items()]


@lru_cache(maxsize=1024)
def _frame_costs(stem: str) -> Sequence[int]:
    """Return what a verb adds to the cost of each pattern."""
    return [frame_cost(pattern, stem) for pattern in _patterns()]


def _time_costs(cue: Cue) -> Sequence[int]:
    """Return the costs of each tense and shape. Those of the sentence are 0."""
    tenses = own_tenses(cue)
    names = (("perfect", cue.is_perfect), ("progressive", cue.is_progressive))
    own = " ".join(name for name, holds in names if holds)
    return [
        tenses.get(tense, _OTHER_TENSE) + (0 if shape == own else _OTHER_SHAPE + len(shape))
        for tense, shape in product(TENSES, SHAPES)
    ]


def _polarity_cost(cue: Cue, is_negated: bool) -> int:
    return 0 if is_negated == cue.is_negated else OTHER_POLARITY
