"""Forms that set up expert queues."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms


class QueueForm(forms.Form):
    """The items of a new queue. `item_choices` are pairs (value, label)."""

    title = forms.CharField(
        max_length=120,
        help_text="Experts see this title. It should not reveal who wrote the annotations.",
    )
    items = forms.ChoiceField(label="Which items")
    count = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=10_000,
        initial=50,
        label="Sample size",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    file = forms.FileField(
        required=False,
        label="Or a file with item ids",
        help_text="CSV with the columns qasrl_id and verb_idx.",
    )

    def __init__(self, *args: Any, item_choices: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        items = self.fields["items"]
        assert isinstance(items, forms.ChoiceField)
        items.choices = list(item_choices)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("items") == "file" and not cleaned.get("file"):
            self.add_error("file", "Choose a file.")
        if str(cleaned.get("items")).startswith("sample") and not cleaned.get("count"):
            self.add_error("count", "Enter the number of items.")
        return cleaned


class AnnotateQueueForm(QueueForm):
    experts_per_item = forms.IntegerField(
        min_value=1,
        max_value=9,
        initial=1,
        label="Experts per item",
        help_text="Experts don't see each other's annotations.",
    )
    makes_gold = forms.BooleanField(
        required=False,
        label="Expert gold at once",
        help_text="Requires one expert per item. Annotations by several experts are merged first.",
    )


class MergeQueueForm(QueueForm):
    sources = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, sources: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["sources"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = list(sources.items())
