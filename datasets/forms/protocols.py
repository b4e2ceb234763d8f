"""The form for comparing protocols."""

from collections.abc import Sequence
from typing import Any

from django import forms

from projects.models import Project
from web.fields import set_choices


class CompareForm(forms.Form):
    """The project to compare with."""

    other = forms.ChoiceField(label="Compare with")

    def __init__(self, *args: Any, projects: Sequence[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = (
            (project.slug, f"{project.title} ({project.get_protocol_display()})")
            for project in projects
        )
        set_choices(self, other=others)
