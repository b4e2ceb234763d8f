"""Forms for deciding submissions."""

from django import forms

from consolidation.domain.resolve_conflict import Version


class RejectForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="The worker sees this. Explain what was missing and what would have been right.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class ConflictForm(forms.Form):
    """The choice between two copies."""

    copy = forms.ChoiceField(
        label="Which copy stands?",
        choices=[(Version.OURS.value, "ours"), (Version.THEIRS.value, "the marketplace's")],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="Why",
        help_text="Stored with the submission. The worker doesn't see it.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
