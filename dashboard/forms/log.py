"""The filter of the log."""

from django import forms

from dashboard.forms.fields import ANY
from dashboard.project_log import KINDS, LogFilter


class LogFilterForm(forms.Form):
    kind = forms.ChoiceField(
        required=False,
        label="What",
        choices=[ANY, *((label, kind.name) for label, kind in KINDS.items())],
    )
    actor = forms.CharField(required=False, max_length=150, label="Who")
    first_day = forms.DateField(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"})
    )
    last_day = forms.DateField(
        required=False, label="To", widget=forms.DateInput(attrs={"type": "date"})
    )

    def wanted(self) -> LogFilter:
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return LogFilter(**self.cleaned_data)
