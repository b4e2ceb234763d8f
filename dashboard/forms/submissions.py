"""Deciding submissions."""

from django import forms

from annotation.domain.choose_copy import Copy


class RejectForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="The worker reads this. Say what was missing and what would have been right.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class CopyForm(forms.Form):
    """Which of two copies stands."""

    copy = forms.ChoiceField(
        label="Which copy stands?",
        choices=[(Copy.OURS.value, "ours"), (Copy.THEIRS.value, "the marketplace's")],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="Why",
        help_text="Kept with the work. Its worker doesn't read it.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
