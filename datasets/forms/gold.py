"""The filter form of the gold page."""

from typing import Any

from django import forms

from annotation.enums import Partition
from consolidation.enums import GoldSource
from datasets.domain.exports.search_gold import GoldFilter, GoldState
from schemes.contract.search import Search
from web.fields import ANY, sentence_case, set_choices


class GoldFilterForm(forms.Form):
    """Criteria for gold. Without a search in the scheme, content and target have no fields."""

    content = forms.CharField(
        required=False, max_length=200, widget=forms.TextInput(attrs={"type": "search"})
    )
    target = forms.CharField(required=False, max_length=60)
    worker = forms.CharField(required=False, max_length=20)
    state = forms.ChoiceField(required=False, choices=[ANY, *sentence_case(GoldState.choices)])
    source = forms.ChoiceField(required=False, choices=[ANY, *sentence_case(GoldSource.choices)])
    domain = forms.ChoiceField(required=False)
    partition = forms.ChoiceField(required=False, choices=[ANY, *sentence_case(Partition.choices)])

    def __init__(
        self, *args: Any, search: Search | None, domains: list[str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if search is None:
            del self.fields["content"], self.fields["target"]
        else:
            self.fields["content"].label = search.content.label
            self.fields["target"].label = search.target.label
        set_choices(self, domain=[ANY, *((name, name) for name in domains)])

    def wanted(self) -> GoldFilter:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return GoldFilter(**self.cleaned_data)
