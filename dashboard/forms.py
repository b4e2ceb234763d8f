"""What the office types in, checked at the edge."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator

from annotation.enums import Partition
from consolidation.domain.queries import ItemFilter, ItemState
from consolidation.enums import GoldSource
from crowd.domain.queries import LedgerFilter
from crowd.enums import LedgerKind

ANY = ("", "any")


class PublishForm(forms.Form):
    """How many HITs, and for whom. `unoffered` is what the asker saw: had it changed, ask again."""

    count = forms.IntegerField(min_value=1, label="How many HITs")
    pool = forms.ChoiceField(
        label="Who may take them",
        choices=[("pool", "the trained pool only"), ("open", "any worker of the marketplace")],
        widget=forms.RadioSelect,
    )
    unoffered = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, unoffered: int, has_pool: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        count = self.fields["count"]
        assert isinstance(count, forms.IntegerField)
        count.max_value = unoffered
        count.validators.append(_at_most(unoffered))
        count.widget.attrs |= {"max": unoffered, "inputmode": "numeric"}
        count.initial = min(unoffered, 100)
        if has_pool:
            self.fields["pool"].initial = "pool"
        else:
            del self.fields["pool"]


def _at_most(unoffered: int) -> MaxValueValidator:
    return MaxValueValidator(unoffered, f"There are {unoffered:,} items left to publish.")


class RejectForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="The worker reads this. Say what was missing and what would have been right.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class ItemFilterForm(forms.Form):
    state = forms.ChoiceField(
        required=False, choices=[ANY, *((one.value, one.label) for one in ItemState)]
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
        domain.choices = [ANY, *((one, one) for one in domains)]

    def wanted(self) -> ItemFilter:
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return ItemFilter(**self.cleaned_data)


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
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return LedgerFilter(**self.cleaned_data)


class ExportForm(forms.Form):
    """Which gold, in which format. `items` counts the items with gold by source."""

    source = forms.ChoiceField(label="Gold")
    fmt = forms.ChoiceField(label="Format")

    def __init__(
        self, *args: Any, formats: Sequence[str], items: Mapping[str, int], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        source, fmt = self.fields["source"], self.fields["fmt"]
        assert isinstance(source, forms.ChoiceField)
        assert isinstance(fmt, forms.ChoiceField)
        source.choices = [
            (one.value, f"{one.label} ({items[one.value]:,} items)")
            for one in GoldSource
            if one.value in items
        ]
        fmt.choices = [(one, one) for one in formats]


class ReviewForm(forms.Form):
    """An expert's word on one gold annotation; `lines` is the gold as text (Scheme.write_lines)."""

    verdict = forms.ChoiceField(
        choices=[
            ("confirm", "Right as it stands"),
            ("correct", "Correct it, as written below"),
            ("return", "Return it: it has to be done again"),
        ],
        widget=forms.RadioSelect,
    )
    lines = forms.CharField(
        required=False,
        max_length=20_000,
        label="The annotation, a question a line",
        help_text="question => answer | answer. Answers are words of the sentence.",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
    )
    comment = forms.CharField(
        required=False,
        max_length=2000,
        label="What was wrong",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
