"""What the trainer's pages send."""

from typing import Any

from django import forms

from qualification.domain.decide import Verdict
from qualification.domain.set_up_rounds import PRESETS
from qualification.enums import EnrolmentState

VERDICTS = [
    (Verdict.PASS, "Pass"),
    (Verdict.REPEAT, "Repeat the round"),
    (Verdict.DECLINE, "Decline"),
    (Verdict.WITHDRAW, "Withdrawn by the worker"),
]
MOST_WORKERS = 1000


class SetUpForm(forms.Form):
    preset = forms.ChoiceField(choices=[(one, one) for one in PRESETS])
    file = forms.FileField(
        label="Items of each round",
        help_text="A CSV file with the columns qasrl_id, verb_idx and round (0 is the screening).",
    )


class InviteForm(forms.Form):
    workers = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        label="Workers to invite",
        help_text="Their ids at the marketplace, with blanks or on lines of their own.",
    )

    def clean_workers(self) -> list[str]:
        ids: list[str] = self.cleaned_data["workers"].replace(",", " ").split()
        if len(ids) > MOST_WORKERS or any(len(one) > 64 or not one.isalnum() for one in ids):
            raise forms.ValidationError(
                f"Up to {MOST_WORKERS} ids of letters and figures, of at most 64 each."
            )
        return sorted(set(ids))


class SeatsForm(forms.Form):
    seats = forms.IntegerField(min_value=1, max_value=MOST_WORKERS)


class DecideForm(forms.Form):
    verdict = forms.ChoiceField(choices=VERDICTS)
    reason = forms.CharField(
        required=False,
        max_length=1000,
        help_text="For the log; the worker does not read it.",
    )
    enrolment = forms.MultipleChoiceField()

    def __init__(self, data: Any, *, choices: list[int]) -> None:
        super().__init__(data)
        field = self.fields["enrolment"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(str(one), str(one)) for one in choices]
        field.error_messages["required"] = "Choose at least one worker."


class DeskFilterForm(forms.Form):
    state = forms.ChoiceField(
        required=False, choices=[("", "any state"), *EnrolmentState.choices], label="State"
    )
    text = forms.CharField(required=False, max_length=20, label="Worker")


class QuestionForm(forms.Form):
    question = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))
