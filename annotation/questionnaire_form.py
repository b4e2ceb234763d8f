"""The forms of the page about a project's consent text and questionnaire."""

from collections.abc import Sequence
from typing import Any

from django import forms

from annotation.domain.work.onboarding.questionnaire import (
    LABEL_LIMIT,
    MAX_FIELDS,
    NUMBER_LIMIT,
    QuestionnaireField,
)
from annotation.enums import FieldKind
from web.fields import CountField, sentence_case

PREFIX = "fields"


class ConsentTextForm(forms.Form):
    text = forms.CharField(
        max_length=100_000,
        required=False,
        strip=False,
        label="Consent text, in Markdown",
        help_text=(
            "Who you are, what the data is for, how it is stored and published, and whom to write "
            "to. Leave empty to ask for no consent."
        ),
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "true"}),
    )
    asks_again = forms.BooleanField(
        required=False,
        initial=True,
        label="Ask workers who accepted an earlier version again",
        help_text="Uncheck this only for corrections that don’t change what workers agree to.",
    )

    def clean_text(self) -> str:
        # Browsers send CR LF, which must not make an unchanged text a new version.
        text: str = self.cleaned_data["text"].replace("\r\n", "\n").strip()
        return text + "\n" if text else ""


class FieldForm(forms.Form):
    """A field of the questionnaire in its editor."""

    key = forms.CharField(max_length=20, required=False, widget=forms.HiddenInput)
    label = forms.CharField(max_length=LABEL_LIMIT, label="Wording")
    kind = forms.ChoiceField(label="Answer", choices=sentence_case(FieldKind.choices))
    options = forms.CharField(
        max_length=10_000,
        required=False,
        label="Options",
        help_text="For a single choice, one per line.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    lowest = CountField(
        required=False, label="Lowest number", min_value=-NUMBER_LIMIT, max_value=NUMBER_LIMIT
    )
    highest = CountField(
        required=False, label="Highest number", min_value=-NUMBER_LIMIT, max_value=NUMBER_LIMIT
    )
    is_required = forms.BooleanField(required=False, label="Required")

    def clean_options(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["options"].splitlines())
        options = list(dict.fromkeys(line for line in lines if line))
        if any(len(option) > LABEL_LIMIT for option in options):
            raise forms.ValidationError(f"An option can have at most {LABEL_LIMIT} characters.")
        return options

    def field(self) -> QuestionnaireField:
        """Return the field. What does not belong to its kind is left out."""
        data = self.cleaned_data
        is_choice, is_number = data["kind"] == FieldKind.CHOICE, data["kind"] == FieldKind.NUMBER
        return QuestionnaireField(
            key=data["key"],
            label=data["label"],
            kind=data["kind"],
            is_required=data["is_required"],
            options=tuple(data["options"]) if is_choice else (),
            lowest=data["lowest"] if is_number else None,
            highest=data["highest"] if is_number else None,
        )


QuestionnaireFormSet = forms.formset_factory(
    FieldForm, extra=0, max_num=MAX_FIELDS, validate_max=True
)


def rows_of(fields: Sequence[QuestionnaireField]) -> list[dict[str, Any]]:
    """Return the values with which the editor shows the fields."""
    return [
        {**field.model_dump(exclude={"options"}), "options": "\n".join(field.options)}
        for field in fields
    ]


def posted_rows(formset: Any) -> list[dict[str, Any]]:
    """Return the values that were posted, valid or not."""
    return [{bound.name: bound.value() for bound in form} for form in formset]


def changed_rows(rows: Sequence[dict[str, Any]], change: str) -> tuple[list[dict[str, Any]], int]:
    """Return the rows after a change such as "add" or "up-2", and the index of the changed row."""
    changed = list(rows)
    name, _, number = change.partition("-")
    index = int(number) if number.isdecimal() else -1
    if name == "add" and len(changed) < MAX_FIELDS:
        changed.append({"kind": FieldKind.TEXT, "is_required": True})
        return changed, len(changed) - 1
    if not 0 <= index < len(changed):
        return changed, -1
    row = changed.pop(index)
    if name == "remove":
        return changed, min(index, len(changed) - 1)
    index = max(0, index - 1) if name == "up" else min(len(changed), index + 1)
    changed.insert(index, row)
    return changed, index
