"""Questions whose answers are spans of a text."""

import random
import unicodedata
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from metrics.spans import span_iou
from schemes.content_models import clean_text
from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json, Noun
from schemes.custom.alignment import Alignment, Pairs
from schemes.custom.definition import QuestionsField
from schemes.custom.error_rates import RATES
from schemes.custom.figures import f1_of
from schemes.custom.items import text_range
from schemes.custom.kinds.base import (
    Answers,
    FieldComparison,
    Parsing,
    Part,
    check_count,
    checked_list,
    checked_object,
    checked_span,
    overlaps,
    refuse,
)
from schemes.custom.kinds.parts import PartsKind
from schemes.custom.kinds.values import folded
from schemes.custom.shape import MAX_QUESTION_LENGTH
from schemes.figures import Figure
from schemes.simulated_person import Person

_MATCHED = Fraction(3, 10)
_INVENTED = "What is this?"


class QuestionsKind(PartsKind[QuestionsField]):
    """Questions, fixed or free, with answers in a text.

    Two questions match if their closest answers have an IoU of at least 0.3, as in unlabelled
    detection of QA-SRL (Klein et al. 2020). Fixed questions only match themselves. Questions without
    answers match if they are the same.
    """

    noun = Noun("question", "questions")
    threshold = _MATCHED

    def parse(self, value: object, path: str, parsing: Parsing) -> list[Json] | None:
        within = parsing.text_range(self.field.text)
        rows = [
            self._parsed(row, f"{path}.{at}", within)
            for at, row in enumerate(checked_list(value, path, self.field.max))
        ]
        seen: set[str] = set()
        for at, row in enumerate(rows):
            folded_question = folded(row["question"])
            if folded_question in seen:
                raise refuse(f"{path}.{at}.question", "is there twice.")
            seen.add(folded_question)
        if rows or self.field.required:
            check_count(len(rows), self.field, path, is_complete=parsing.is_complete)
        return self.sorted(rows) or None

    def sorted(self, parts: Sequence[Part]) -> list[Part]:
        order = {question: at for at, question in enumerate(self.field.questions)}
        return sorted(parts, key=lambda part: order.get(part["question"], 0))

    def _parsed(self, row: object, path: str, within: tuple[int, int]) -> Json:
        given = checked_object(row, path, ("question", "answers"))
        question = self._question(given.get("question"), f"{path}.question")
        answers = self._answers(given.get("answers", []), f"{path}.answers", within)
        return {"question": question, "answers": answers}

    def _question(self, value: object, path: str) -> str:
        if not isinstance(value, str):
            raise refuse(path, "must be a text.")
        if len(value) > 4 * MAX_QUESTION_LENGTH:
            raise refuse(
                path, "is longer than %(max_length)s characters.", max_length=MAX_QUESTION_LENGTH
            )
        question = unicodedata.normalize("NFC", clean_text(value, path))
        if len(question) > MAX_QUESTION_LENGTH:
            raise refuse(
                path, "is longer than %(max_length)s characters.", max_length=MAX_QUESTION_LENGTH
            )
        if not question:
            raise refuse(path, "is empty.")
        if self.field.questions and question not in self.field.questions:
            raise refuse(path, "is not one of the questions.")
        return question

    def _answers(self, value: object, path: str, within: tuple[int, int]) -> list[list[int]]:
        spans = []
        for at, row in enumerate(checked_list(value, path, self.field.max_answers)):
            if not isinstance(row, list | tuple) or len(row) != 2:
                raise refuse(f"{path}.{at}", "must be [start, end].")
            spans.append(checked_span(row[0], row[1], f"{path}.{at}", within))
        spans.sort()
        for at in overlaps(spans):
            raise refuse(
                path,
                "%(start)s:%(end)s overlaps another answer.",
                start=spans[at][0],
                end=spans[at][1],
            )
        if len(spans) < self.field.min_answers and not (self.field.allow_none and not spans):
            raise refuse(path, "needs at least %(min_length)s.", min_length=self.field.min_answers)
        return [list(span) for span in spans]

    def identity(self, part: Part) -> Json:
        return {"question": part["question"]}

    def closeness(self, ours: Part, theirs: Part) -> Fraction:
        is_same = ours["question"] == theirs["question"]
        if self.field.questions and not is_same:
            return Fraction(0)
        if not ours["answers"] and not theirs["answers"]:
            return Fraction(int(folded(ours["question"]) == folded(theirs["question"])))
        return max(
            (
                _iou(first, second)
                for first in ours["answers"]
                for second in theirs["answers"]
                if first[0] < second[1] and second[0] < first[1]
            ),
            default=Fraction(0),
        )

    def is_related(self, first: Part, second: Part) -> bool:
        is_same = folded(first["question"]) == folded(second["question"])
        return is_same or super().is_related(first, second)

    def same_label(self, ours: Part, theirs: Part) -> bool:
        return True

    def side_text(self, part: Part, context: ItemContext) -> tuple[list[str], str]:
        return [part["question"]], " / ".join(self._answer_texts(part, context))

    @staticmethod
    def _answer_texts(part: Part, context: ItemContext) -> list[str]:
        texts = [context.span_text(start, end) for start, end in part["answers"]]
        return texts or ["no answer"]

    def shown(self, part: Part, context: ItemContext) -> ShownUnit:
        spans = [(start, end) for start, end in part["answers"]]
        values = [part["question"], *self._answer_texts(part, context)]
        return ShownUnit(self.field.label, values, spans)

    def names(self, part: Part) -> list[str]:
        return [part["question"]]

    @cached_property
    def figures(self) -> Sequence[Figure]:
        explanation = (
            "Questions matched one to one by answers that overlap with an IoU of at least 0.3."
        )
        return (f1_of(self.field, "f1", "F1", explanation),)

    def part_measures(self, alignment: Alignment) -> tuple[dict[str, Json], Pairs]:
        pairs = alignment.matched(_MATCHED, labelled=False, prefers_labels=True)
        return {f"{self.key}_f1": alignment.counts(pairs)}, pairs

    def alignment(
        self,
        ours: Sequence[Part],
        theirs: Sequence[Part],
        reference: Answers,
        predicted: Answers,
        compared: Mapping[str, FieldComparison],
    ) -> Alignment:
        alignment = super().alignment(ours, theirs, reference, predicted, compared)
        # Of questions with equally close answers, those with the same words match.
        alignment.same_label = lambda here, there: (
            folded(ours[here]["question"]) == folded(theirs[there]["question"])
        )
        return alignment

    def kept_pairs(self, alignment: Alignment) -> Pairs:
        return alignment.matched(_MATCHED, labelled=False, prefers_labels=True)

    # Simulation

    def fits(self, part: Part, others: Sequence[Part], answers: Answers) -> bool:
        questions = {folded(other["question"]) for other in others}
        return folded(part["question"]) not in questions

    def changed(self, part: Part, context: ItemContext, person: Person, rng: random.Random) -> Part:
        low, high = text_range(self.definition, self.field.text, context)
        answers: list[list[int]] = []
        for start, end in part["answers"]:
            moved = (start, end)
            if person.errs(RATES.other_extent, rng):
                after = answers[-1][1] if answers else low
                moves = [(start + 1, end), (start, end - 1), (start - 1, end)]
                fitting = [move for move in moves if after <= move[0] < move[1] <= high]
                moved = rng.choice(fitting or [moved])
            answers.append(list(moved))
        return {"question": part["question"], "answers": answers}

    def invented_part(self, answers: Answers, context: ItemContext, rng: random.Random) -> Part:
        low, high = text_range(self.definition, self.field.text, context)
        if high - low < self.field.min_answers:
            return None
        used = {part["question"] for part in self.parts(answers)}
        questions = self.field.questions or (_INVENTED,)
        unused = [question for question in questions if question not in used]
        if not unused:
            return None
        start = rng.randrange(low, high - self.field.min_answers + 1)
        return self._made_up(rng.choice(unused), start)

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        low, high = text_range(self.definition, self.field.text, context)
        if high - low < self.field.min_answers:
            return None
        number = max(1, self.field.min)
        questions = self.field.questions or tuple(
            _INVENTED if at == 1 else f"{_INVENTED} ({at})" for at in range(1, number + 1)
        )
        return [self._made_up(question, low) for question in questions[:number]]

    def _made_up(self, question: str, start: int) -> Json:
        spans = [[start + at, start + at + 1] for at in range(self.field.min_answers)]
        return {"question": question, "answers": spans}


def _iou(first: Sequence[int], second: Sequence[int]) -> Fraction:
    return span_iou((first[0], first[1]), (second[0], second[1]))
