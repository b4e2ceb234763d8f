"""Publishing, and what is done with batches and their HITs."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.core.validators import MaxValueValidator

from annotation.domain.batch_figures import BatchFilter
from annotation.domain.publish import AUTO_APPROVAL_SECONDS, REOFFER_LIMIT
from annotation.domain.steer_batch import MOST_REOFFERS
from annotation.enums import BatchState, Role
from consolidation.domain.steer import Order
from consolidation.enums import Action
from dashboard.forms.fields import ANY

MOST_PICKED = 1000


class PublishForm(forms.Form):
    """How many HITs, and for whom. `unoffered` is what the asker saw: had it changed, ask again."""

    count = forms.IntegerField(min_value=1, label="How many HITs")
    pool = forms.ChoiceField(
        label="Who may take them",
        choices=[("pool", "the trained pool only"), ("open", "any worker of the marketplace")],
        widget=forms.RadioSelect,
    )
    auto_approval_hours = forms.IntegerField(
        label="Hours until work that nobody has decided is approved",
        help_text="Recorded with the batch; it can't be changed once the HITs are made.",
        required=False,
        min_value=1,
        max_value=720,
        initial=72,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    reoffer_limit = forms.IntegerField(
        label="How often an item that comes back short is offered again by itself",
        help_text="After a rejection, an expiry or work set aside. 0: never.",
        required=False,
        min_value=0,
        max_value=MOST_REOFFERS,
        initial=3,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    unoffered = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        unoffered: int,
        has_pool: bool,
        groups: Sequence[int] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        count = self.fields["count"]
        assert isinstance(count, forms.IntegerField)
        count.max_value = unoffered
        count.validators.append(_at_most(unoffered))
        count.widget.attrs |= {"max": unoffered, "inputmode": "numeric"}
        count.initial = min(unoffered, 100)
        if has_pool:
            pool = self.fields["pool"]
            assert isinstance(pool, forms.ChoiceField)
            pool.initial = "pool"
            pool.choices = [
                *cast(list[tuple[str, str]], pool.choices),
                *((f"group-{one}", f"group {one} of the trained pool") for one in groups),
            ]
        else:
            del self.fields["pool"]

    def clean_auto_approval_hours(self) -> int:
        given = self.cleaned_data["auto_approval_hours"]
        return AUTO_APPROVAL_SECONDS // 3600 if given is None else int(given)

    def clean_reoffer_limit(self) -> int:
        given = self.cleaned_data["reoffer_limit"]
        return REOFFER_LIMIT if given is None else int(given)

    def group(self) -> int | None:
        """The production group chosen, if one was."""
        chosen: str = self.cleaned_data.get("pool", "")
        return int(chosen.removeprefix("group-")) if chosen.startswith("group-") else None


def _at_most(unoffered: int) -> MaxValueValidator:
    return MaxValueValidator(unoffered, f"There are {unoffered:,} items left to publish.")


class BatchFilterForm(forms.Form):
    state = forms.ChoiceField(required=False, choices=[ANY, *BatchState.choices])
    role = forms.ChoiceField(
        required=False,
        label="Step",
        choices=[ANY, (Role.GENERATOR, "generation"), (Role.CONSOLIDATOR, "consolidation")],
    )

    def wanted(self) -> BatchFilter:
        """The filter; fields that hold nothing usable filter nothing."""
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
    """Which of a batch's HITs to list."""

    state = forms.ChoiceField(required=False, label="Which", choices=HIT_STATES)

    def wanted(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("state", ""))


class SteerForm(forms.Form):
    """An order for a whole batch (`scope` batch), for HITs picked one by one (`hit`), or, where none is
    picked, for all that the filter shows. `seen` is how many HITs the asker was told."""

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
        # Any numbers: those of other batches' HITs pick nothing.
        picked.choices = [(one, one) for one in data.getlist("hit") if one.isdecimal()][
            :MOST_PICKED
        ]

    def order(self) -> Order:
        given = self.cleaned_data
        return Order(
            Action(given["action"]),
            days=given["days"] or 14,
            assignments=given["assignments"] or 1,
        )


class TermsForm(forms.Form):
    """What of a batch's terms can be changed while it is out."""

    keep_open = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=100_000,
        label="HITs to keep open",
        help_text="More items are offered whenever fewer are open. Empty: no top-up.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    reoffer_limit = forms.IntegerField(
        min_value=0,
        max_value=MOST_REOFFERS,
        label="Offer an item again by itself, at most so often",
        help_text="After a rejection, an expiry or work set aside. 0: never.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    cap = forms.DecimalField(
        required=False,
        min_value=0,
        max_digits=9,
        decimal_places=2,
        label="The batch's cap, in dollars",
        help_text="For its HITs and bonuses together, under the project's cap. Empty: none.",
    )

    def __init__(self, *args: Any, can_top_up: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not can_top_up:
            del self.fields["keep_open"]

    def cap_cents(self) -> int | None:
        cap = self.cleaned_data["cap"]
        return None if cap is None else int(cap * 100)
