"""An experiment with the agreement of annotators."""

from typing import Any

from django import forms

from crowd.models import Worker


class ExperimentForm(forms.Form):
    """How many items are done again, how, and by whom."""

    count = forms.IntegerField(
        min_value=1,
        max_value=500,
        initial=20,
        label="Items",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    design = forms.ChoiceField(label="Done again by")
    workers = forms.CharField(
        required=False,
        max_length=2000,
        label="Only these workers",
        widget=forms.TextInput(attrs={"placeholder": "the whole trained pool"}),
    )

    def __init__(self, *args: Any, triplets: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        design = self.fields["design"]
        assert isinstance(design, forms.ChoiceField)
        design.choices = [
            ("team", f"{triplets} generators and a consolidator"),
            *((str(many), f"{many} generator{'' if many == 1 else 's'}") for many in range(1, 10)),
        ]

    def generators(self) -> int | None:
        """How many for each item; None for a whole team."""
        design = self.cleaned_data["design"]
        return None if design == "team" else int(design)

    def clean_workers(self) -> list[Worker]:
        names = {one.strip().upper() for one in self.cleaned_data["workers"].split(",")} - {""}
        found = list(Worker.objects.filter(pseudonym__in=names).order_by("pseudonym"))
        if unknown := sorted(names - {one.pseudonym for one in found}):
            raise forms.ValidationError(f"There is no worker {unknown[0]}.")
        return found
