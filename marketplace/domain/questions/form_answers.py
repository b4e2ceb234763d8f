"""Workers' answers to a QuestionForm: their checks, and the QuestionFormAnswers document."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext, ngettext

from marketplace.domain.answer_document import answers_document, xml_text
from marketplace.domain.questions.question_form import (
    FormQuestion,
    FreeTextAnswer,
    QuestionForm,
    SelectionAnswer,
)

NUMBER = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: a text, or the identifiers of selections with the text of OtherSelection."""

    text: str = ""
    selections: tuple[str, ...] = ()
    other: str = ""


#: Answers by QuestionIdentifier.
Answers = Mapping[str, Answer]


@dataclass(frozen=True, slots=True)
class Problem:
    identifier: str
    message: str
    #: The problem is in the text field of OtherSelection.
    is_other: bool = False


def clean_text(text: str, answer: FreeTextAnswer) -> str:
    """Return the text as it is stored: with \\n for line breaks, and numbers without space."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.strip() if answer.is_numeric else text


def check_answers(form: QuestionForm, answers: Answers) -> list[Problem]:
    """Return the problems of answers that don't meet the form's constraints."""
    problems = []
    for question in form.questions:
        answer = answers.get(question.identifier, Answer())
        for field, text, is_other in _texts(question, answer):
            texts = _text_problems(field, text, question.is_required and not is_other)
            problems += [Problem(question.identifier, problem, is_other) for problem in texts]
        if isinstance(question.answer, SelectionAnswer) and (
            message := _count_problem(question, question.answer, answer)
        ):
            problems.append(Problem(question.identifier, message))
    return problems


def form_answers_document(form: QuestionForm, answers: Answers) -> str:
    """Return a QuestionFormAnswers document with an Answer for each question."""
    return answers_document(
        (
            xml_text(question.identifier),
            _answer_elements(question, answers.get(question.identifier, Answer())),
        )
        for question in form.questions
    )


def _texts(question: FormQuestion, answer: Answer) -> Sequence[tuple[FreeTextAnswer, str, bool]]:
    """Return the text fields with their texts, without an empty OtherSelection."""
    if isinstance(question.answer, FreeTextAnswer):
        return [(question.answer, answer.text, False)]
    if question.answer.other is not None and answer.other:
        return [(question.answer.other, answer.other, True)]
    return []


def _text_problems(field: FreeTextAnswer, text: str, is_required: bool) -> list[str]:
    """Return the first violated constraint, or else the errors of the formats that don't match."""
    # MTurk treats a minimum length like IsRequired.
    if not text.strip() and (is_required or (field.min_length and not text)):
        return [gettext("Enter an answer.")]
    if not field.min_length <= len(text) <= field.max_length:
        return [
            gettext("%(instruction)s The answer has %(count)s.")
            % {"instruction": describe_length(field), "count": f"{len(text):,}"}
        ]
    if field.is_numeric and text and not _is_number(field, text):
        return [describe_number(field)]
    return [expected.problem for expected in field.formats if not expected.matches(text)]


def _is_number(field: FreeTextAnswer, text: str) -> bool:
    if not NUMBER.fullmatch(text):
        return False
    value = Decimal(text)
    return (field.min_value is None or value >= field.min_value) and (
        field.max_value is None or value <= field.max_value
    )


def describe_length(field: FreeTextAnswer) -> str:
    """Return an instruction such as "Enter 2 to 5 characters."."""
    low, high = field.min_length, field.max_length
    numbers = {"low": f"{low:,}", "high": f"{high:,}"}
    if low == high:
        return (
            ngettext(
                "Enter exactly %(high)s character.", "Enter exactly %(high)s characters.", high
            )
            % numbers
        )
    if not low:
        return (
            ngettext(
                "Enter at most %(high)s character.", "Enter at most %(high)s characters.", high
            )
            % numbers
        )
    return (
        ngettext(
            "Enter %(low)s to %(high)s character.", "Enter %(low)s to %(high)s characters.", high
        )
        % numbers
    )


def describe_number(field: FreeTextAnswer) -> str:
    """Return an instruction such as "Enter a number from 1 to 10."."""
    low, high = field.min_value, field.max_value
    if low is not None and high is not None:
        return gettext("Enter a number from %(low)s to %(high)s.") % {
            "low": f"{low:,}",
            "high": f"{high:,}",
        }
    if low is not None:
        return gettext("Enter a number of at least %(low)s.") % {"low": f"{low:,}"}
    return (
        gettext("Enter a number.")
        if high is None
        else gettext("Enter a number of at most %(high)s.") % {"high": f"{high:,}"}
    )


def describe_count(answer: SelectionAnswer, *, is_required: bool) -> str:
    """Return an instruction such as "Choose 2 to 3 answers."."""
    low = max(answer.min_count, 1) if is_required else answer.min_count
    high = answer.max_count
    if high == 1:
        return gettext("Choose an answer.")
    numbers = {"low": low, "high": high}
    if low == high:
        return ngettext("Choose %(high)s answer.", "Choose %(high)s answers.", high) % numbers
    if low <= 1 and high == len(answer.selections):
        return gettext("Choose one or more answers.")
    if low <= 1:
        return (
            ngettext("Choose at most %(high)s answer.", "Choose at most %(high)s answers.", high)
            % numbers
        )
    return (
        ngettext("Choose %(low)s to %(high)s answer.", "Choose %(low)s to %(high)s answers.", high)
        % numbers
    )


def _count_problem(question: FormQuestion, field: SelectionAnswer, answer: Answer) -> str:
    """Return the problem of a number of selections. A text of OtherSelection counts as one."""
    chosen = len(answer.selections)
    count = chosen + bool(answer.other)
    if not count and not question.is_required:
        return ""
    low = max(field.min_count, 1) if question.is_required else field.min_count
    if count < low or chosen > field.max_count:
        return describe_count(field, is_required=question.is_required)
    return ""


def _answer_elements(question: FormQuestion, answer: Answer) -> str:
    if isinstance(question.answer, FreeTextAnswer):
        return f"<FreeText>{xml_text(answer.text)}</FreeText>"
    elements = "".join(
        f"<SelectionIdentifier>{xml_text(identifier)}</SelectionIdentifier>"
        for identifier in answer.selections
    )
    if answer.other:
        elements += f"<OtherSelectionText>{xml_text(answer.other)}</OtherSelectionText>"
    return elements
