"""The form of adaptive redundancy."""

from typing import Any

from django import forms

from web.fields import MAX_STORED_DOLLARS, DollarsField


class AdaptiveForm(forms.Form):
    """Whether it is on, its target in percent, and its budget, which is returned in cents."""

    is_on = forms.BooleanField(
        required=False, label="Decide by certainty how many people an item gets"
    )
    target = forms.IntegerField(
        min_value=50,
        max_value=99,
        required=False,
        label="Target (%)",
        help_text="An annotation becomes gold without more people if it is expected to have this share "
        "of the right parts, and if this share of its parts is expected to be right.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    budget = DollarsField(
        max_value=MAX_STORED_DOLLARS,
        label="Budget for more people ($)",
        help_text="The most that second annotators and consolidators may cost, with fees. Audited items "
        "don't count. Items for which there is no money wait.",
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("is_on"):
            for name in ("target", "budget"):
                if data.get(name) is None and name not in self.errors:
                    self.add_error(name, "Enter a number.")
        return data

    def terms(self) -> dict[str, int | None]:
        """Return the target in percent and the budget in cents, both None if it is off."""
        data = self.cleaned_data
        if not data["is_on"]:
            return {"percent": None, "cents": None}
        return {"percent": data["target"], "cents": data["budget"]}
