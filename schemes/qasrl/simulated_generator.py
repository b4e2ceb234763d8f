"""A simulated generator: the reference of an item with the errors of a person.

Which roles are hard to see and which phrases tempt people depends on the sentence alone, so that
different people overlook and invent the same parts more often than by chance.
"""

import random
from collections.abc import Sequence
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.values import Json, Tokens
from schemes.qasrl.context_answers import is_outside
from schemes.qasrl.error_rates import RATES
from schemes.qasrl.phrases import Span, phrases_of
from schemes.qasrl.prepositions import PREPOSITIONS
from schemes.qasrl.rephrasing import Rephraser
from schemes.simulated_person import Person

NOTHING: Json = {
    "questions": [],
    "no_question": "The sentence doesn't answer any question about this verb.",
}
_ADVERBS = ("when", "where", "how", "why", "how long")
_FARTHEST_MOVE = 4


def generate(reference: Json, context: ItemContext, person: Person, seed: str) -> Json:
    """Return the reference with a person's errors, none at skill 1.

    People miss questions and answers, ask about phrases that are no arguments, move the borders of
    answers and rephrase questions. All questions fit the template.
    """
    if reference.get("is_verbal") is False:
        return {"questions": [], "no_question": "", "is_verbal": False}
    inside = [question for question in reference["questions"] if not is_outside(question)]
    questions = [question_of(question) for question in inside]
    if not person.is_exact():
        questions = _Generator(context, person, seed).annotate(questions)
    return generation_of(questions)


def generation_of(questions: list[dict[str, Any]]) -> Json:
    return {"questions": questions, "no_question": ""} if questions else dict(NOTHING)


def question_of(question: Json) -> dict[str, Any]:
    """Return the question with its answers, without slots."""
    return {
        "question": question["question"],
        "answers": [list(span) for span in question["answers"]],
    }


def question_key(question: Json) -> str:
    return " ".join(str(question["question"]).casefold().split())


class _Generator:
    def __init__(self, context: ItemContext, person: Person, seed: str) -> None:
        self._tokens: Tokens = context.tokens
        self._verb_idx: int = context.target["verb_idx"]
        self._person = person
        self._rng = random.Random(seed)  # noqa: S311
        # The same for all people, who read the same sentence.
        self._sentence = f"{self._verb_idx}:{' '.join(self._tokens)}"
        self._rephraser = Rephraser(context.target)

    def annotate(self, expected: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        questions = [self._seen(question) for question in expected if not self._misses(question)]
        questions += self._invented(expected)
        answers = [question["answers"] for question in questions]
        move_borders(answers, self._tokens, self._person, self._rng)
        for question in questions:
            if self._person.errs(RATES.rephrased, self._rng):
                question["question"] = self._rephraser.rephrased(question["question"], self._rng)
        return _distinct(questions)

    def _misses(self, question: Json) -> bool:
        common = random.Random(f"{self._sentence}:{question['question']}")  # noqa: S311
        is_hard = common.random() < RATES.hard_role
        rate = RATES.missed_hard_role if is_hard else RATES.missed_part
        return self._person.misses(rate, self._rng)

    def _seen(self, question: Json) -> dict[str, Any]:
        """Return a question with the answers that the person sees, at least one."""
        first, *others = question["answers"]
        seen = [span for span in others if not self._person.misses(RATES.missed_part, self._rng)]
        return {"question": question["question"], "answers": [first, *seen]}

    def _invented(self, expected: Sequence[Json]) -> list[dict[str, Any]]:
        """Return questions about phrases that are no arguments of the verb."""
        taken = {at for question in expected for span in question["answers"] for at in range(*span)}
        free = [
            span
            for span in phrases_of(self._tokens, self._verb_idx)
            if taken.isdisjoint(range(*span))
        ]
        if not free:
            return []
        random.Random(self._sentence).shuffle(free)  # noqa: S311
        tempting, *others = free
        chosen = []
        if self._person.invents(RATES.asked_tempting, self._rng):
            chosen.append(tempting)
        if others and self._person.invents(RATES.asked_other, self._rng):
            chosen.append(self._rng.choice(others))
        invented = [self._question_about(span, expected) for span in chosen]
        return [question for question in invented if question]

    def _question_about(self, span: Span, asked: Sequence[Json]) -> dict[str, Any] | None:
        """Return a question about the phrase, in the words of another question about the verb."""
        start, end = span
        first = self._tokens[start].lower()
        if first in PREPOSITIONS and end - start > 1 and self._rng.random() < 0.5:
            texts = [self._rephraser.with_preposition(other["question"], first) for other in asked]
            start += 1
        else:
            adverb = self._rng.choice(_ADVERBS)
            texts = [self._rephraser.adverbial(other["question"], adverb) for other in asked]
        text = next(filter(None, texts), None)
        return {"question": text, "answers": [[start, end]]} if text else None


def move_borders(
    answers: Sequence[list[list[int]]], tokens: Tokens, person: Person, rng: random.Random
) -> None:
    """Move borders of the answers to each question by some tokens, without overlaps."""
    taken = {at for spans in answers for span in spans for at in range(*span)}
    for span in [span for spans in answers for span in spans]:
        if person.errs(RATES.moved_border, rng):
            taken.difference_update(range(*span))
            span[:] = _moved(span, len(tokens), taken, rng)
            taken.update(range(*span))


def _moved(span: Sequence[int], length: int, taken: set[int], rng: random.Random) -> Span:
    start, end = span
    tokens, at_start = rng.randint(1, _FARTHEST_MOVE), rng.random() < 0.5
    if rng.random() < 0.5:
        tokens = min(tokens, end - start - 1)
        return (start + tokens, end) if at_start else (start, end - tokens)
    for _ in range(tokens):
        if at_start and start > 0 and start - 1 not in taken:
            start -= 1
        elif not at_start and end < length and end not in taken:
            end += 1
    return start, end


def _distinct(questions: Sequence[Json]) -> list[dict[str, Any]]:
    """Merge questions with the same text, with all their answers."""
    merged: dict[str, dict[str, Any]] = {}
    for question in questions:
        same = merged.setdefault(
            question_key(question), {"question": question["question"], "answers": []}
        )
        same["answers"] += question["answers"]
    return list(merged.values())
