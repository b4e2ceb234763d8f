"""Items for experts to annotate or to merge."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms


class QueueForm(forms.Form):
    """Which items experts work on; `there` lists what items there are to choose, as (value, label)."""

    title = forms.CharField(
        max_length=120,
        help_text="Experts read it: it should not tell whose annotations they will see.",
    )
    items = forms.ChoiceField(label="Which items")
    count = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=10_000,
        initial=50,
        label="How many, of a sample",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    file = forms.FileField(
        required=False,
        label="Or a file that names them",
        help_text="CSV with the columns qasrl_id and verb_idx.",
    )

    def __init__(self, *args: Any, there: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        items = self.fields["items"]
        assert isinstance(items, forms.ChoiceField)
        items.choices = list(there)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("items") == "file" and not cleaned.get("file"):
            self.add_error("file", "Choose the file.")
        if str(cleaned.get("items")).startswith("sample") and not cleaned.get("count"):
            self.add_error("count", "Say how many.")
        return cleaned


class AnnotateQueueForm(QueueForm):
    experts_per_item = forms.IntegerField(
        min_value=1,
        max_value=9,
        initial=1,
        label="Experts per item",
        help_text="None of them learns of the others.",
    )
    makes_gold = forms.BooleanField(
        required=False,
        label="Expert gold at once",
        help_text="Only with one expert per item; what several write is merged first.",
    )


class MergeQueueForm(QueueForm):
    sources = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, sources: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["sources"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = list(sources.items())
