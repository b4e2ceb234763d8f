"""The form that overturns a rejection."""

from django import forms


class OverturnForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="The worker's appeal, or what the reviewer overlooked. Stored with the work.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    use = forms.ChoiceField(
        choices=[("yes", "Pay and use the work"), ("no", "Pay, but exclude the work")],
    )
