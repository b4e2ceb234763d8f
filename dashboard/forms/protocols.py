"""Which protocols are compared."""

from collections.abc import Sequence
from typing import Any

from django import forms

from annotation.models import Project


class CompareForm(forms.Form):
    """Which other project to hold this one against."""

    other = forms.ChoiceField(label="Held against")

    def __init__(self, *args: Any, projects: Sequence[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        other = self.fields["other"]
        assert isinstance(other, forms.ChoiceField)
        other.choices = [
            (one.slug, f"{one.title} ({one.get_protocol_display()})") for one in projects
        ]
