"""Forms for comparing gold with a reference and deciding matches."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from consolidation.enums import GoldSource
from datasets.domain.decide_match import DecisionError
from web.fields import set_choices


class QualityForm(forms.Form):
    """The gold and the reference. `sources` counts the items with gold by source."""

    source = forms.ChoiceField(
        required=False, label="Gold (items)", initial=GoldSource.CONSOLIDATED
    )
    against = forms.ChoiceField(required=False, label="Reference", initial=GoldSource.EXPERT)

    def __init__(self, *args: Any, sources: Mapping[str, int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [
            (value, f"{label} ({sources.get(value, 0):,})") for value, label in GoldSource.choices
        ]
        set_choices(self, source=choices, against=choices)
        # Select the defaults if the query has no values.
        self.data = {name: self.fields[name].initial for name in self.fields} | {
            name: value for name, value in self.data.items() if value
        }


class DecisionForm(forms.Form):
    """A decision on a pair of answers, or a decision to take back.

    `word` is kind|start-end|start-end. The second span of a missed answer comes from the field
    `with-<first>`.
    """

    source = forms.ChoiceField(choices=GoldSource.choices)
    against = forms.ChoiceField(choices=GoldSource.choices)
    word = forms.CharField(required=False, max_length=60)
    undo = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    reason = forms.CharField(required=False, max_length=1000)

    def decision(self) -> dict[str, Any]:
        """Return the keyword arguments of `decide_match`. Raise DecisionError."""
        kind, reference, predicted = [*self.cleaned_data["word"].split("|"), "", ""][:3]
        return {
            "kind": kind,
            "reference_span": _span(reference),
            "predicted_span": _span(predicted or self.data.get(f"with-{reference}", "")),
            "reason": self.cleaned_data["reason"],
        }


def _span(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})-(\d{1,6})", text, re.ASCII)
    if match is None:
        raise DecisionError("This pair of answers does not exist.")
    return int(match[1]), int(match[2])
