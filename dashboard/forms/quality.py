"""Comparing gold with a reference, and deciding single matches."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from consolidation.domain.decide_match import DecisionRefused
from consolidation.enums import GoldSource


class QualityForm(forms.Form):
    """Which gold, by which reference. `sources` counts the items with gold by source."""

    source = forms.ChoiceField(
        required=False, label="Gold (items)", initial=GoldSource.CONSOLIDATED
    )
    against = forms.ChoiceField(required=False, label="Reference", initial=GoldSource.EXPERT)

    def __init__(self, *args: Any, sources: Mapping[str, int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("source", "against"):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [
                (one.value, f"{one.label} ({sources.get(one.value, 0):,})") for one in GoldSource
            ]
        # Shown as chosen where nothing was asked for.
        self.data = {name: self.fields[name].initial for name in self.fields} | {
            name: value for name, value in self.data.items() if value
        }


class DecisionForm(forms.Form):
    """A person's word on a pair of answers (`word`: kind|start-end|start-end; of a missed answer the
    second comes from `with-<first>`), or a decision to take back."""

    source = forms.ChoiceField(choices=GoldSource.choices)
    against = forms.ChoiceField(choices=GoldSource.choices)
    word = forms.CharField(required=False, max_length=60)
    take_back = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    reason = forms.CharField(required=False, max_length=1000)

    def decision(self) -> dict[str, Any]:
        """The keywords of `decide_match`. Raises DecisionRefused."""
        kind, reference, predicted = [*self.cleaned_data["word"].split("|"), "", ""][:3]
        return {
            "kind": kind,
            "reference_span": _span(reference),
            "predicted_span": _span(predicted or self.data.get(f"with-{reference}", "")),
            "reason": self.cleaned_data["reason"],
        }


def _span(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})-(\d{1,6})", text, re.ASCII)
    if found is None:
        raise DecisionRefused("There is no such pair of answers to decide about.")
    return int(found[1]), int(found[2])
