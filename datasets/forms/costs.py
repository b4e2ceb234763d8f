"""The filter form of the ledger."""

from django import forms

from crowd.domain.hits.queries import LedgerFilter
from crowd.enums import LedgerKind
from web.fields import ANY, DaysForm, sentence_case


class LedgerFilterForm(DaysForm):
    field_order = ("kind", "pseudonym")
    kind = forms.ChoiceField(required=False, choices=[ANY, *sentence_case(LedgerKind.choices)])
    pseudonym = forms.CharField(required=False, max_length=20, label="Worker")

    def wanted(self) -> LedgerFilter:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return LedgerFilter(**self.cleaned_data)
