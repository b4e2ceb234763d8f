"""The filter form of the ledger."""

from django import forms

from crowd.domain.queries import LedgerFilter
from crowd.enums import LedgerKind
from web.fields import ANY


class LedgerFilterForm(forms.Form):
    kind = forms.ChoiceField(required=False, choices=[ANY, *LedgerKind.choices])
    pseudonym = forms.CharField(required=False, max_length=20, label="Worker")
    first_day = forms.DateField(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"})
    )
    last_day = forms.DateField(
        required=False, label="To", widget=forms.DateInput(attrs={"type": "date"})
    )

    def wanted(self) -> LedgerFilter:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return LedgerFilter(**self.cleaned_data)
