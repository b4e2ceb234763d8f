"""Overturning rejections."""

from django import forms


class OverturnForm(forms.Form):
    reason = forms.CharField(
        label="Why",
        help_text="What the worker says in the appeal, or what was overlooked. Kept with the work.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    use = forms.ChoiceField(
        choices=[("yes", "Pay it and use the work"), ("no", "Pay it, leave the work out")],
    )
