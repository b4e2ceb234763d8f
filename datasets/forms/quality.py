"""Forms for comparing gold with a reference and deciding matches."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms

from consolidation.enums import GoldSource
from datasets.domain.quality.decide_match import DecisionError
from datasets.domain.quality.error_samples import MAX_SIZE
from datasets.enums import Population
from web.fields import sentence_case, set_choices


class QualityForm(forms.Form):
    """The gold and the reference. `sources` counts the items with gold by source."""

    source = forms.ChoiceField(required=False, label="Gold (items)")
    against = forms.ChoiceField(required=False, label="Reference")

    def __init__(self, *args: Any, sources: Mapping[str, int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [
            (value, f"{label} ({sources.get(value, 0):,})")
            for value, label in sentence_case(GoldSource.choices)
        ]
        set_choices(self, source=choices, against=choices)
        # Select the initial sources if the query has no values.
        given = {name: value for name, value in self.data.items() if value}
        self.data = {**self.initial, **given}


class SampleForm(forms.Form):
    """An error sample to draw."""

    source = forms.ChoiceField(choices=sentence_case(GoldSource.choices), label="Gold to analyse")
    against = forms.ChoiceField(choices=sentence_case(GoldSource.choices), label="Reference")
    population = forms.ChoiceField(choices=sentence_case(Population.choices), label="Sample from")
    size = forms.IntegerField(
        min_value=1,
        max_value=MAX_SIZE,
        initial=100,
        label="Size",
        help_text="100 parts give an interval of about ±10 percentage points.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31,
        initial=1,
        label="Seed",
        help_text="The same seed and gold give the same sample.",
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a source that is its own reference."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("source") and cleaned.get("source") == cleaned.get("against"):
            raise forms.ValidationError("Choose a reference that differs from the gold.")
        return cleaned


class PartForm(forms.Form):
    """The category of a sampled part."""

    category = forms.CharField(max_length=40)
    note = forms.CharField(required=False, max_length=1000)


class DecisionForm(forms.Form):
    """A decision on a row, or a decision to undo.

    `decision` is a JSON list of the kind, the reference key and the predicted key. If the predicted
    key is empty, it comes from the field `with-<reference key>`.
    """

    source = forms.ChoiceField(choices=GoldSource.choices)
    against = forms.ChoiceField(choices=GoldSource.choices)
    decision = forms.CharField(required=False, max_length=600)
    undo = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    reason = forms.CharField(required=False, max_length=1000)

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments of `decide_match`. Raise DecisionError."""
        kind, reference, predicted = _parsed(self.cleaned_data["decision"])
        return {
            "kind": kind,
            "reference_key": reference,
            "predicted_key": predicted or self.data.get(f"with-{reference}", ""),
            "reason": self.cleaned_data["reason"],
        }


def _parsed(text: str) -> list[str]:
    try:
        parts = json.loads(text)
    except ValueError:
        parts = None
    if not isinstance(parts, list) or len(parts) != 3 or not all(isinstance(p, str) for p in parts):
        raise DecisionError("This decision does not exist. Reload the page and try again.")
    return [part[:200] for part in parts]
