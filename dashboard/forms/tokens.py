"""Tokens for the API."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from annotation.enums import TokenScope
from annotation.models import Project


class ProjectsField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Project) -> str:
        return obj.title


class TokenForm(forms.Form):
    """A token of the API: what it is for, what it may do, where and how long."""

    name = forms.CharField(
        max_length=60, label="Name", help_text="What will use it, such as nightly export."
    )
    scopes = forms.MultipleChoiceField(
        choices=TokenScope.choices,
        initial=[TokenScope.READ],
        label="What it may do",
        widget=forms.CheckboxSelectMultiple,
    )
    reach = forms.ChoiceField(
        choices=[("all", "All of my projects, future ones too"), ("some", "Only these:")],
        initial="some",
        label="Where",
        widget=forms.RadioSelect,
    )
    projects = ProjectsField(
        queryset=Project.objects.none(),
        required=False,
        label="Projects",
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        choices=[(30, "30 days"), (90, "90 days"), (365, "a year"), (0, "until it is revoked")],
        initial=90,
        coerce=int,
        label="For how long",
    )

    def __init__(self, *args: Any, projects: QuerySet[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["projects"]
        assert isinstance(field, ProjectsField)
        field.queryset = projects

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("reach") == "some" and "projects" in given and not given["projects"]:
            self.add_error("projects", "Choose at least one project, or all of them.")
        return given
