"""The filter form of the items page."""

from typing import Any

from django import forms

from annotation.enums import Partition
from consolidation.domain.queries import ItemFilter, ItemState
from web.fields import ANY


class ItemFilterForm(forms.Form):
    state = forms.ChoiceField(
        required=False, choices=[ANY, *((state.value, state.label) for state in ItemState)]
    )
    domain = forms.ChoiceField(required=False)
    partition = forms.ChoiceField(required=False, choices=[ANY, *Partition.choices])
    text = forms.CharField(
        required=False,
        max_length=200,
        label="Words",
        widget=forms.TextInput(attrs={"type": "search"}),
    )

    def __init__(self, *args: Any, domains: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        domain = self.fields["domain"]
        assert isinstance(domain, forms.ChoiceField)
        domain.choices = [ANY, *((name, name) for name in domains)]

    def wanted(self) -> ItemFilter:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return ItemFilter(**self.cleaned_data)
