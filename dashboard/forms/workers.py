"""What is said to and about workers, and done for them."""

from decimal import Decimal

from django import forms

from annotation.domain.compensate import MOST_CENTS
from qualification.domain.forget_person import Forgetting


class CompensateForm(forms.Form):
    """Money for work that no HIT can pay."""

    amount = forms.DecimalField(
        label="Amount, in dollars",
        min_value=Decimal("0.01"),
        max_value=Decimal(MOST_CENTS) / 100,
        max_digits=7,
        decimal_places=2,
    )
    key = forms.CharField(
        label="For what",
        help_text="Such as the lost assignment's number: the same is paid once.",
        max_length=120,
    )
    reason = forms.CharField(
        label="Reason",
        help_text="The worker reads this.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def cents(self) -> int:
        return int(self.cleaned_data["amount"] * 100)


class NoteForm(forms.Form):
    text = forms.CharField(
        max_length=2000,
        label="Note",
        help_text="For colleagues; the worker does not see it.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class ForgetForm(forms.Form):
    how = forms.ChoiceField(
        label="How much",
        choices=[
            (Forgetting.PSEUDONYMISE, "Pseudonymise: keep no id that leads to them"),
            (Forgetting.ERASE, "Erase: also a new pseudonym, and no word that they wrote"),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        max_length=500,
        label="Reason",
        help_text="Such as: they asked for it on 3 May. Don't name them; the log keeps this.",
    )
