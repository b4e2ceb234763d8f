"""The form for reviewing gold."""

from django import forms


class ReviewForm(forms.Form):
    """An expert's judgment of gold without a correction."""

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
