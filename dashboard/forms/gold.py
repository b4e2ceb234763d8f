"""The filter of the gold."""

from typing import Any

from django import forms

from annotation.enums import Partition
from consolidation.domain.search_gold import GoldFilter, GoldState
from consolidation.enums import GoldSource
from dashboard.forms.fields import ANY


class GoldFilterForm(forms.Form):
    question = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    verb = forms.CharField(required=False, max_length=60)
    worker = forms.CharField(required=False, max_length=20)
    state = forms.ChoiceField(
        required=False, choices=[ANY, *((one.value, one.label) for one in GoldState)]
    )
    source = forms.ChoiceField(required=False, choices=[ANY, *GoldSource.choices])
    domain = forms.ChoiceField(required=False)
    partition = forms.ChoiceField(required=False, choices=[ANY, *Partition.choices])

    def __init__(self, *args: Any, domains: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        domain = self.fields["domain"]
        assert isinstance(domain, forms.ChoiceField)
        domain.choices = [ANY, *((one, one) for one in domains)]

    def wanted(self) -> GoldFilter:
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return GoldFilter(**self.cleaned_data)
