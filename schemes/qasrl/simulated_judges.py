"""Simulated consolidators and validators, who see the annotators' work and the sentence only.

They never read the reference. A question counts as a good one for what a person can see:

- Another annotator asked about the same words, or asked the same question. Then it is nearly always
  kept, right or wrong.
- It stands alone, and its answer contains the verb or is in another clause far from the verb
  (`phrases.is_doubtful`). Then it is rejected, unless the person overlooks that.
- It stands alone and nothing is odd about it. Then it is kept, apart from slips.

So a judge can neither recognize all inventions nor spare all unusual questions, at any skill. Of two
borders for one answer, a judge prefers the one that cuts no phrase, as far as function words show it.
Of two questions, a judge prefers the one in the tense, voice and polarity of the sentence.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.qasrl.error_rates import RATES
from schemes.qasrl.phrases import Span, is_cut, is_doubtful
from schemes.qasrl.rephrasing import Rephraser
from schemes.qasrl.simulated_generator import move_borders, question_key
from schemes.qasrl.targets import question_spellings
from schemes.qasrl.verb_context import cue_of
from schemes.simulated_person import Person


@dataclass(slots=True, eq=False)
class _Entry:
    """A source's question with the judge's decision."""

    submission: int
    question: Json
    source: Json
    answers: list[Span]
    verdict: str = ""
    # The kept question that this one repeats
    same_as: "_Entry | None" = None

    @property
    def key(self) -> str:
        return question_key(self.question)

    def likeness(self, other: "_Entry") -> tuple[bool, int]:
        """Return whether both have the same text, and the number of tokens that they share."""
        own, others = (
            {at for span in entry.answers for at in range(*span)} for entry in (self, other)
        )
        return self.key == other.key, len(own & others)

    def as_json(self, position: int | None) -> dict[str, Any]:
        return {
            "question": self.question["question"],
            "answers": [list(span) for span in self.answers] if self.verdict == "keep" else [],
            "source": self.source,
            "verdict": self.verdict,
            "same_as": position,
        }


def consolidate(sources: Sequence[Json], context: ItemContext, person: Person, seed: str) -> Json:
    """Return a consolidation of the sources.

    A person of skill 1 expects exact sources, and keeps all that they have once.
    """
    entries = [
        _Entry(
            submission=submission,
            question=question,
            source={"submission": submission, "question": position},
            answers=[(start, end) for start, end in question["answers"]],
        )
        for submission, source in enumerate(sources)
        for position, question in enumerate(source.get("questions", ()))
    ]
    merge = _Merge(_Judge(context, person, seed))
    # What annotators agree on gets its words first.
    for group in sorted(_groups(entries), key=len, reverse=True):
        merge.decide(group)
    return {
        "questions": [
            entry.as_json(None if entry.same_as is None else entries.index(entry.same_as))
            for entry in entries
        ]
    }


def _groups(entries: Sequence[_Entry]) -> list[list[_Entry]]:
    """Return the questions of different annotators that ask for the same role."""
    groups: list[list[_Entry]] = []
    for entry in entries:
        open_groups = [
            group
            for group in groups
            if all(other.submission != entry.submission for other in group)
            and any(entry.likeness(group[0]))
        ]
        if open_groups:
            max(open_groups, key=lambda group: entry.likeness(group[0])).append(entry)
        else:
            groups.append([entry])
    return groups


class _Merge:
    """The decisions about groups of questions, and the words that kept answers have."""

    def __init__(self, judge: "_Judge") -> None:
        self._judge = judge
        self._kept: list[_Entry] = []

    def decide(self, group: Sequence[_Entry]) -> None:
        best = self._judge.better_question(group)
        # What only the context answers is not simulated.
        if not best.answers or not self._judge.accepts(best.answers, is_agreed=len(group) > 1):
            for entry in group:
                entry.verdict = "invalid"
            return
        spans = self._judge.merged_spans([entry.answers for entry in group])
        free = [span for span in spans if self._owner(span) is None]
        like = next((kept for kept in self._kept if kept.key == best.key), None)
        if free and like is None:
            best.verdict, best.answers = "keep", sorted(free)
            self._kept.append(best)
        elif free and like is not None:
            like.answers = sorted([*like.answers, *free])
        repeated = like or (best if free else self._owner(spans[0]))
        for entry in group:
            if entry.verdict != "keep":
                entry.verdict, entry.same_as = "redundant", repeated

    def _owner(self, span: Span) -> _Entry | None:
        """Return the kept question that has some of the words in an answer."""
        return next(
            (kept for kept in self._kept if any(_share(span, own) for own in kept.answers)), None
        )


def validate(sources: Sequence[Json], context: ItemContext, person: Person, seed: str) -> Json:
    """Return a validation of the sources' questions, in their order.

    Real validators see no answers, and find their own in the sentence. That reading is modelled by the
    answers of the question's author, whose borders the person may move. A person of skill 1 expects
    exact sources, and accepts every question.
    """
    judge = _Judge(context, person, seed)
    judged: list[dict[str, Any]] = []
    taken: list[Span] = []
    for question in (question for source in sources for question in source.get("questions", ())):
        spans = [(start, end) for start, end in question["answers"]]
        free = [span for span in spans if not any(_share(span, own) for own in taken)]
        if free and judge.accepts(free, is_agreed=False):
            taken += free
            answers = [list(span) for span in free]
            judged.append({"answers": answers, "verdict": "valid", "same_as": None})
        else:
            judged.append({"answers": [], "verdict": "invalid", "same_as": None})
    move_borders([entry["answers"] for entry in judged], context.tokens, person, judge.rng)
    return {"questions": judged}


class _Judge:
    """A person's view of questions and answers."""

    def __init__(self, context: ItemContext, person: Person, seed: str) -> None:
        self._tokens = context.tokens
        self._verb_idx = context.target["verb_idx"]
        self._target = context.target
        self._person = person
        self.rng = random.Random(seed)  # noqa: S311

    def accepts(self, answers: Sequence[Span], *, is_agreed: bool) -> bool:
        if self._person.is_exact():
            return True
        if is_agreed:
            return not self._person.errs(RATES.dropped_agreed, self.rng)
        if all(is_doubtful(self._tokens, self._verb_idx, span) for span in answers):
            return self._person.errs(RATES.kept_doubtful, self.rng)
        return not self._person.errs(RATES.dropped_plausible, self.rng)

    def better_question(self, group: Sequence[_Entry]) -> _Entry:
        """Return the question that fits the sentence better, the first of equal ones."""
        if len({entry.key for entry in group}) == 1:
            return group[0]
        if self._person.errs(RATES.chose_worse, self.rng):
            return self.rng.choice(group)
        return min(group, key=self._differences)

    def _differences(self, entry: _Entry) -> int:
        """Return the number of ways in which a question differs from the verb in its sentence."""
        reading = Rephraser(self._target).read(entry.question["question"])
        if reading is None:
            return 3
        cue = cue_of(self._tokens, self._verb_idx, question_spellings(self._target)[0])
        return (
            (cue.tense not in ("", "to", reading.tense))
            + (cue.is_passive != reading.slots.is_passive)
            + (cue.is_negated != reading.slots.is_negated)
        )

    def merged_spans(self, sources: Sequence[Sequence[Span]]) -> list[Span]:
        """Return the answers of all. Of those that share words, the better one."""
        merged: list[Span] = []
        for span in [span for spans in sources for span in spans]:
            rivals = [other for other in merged if _share(span, other)]
            if not rivals:
                merged.append(span)
            elif len(rivals) == 1 and self._is_better(span, rivals[0]):
                merged[merged.index(rivals[0])] = span
        return merged

    def _is_better(self, span: Span, other: Span) -> bool:
        if span == other:
            return False
        is_bad, is_other_bad = (is_cut(self._tokens, answer) for answer in (span, other))
        if is_bad == is_other_bad or self._person.errs(RATES.chose_worse, self.rng):
            return self.rng.random() < 0.5
        return is_other_bad


def _share(span: Span, other: Span) -> bool:
    return span[0] < other[1] and other[0] < span[1]
