"""Forms for batches and their HITs."""

from typing import Any

from django import forms

from annotation.domain.batch_figures import BatchFilter
from annotation.enums import BatchState
from annotation.forms import MOST_PICKED
from consolidation.domain.manage_batch import Order
from consolidation.enums import Action
from projects.enums import Role
from web.fields import ANY


class BatchFilterForm(forms.Form):
    state = forms.ChoiceField(required=False, choices=[ANY, *BatchState.choices])
    role = forms.ChoiceField(
        required=False,
        label="Step",
        choices=[ANY, (Role.GENERATOR, "generation"), (Role.CONSOLIDATOR, "consolidation")],
    )

    def wanted(self) -> BatchFilter:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return BatchFilter(**self.cleaned_data)


HIT_STATES = [
    ("", "all"),
    ("pending", "to be made"),
    ("live", "live"),
    ("paused", "paused"),
    ("finished", "finished"),
    ("expired", "expired"),
    ("failed", "refused by the marketplace"),
    ("withdrawn", "withdrawn"),
    ("short", "short of work, can be offered again"),
]


class HitFilterForm(forms.Form):
    """A filter of a batch's HITs."""

    state = forms.ChoiceField(required=False, label="Which", choices=HIT_STATES)

    def wanted(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("state", ""))


class BatchActionForm(forms.Form):
    """An action on the whole batch (`scope` batch) or on HITs.

    The HITs are those in `hit`, or all that match the filter. `seen` is the number of HITs shown to
    the user.
    """

    action = forms.ChoiceField(choices=Action.choices)
    scope = forms.ChoiceField(choices=[("batch", ""), ("hits", "")])
    state = forms.ChoiceField(required=False, choices=HIT_STATES)
    hit = forms.TypedMultipleChoiceField(required=False, coerce=int)
    days = forms.IntegerField(
        min_value=1,
        max_value=365,
        initial=14,
        required=False,
        error_messages={
            "min_value": "Extend to 1 to 365 days from now.",
            "max_value": "Extend to 1 to 365 days from now.",
        },
    )
    assignments = forms.IntegerField(
        min_value=1,
        max_value=9,
        initial=1,
        required=False,
        error_messages={
            "min_value": "Add 1 to 9 assignments.",
            "max_value": "Add 1 to 9 assignments.",
        },
    )
    seen = forms.IntegerField(required=False)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        picked = self.fields["hit"]
        assert isinstance(picked, forms.TypedMultipleChoiceField)
        # Any id is valid. Ids of other batches' HITs select nothing.
        picked.choices = [(pk, pk) for pk in data.getlist("hit") if pk.isdecimal()][:MOST_PICKED]

    def order(self) -> Order:
        data = self.cleaned_data
        return Order(
            Action(data["action"]),
            days=data["days"] or 14,
            assignments=data["assignments"] or 1,
        )
