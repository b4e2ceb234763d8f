"""The answer of somebody who reviews gold."""

from django import forms


class ReviewForm(forms.Form):
    """An expert's word on one gold annotation that they do not correct."""

    verdict = forms.ChoiceField(
        choices=[
            ("confirm", "Right as it stands"),
            ("return", "Return it: it has to be consolidated again"),
        ],
        widget=forms.RadioSelect,
    )
    comment = forms.CharField(
        required=False,
        max_length=2000,
        label="What was wrong",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
