"""The filter form of the log."""

from django import forms

from dashboard.project_log import KINDS, LogFilter
from web.fields import ANY, DaysForm


class LogFilterForm(DaysForm):
    field_order = ("kind", "actor")
    kind = forms.ChoiceField(
        required=False,
        label="Type",
        choices=[ANY, *((label, kind.name) for label, kind in KINDS.items())],
    )
    actor = forms.CharField(required=False, max_length=150, label="User")

    def wanted(self) -> LogFilter:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return LogFilter(**self.cleaned_data)
