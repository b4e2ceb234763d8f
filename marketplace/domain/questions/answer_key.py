"""AnswerKey documents, which score the answers to a qualification test."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from xml.etree.ElementTree import Element

from marketplace.domain.questions.form_answers import Answer, Answers
from marketplace.domain.questions.question_form import FormQuestion, QuestionForm, SelectionAnswer
from marketplace.domain.xml_document import (
    Members,
    SchemaError,
    members_of,
    only_child,
    parse_document,
    read_identifier,
    read_integer,
    strip_namespace,
    text_of,
)

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/AnswerKey.xsd"
)
MAX_SCORE = 1_000_000
#: The largest absolute value of a qualification.
MAX_VALUE = 2**31 - 1
DECIMAL = re.compile(r"[+-]?([0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class KeyQuestion:
    """The scores of a question's answers, by the set of selections that must be chosen exactly."""

    scores: Mapping[frozenset[str], int]
    default_score: int

    def score(self, answer: Answer) -> int:
        return self.scores.get(frozenset(answer.selections), self.default_score)


@dataclass(frozen=True, slots=True)
class AnswerKey:
    #: By QuestionIdentifier.
    questions: Mapping[str, KeyQuestion]
    #: The mapping of the sum of the scores to the value of the qualification.
    to_value: Callable[[int], Decimal]

    def value(self, answers: Answers) -> int:
        """Return the value of the qualification for these answers, rounded to an integer."""
        total = sum(
            question.score(answers.get(identifier, Answer()))
            for identifier, question in self.questions.items()
        )
        value = int(self.to_value(total).quantize(Decimal(1), ROUND_HALF_UP))
        return max(-MAX_VALUE, min(MAX_VALUE, value))


def parse_answer_key(xml: str, *, test: QuestionForm) -> AnswerKey:
    """Parse the key to a test. Raise RefusalError if it is invalid or doesn't match the test."""
    root = parse_document(xml, name="AnswerKey")
    if root.tag != f"{{{NAMESPACE}}}AnswerKey":
        raise SchemaError(f"AnswerKey must be an AnswerKey in the namespace {NAMESPACE}.")
    strip_namespace(root, NAMESPACE)
    members = members_of(root, repeated=("Question",), optional=("QualificationValueMapping",))
    if not members.all("Question"):
        raise SchemaError("AnswerKey must contain Question.")
    _check_selections_only(test)
    by_identifier = {question.identifier: question for question in test.questions}
    questions: dict[str, KeyQuestion] = {}
    for element in members.all("Question"):
        identifier, question = _question(element, by_identifier)
        if identifier in questions:
            raise SchemaError("Each QuestionIdentifier must be unique.")
        questions[identifier] = question
    mapping = members.first("QualificationValueMapping")
    return AnswerKey(questions, Decimal if mapping is None else _mapping(mapping))


def _check_selections_only(test: QuestionForm) -> None:
    for question in test.questions:
        if not isinstance(question.answer, SelectionAnswer) or question.answer.other is not None:
            raise SchemaError(
                f"An AnswerKey can score selections only. The question {question.identifier} has a "
                "text field."
            )


def _question(
    element: Element, by_identifier: Mapping[str, FormQuestion]
) -> tuple[str, KeyQuestion]:
    members = members_of(
        element,
        required=("QuestionIdentifier", "AnswerOption"),
        optional=("DefaultScore",),
        repeated=("AnswerOption",),
    )
    identifier = read_identifier(members, "QuestionIdentifier")
    if identifier not in by_identifier:
        raise SchemaError(f"The Test has no question {identifier}.")
    answer = by_identifier[identifier].answer
    assert isinstance(answer, SelectionAnswer)
    known = {selection.identifier for selection in answer.selections}
    scores: dict[frozenset[str], int] = {}
    for option in members.all("AnswerOption"):
        selections, score = _option(option)
        if unknown := sorted(selections - known):
            raise SchemaError(f"The question {identifier} has no selection {unknown[0]}.")
        if selections in scores:
            raise SchemaError(f"Two AnswerOptions of {identifier} have the same selections.")
        scores[selections] = score
    return identifier, KeyQuestion(scores, _score(members, "DefaultScore"))


def _option(element: Element) -> tuple[frozenset[str], int]:
    members = members_of(
        element,
        required=("SelectionIdentifier", "AnswerScore"),
        repeated=("SelectionIdentifier",),
    )
    selections = frozenset(
        text_of(selection).strip() for selection in members.all("SelectionIdentifier")
    )
    return selections, _score(members, "AnswerScore")


def _score(members: Members, tag: str) -> int:
    return members.integer(tag, 0, low=-MAX_SCORE, high=MAX_SCORE)


def _mapping(element: Element) -> Callable[[int], Decimal]:
    mapping = only_child(element, ("PercentageMapping", "ScaleMapping", "RangeMapping"))
    return _MAPPINGS[mapping.tag](mapping)


def _percentage(element: Element) -> Callable[[int], Decimal]:
    members = members_of(element, required=("MaximumSummedScore",))
    most = members.integer("MaximumSummedScore", 0, low=1, high=MAX_VALUE)
    return lambda total: Decimal(100 * total) / most


def _scale(element: Element) -> Callable[[int], Decimal]:
    text = members_of(element, required=("SummedScoreMultiplier",)).text("SummedScoreMultiplier")
    if not DECIMAL.fullmatch(text):
        raise SchemaError("SummedScoreMultiplier must be a decimal number.")
    multiplier = Decimal(text)
    return lambda total: total * multiplier


def _ranges(element: Element) -> Callable[[int], Decimal]:
    members = members_of(
        element,
        required=("SummedScoreRange", "OutOfRangeQualificationValue"),
        repeated=("SummedScoreRange",),
    )
    ranges = sorted(_range(child) for child in members.all("SummedScoreRange"))
    for (_, end, _), (start, _, _) in pairwise(ranges):
        if start <= end:
            raise SchemaError("The ranges of SummedScoreRange must not overlap.")
    otherwise = _value(members, "OutOfRangeQualificationValue")

    def to_value(total: int) -> Decimal:
        values = (value for low, high, value in ranges if low <= total <= high)
        return Decimal(next(values, otherwise))

    return to_value


def _range(element: Element) -> tuple[int, int, int]:
    members = members_of(
        element, required=("InclusiveLowerBound", "InclusiveUpperBound", "QualificationValue")
    )
    low, high, value = (
        _value(members, tag)
        for tag in ("InclusiveLowerBound", "InclusiveUpperBound", "QualificationValue")
    )
    if low > high:
        raise SchemaError("InclusiveLowerBound must not be greater than InclusiveUpperBound.")
    return low, high, value


def _value(members: Members, tag: str) -> int:
    return read_integer(members.text(tag), name=tag, low=-MAX_VALUE, high=MAX_VALUE)


_MAPPINGS: dict[str, Callable[[Element], Callable[[int], Decimal]]] = {
    "PercentageMapping": _percentage,
    "ScaleMapping": _scale,
    "RangeMapping": _ranges,
}
