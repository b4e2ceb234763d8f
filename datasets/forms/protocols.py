"""The form for comparing protocols."""

from collections.abc import Sequence
from typing import Any

from django import forms

from projects.models import Project


class CompareForm(forms.Form):
    """The project to compare with."""

    other = forms.ChoiceField(label="Compare with")

    def __init__(self, *args: Any, projects: Sequence[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        other = self.fields["other"]
        assert isinstance(other, forms.ChoiceField)
        other.choices = [
            (project.slug, f"{project.title} ({project.get_protocol_display()})")
            for project in projects
        ]
