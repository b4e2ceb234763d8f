from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import BaseUserCreationForm

from annotation.enums import MemberRole


class CodeForm(forms.Form):
    """A code from the app, or a recovery code."""

    code = forms.CharField(
        label="Code",
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false"}
        ),
    )


class AccountForm(BaseUserCreationForm):
    """The first account of somebody invited; the address is the invitation's."""

    class Meta:
        model = get_user_model()
        fields = ("username",)
        widgets = {"username": forms.TextInput(attrs={"autocomplete": "username"})}


class InviteForm(forms.Form):
    email = forms.EmailField(label="E-mail address", max_length=254)
    role = forms.ChoiceField(choices=MemberRole.choices, initial=MemberRole.TRAINER)


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        choices=MemberRole.choices, required=False, widget=forms.CheckboxSelectMultiple
    )
