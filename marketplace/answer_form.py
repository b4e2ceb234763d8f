"""The form of a QuestionForm document, which workers fill in on the marketplace's own pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from marketplace.domain.questions.form_answers import (
    Answer,
    Answers,
    check_answers,
    clean_text,
    describe_count,
    describe_length,
    describe_number,
)
from marketplace.domain.questions.question_form import (
    MAX_TEXT_LENGTH,
    Content,
    FormQuestion,
    FreeTextAnswer,
    QuestionForm,
    SelectionAnswer,
)

#: Styles that are rendered as a drop-down list if every selection is a text.
DROPDOWN_STYLES = {"dropdown", "combobox", "list"}


@dataclass(frozen=True, slots=True)
class Part:
    """An overview, or a question with its field and with the text field of OtherSelection."""

    content: tuple[Content, ...]
    question: FormQuestion | None = None
    field: forms.BoundField | None = None
    other: forms.BoundField | None = None
    is_group: bool = False
    is_radio: bool = False

    @property
    def title_level(self) -> int:
        """Return the level of the headings of titles, below the question's name."""
        return 3 if self.question and self.question.name else 2

    @property
    def described_by(self) -> str:
        """Return the ids of the hint and of the errors, for a group of radio buttons or checkboxes."""
        return (self.field.aria_describedby or "") if self.field else ""


class AnswerForm(forms.Form):
    """A form with a field for each question. `answers` holds the answers of a valid form."""

    def __init__(
        self,
        question_form: QuestionForm,
        data: QueryDict | None = None,
        *,
        is_preview: bool = False,
    ) -> None:
        super().__init__(data)
        self.question_form = question_form
        self.answers: Answers = {}
        self._names: dict[str, str] = {}
        for number, question in enumerate(question_form.questions, start=1):
            name = f"question_{number}"
            self._names[question.identifier] = name
            self.fields[name] = _field(question, name)
            if isinstance(question.answer, SelectionAnswer) and question.answer.other:
                self.fields[_other(name)] = _text_field(question.answer.other)
        for field in self.fields.values():
            field.disabled = is_preview

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        self.answers = {
            question.identifier: self._answer(question, cleaned)
            for question in self.question_form.questions
        }
        for problem in check_answers(self.question_form, self.answers):
            name = self._names[problem.identifier]
            self._add_problem(_other(name) if problem.is_other else name, problem.message)
        return cleaned

    def _add_problem(self, name: str, message: str) -> None:
        self.add_error(name, message)
        field = self[name]
        if message.startswith(str(field.help_text)):
            field.help_text = ""  # the error repeats the hint

    def parts(self) -> Iterator[Part]:
        for part in self.question_form.parts:
            if not isinstance(part, FormQuestion):
                yield Part(part.content)
                continue
            name = self._names[part.identifier]
            field = self[name]
            yield Part(
                part.content,
                question=part,
                field=field,
                other=self[_other(name)] if _other(name) in self.fields else None,
                is_group=field.use_fieldset,
                is_radio=field.widget_type == "radioselect",
            )

    def problems(self) -> list[tuple[str, str, str]]:
        """Return the id of the first control, the question's name and the message of each error."""
        return [
            (_first_control(self[name]), self._label(name), str(message))
            for name, messages in self.errors.items()
            for message in messages
        ]

    def _label(self, name: str) -> str:
        number = int(name.split("_")[1])
        return self.question_form.questions[number - 1].name or gettext("Question %(number)s") % {
            "number": number
        }

    def _answer(self, question: FormQuestion, cleaned: dict[str, Any]) -> Answer:
        name, field = self._names[question.identifier], question.answer
        value = cleaned.get(name) or ""
        if isinstance(field, FreeTextAnswer):
            return Answer(text=clean_text(value, field))
        chosen = value if isinstance(value, list) else [value] if value else []
        indices = sorted({int(index) for index in chosen})
        selections = tuple(field.selections[index].identifier for index in indices)
        other = clean_text(cleaned.get(_other(name)) or "", field.other) if field.other else ""
        return Answer(selections=selections, other=other if other.strip() else "")


def _other(name: str) -> str:
    return f"{name}_other"


def _first_control(field: forms.BoundField) -> str:
    return f"{field.auto_id}_0" if field.use_fieldset else str(field.auto_id)


def _field(question: FormQuestion, name: str) -> forms.Field:
    attributes = {"aria-labelledby": f"{name}_label"}
    if question.is_required:
        attributes["aria-required"] = "true"
    if isinstance(question.answer, FreeTextAnswer):
        return _text_field(question.answer, attributes)
    return _selection_field(question.answer, question.is_required, attributes)


def _text_field(
    answer: FreeTextAnswer, attributes: dict[str, str] | None = None
) -> forms.CharField:
    attributes = attributes or {}
    if answer.is_numeric:
        attributes["inputmode"] = "decimal"
    widget = (
        forms.Textarea({"rows": answer.lines} | attributes)
        if answer.lines > 1
        else forms.TextInput(attributes)
    )
    return forms.CharField(
        label=gettext("Other"),
        required=False,
        strip=False,
        max_length=None,
        widget=widget,
        initial=answer.default,
        help_text=" ".join(_text_hints(answer)),
    )


def _text_hints(answer: FreeTextAnswer) -> Iterator[str]:
    if answer.is_numeric:
        yield describe_number(answer)
    if answer.min_length or answer.max_length < MAX_TEXT_LENGTH:
        yield describe_length(answer)


def _selection_field(
    answer: SelectionAnswer, is_required: bool, attributes: dict[str, str]
) -> forms.Field:
    choices = [
        (str(index), _choice_label(selection.content))
        for index, selection in enumerate(answer.selections)
    ]
    if answer.max_count > 1:
        return forms.MultipleChoiceField(
            required=False,
            choices=choices,
            widget=forms.CheckboxSelectMultiple,
            help_text=describe_count(answer, is_required=is_required),
        )
    is_text = all(selection.content.kind == "text" for selection in answer.selections)
    if is_text and answer.style in DROPDOWN_STYLES:
        choices = [
            ("", gettext("Choose an answer") if is_required else gettext("No answer")),
            *choices,
        ]
        return forms.ChoiceField(required=False, choices=choices, widget=forms.Select(attributes))
    if not is_required:
        choices = [*choices, ("", gettext("No answer"))]
    return forms.ChoiceField(required=False, choices=choices, widget=forms.RadioSelect)


def _choice_label(content: Content) -> str | SafeString:
    if content.kind == "image":
        return format_html(
            '<img src="{}" alt="{}" referrerpolicy="no-referrer">', content.url, content.text
        )
    return content.html if content.kind == "formatted" else content.text
