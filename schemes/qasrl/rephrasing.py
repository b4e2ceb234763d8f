"""Other questions about a verb, made from an existing one: other words, tenses, voices and roles.

Every question that this module returns is read back by the template's grammar.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

from schemes.contract.values import Json
from schemes.english.forms import VerbForms
from schemes.qasrl.reading import Reading, finished
from schemes.qasrl.slots import ADVERBS, Slots
from schemes.qasrl.targets import is_noun, question_spellings
from schemes.qasrl.verb_phrases import phrases_of
from schemes.qasrl.walker import Walker, open_item

_FILLERS = {"who": "someone", "what": "something"}
_OTHER_FILLER = {"someone": "something", "something": "someone"}
_OTHER_WH = {"who": "what", "what": "who"}
_OTHER_TENSE = {"past": "might", "present": "can", "might": "past", "can": "present"}
_OTHER_TENSE |= {"will": "might", "would": "past", "should": "would"}
_SAME_MEANING = {"past": "present", "present": "past"}


class Rephraser:
    """A source of grammatical questions about one verb or noun."""

    def __init__(self, target: Json) -> None:
        spellings = question_spellings(target)
        self._forms: VerbForms = spellings[0]
        self._walker = Walker(open_item(*spellings, is_noun=is_noun(target)))

    def read(self, question: str) -> Reading | None:
        return self._walker.read(question)

    def rephrased(self, question: str, rng: random.Random) -> str:
        """Return another question that a person could ask about the same answer, or the same one."""
        reading = self._walker.read(question)
        if reading is None:
            return question
        texts = [text for text in self._paraphrases(reading) if text != question]
        return rng.choice(texts) if texts else question

    def adverbial(self, question: str, wh: str) -> str | None:
        """Return a question with an adverb such as "when" about the event of another question."""
        reading = self._walker.read(question)
        if reading is None:
            return None
        slots = reading.slots
        subj, obj = slots.subj, slots.obj
        if not subj:
            subj = _FILLERS.get(slots.wh, "someone")
        elif slots.wh in _FILLERS and not (slots.is_passive or obj or slots.prep or slots.obj2):
            obj = _FILLERS[slots.wh]
        words = replace(slots, wh=wh, subj=subj, obj=obj, prep="", obj2="")
        return self._question(reading, words)

    def with_preposition(self, question: str, preposition: str) -> str | None:
        """Return a question for what follows the preposition, such as "What did someone talk about?"."""
        adverbial = self.adverbial(question, "when")
        reading = self._walker.read(adverbial) if adverbial else None
        if reading is None:
            return None
        return self._question(reading, replace(reading.slots, wh="what", prep=preposition))

    def _paraphrases(self, reading: Reading) -> Iterator[str]:
        slots = reading.slots
        candidates = [
            *self._with_other_words(slots),
            *([voice] if (voice := _other_voice(slots)) else []),
        ]
        for words in candidates:
            if text := self._question(reading, words):
                yield text
        for tense in (_OTHER_TENSE[reading.tense], _SAME_MEANING.get(reading.tense, "")):
            if tense and (text := self._question(replace(reading, tense=tense), slots)):
                yield text

    def _with_other_words(self, slots: Slots) -> Iterator[Slots]:
        if slots.wh in _OTHER_WH and not slots.obj2:
            yield replace(slots, wh=_OTHER_WH[slots.wh])
        if slots.wh in ADVERBS:
            yield from (replace(slots, wh=wh) for wh in ADVERBS if wh != slots.wh)
        if slots.subj:
            yield replace(slots, subj=_OTHER_FILLER.get(slots.subj, "someone"))
        if slots.obj in _OTHER_FILLER:
            yield replace(slots, obj=_OTHER_FILLER[slots.obj])

    def _question(self, reading: Reading, slots: Slots) -> str | None:
        """Return the slots as a question with the reading's tense, or None if it is ungrammatical."""
        shapes = (("perfect", reading.is_perfect), ("progressive", reading.is_progressive))
        shape = " ".join(name for name, holds in shapes if holds)
        head = slots.wh, slots.subj, slots.is_passive
        wanted = f"{reading.tense} {shape}", slots.is_negated, reading.has_separate_not
        for phrase in phrases_of(head, self._forms):
            if (phrase.time, phrase.is_negated, phrase.has_separate_not) == wanted:
                words = (phrase.text, slots.obj, slots.prep, slots.obj2)
                text = finished(" ".join(word for word in words if word))
                return text if self._walker.read(text) else None
        return None


def _other_voice(slots: Slots) -> Slots | None:
    """Return a question in the other voice that asks for the same participant, or None."""
    is_object_question = slots.wh in _FILLERS and not (slots.obj or slots.obj2)
    if not is_object_question:
        return None
    if slots.is_passive and not slots.subj:
        return replace(slots, is_passive=False, subj="someone")
    if not slots.is_passive and slots.subj:
        return replace(slots, is_passive=True, subj="")
    return None
