"""Forms of the log, of rejected payments, and of the deletion of a project."""

from typing import Any

from django import forms

from dashboard.project_log import OF_STUDIES, LogFilter, kind_names
from projects.models import Project
from web.fields import ANY, DaysForm, sentence_case


class LogFilterForm(DaysForm):
    field_order = ("by", "kind", "actor")
    by = forms.ChoiceField(
        required=False,
        label="Show",
        choices=[
            ("", "Everything"),
            ("people", "People’s actions"),
            ("automatic", "Automatic changes"),
        ],
    )
    kind = forms.ChoiceField(required=False, label="Type")
    actor = forms.CharField(required=False, max_length=150, label="User")

    def __init__(self, data: Any, *, project: Project) -> None:
        super().__init__(data)
        kind = self.fields["kind"]
        assert isinstance(kind, forms.ChoiceField)
        names = kind_names(project)
        if not project.has_sessions:
            names = {label: name for label, name in names.items() if label not in OF_STUDIES}
        kind.choices = [ANY, *sentence_case(names.items())]

    def wanted(self) -> LogFilter:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return LogFilter(**self.cleaned_data)


class ClosePaymentForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="How the worker was paid, or why nothing is owed. Stored in the log.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class DeleteForm(forms.Form):
    """A confirmation of a deletion, for which the user types the project's title."""

    title = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, data: Any = None, *, title: str) -> None:
        super().__init__(data)
        self._title = title
        self.fields["title"].label = f"Type “{title}” to confirm"

    def clean_title(self) -> str:
        typed: str = self.cleaned_data["title"]
        if typed != self._title.strip():
            raise forms.ValidationError("This is not the title of the project.")
        return typed
