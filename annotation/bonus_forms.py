"""Forms of decisions on several held bonuses, and of appeals against declined ones."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.enums import BonusDecision
from web.fields import set_choices

MAX_CHOSEN = 1000
MAX_GROUP_LENGTH = 200


class DecideBonusesForm(forms.Form):
    """A decision on the bonuses in `row` and in `group`. `seen` identifies what was confirmed."""

    decision = forms.ChoiceField(choices=BonusDecision.choices)
    row = forms.TypedMultipleChoiceField(coerce=int, required=False)
    group = forms.MultipleChoiceField(required=False)
    text = forms.CharField(required=False, max_length=1000)
    seen = forms.CharField(required=False, max_length=60)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        ids = [pk for pk in data.getlist("row") if pk.isdecimal() and len(pk) < 19][:MAX_CHOSEN]
        groups = [key for key in data.getlist("group") if len(key) <= MAX_GROUP_LENGTH][:MAX_CHOSEN]
        # Ids and groups of other projects choose nothing later.
        set_choices(self, row=[(pk, pk) for pk in ids], group=[(key, key) for key in groups])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not data.get("row") and not data.get("group"):
            raise forms.ValidationError("Select at least one bonus.")
        if data.get("decision") == BonusDecision.DECLINE and not data.get("text"):
            self.add_error("text", "Enter a reason. The workers see it.")
        return data


class AppealBonusForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Why should the bonus be paid?"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class AnswerAppealForm(forms.Form):
    """The answer to an appeal. `key` distinguishes the forms of a page."""

    answer = forms.CharField(
        label="Answer",
        help_text="The worker reads this.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, data: Any = None, *, key: int) -> None:
        super().__init__(data, auto_id=f"answer_{key}_%s")
