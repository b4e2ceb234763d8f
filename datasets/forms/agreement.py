"""The form of an agreement experiment."""

from typing import Any

from django import forms

from crowd.models import Worker
from web.fields import set_choices


class ExperimentForm(forms.Form):
    """The items, design and workers of an experiment."""

    count = forms.IntegerField(
        min_value=1,
        max_value=500,
        initial=20,
        label="Items",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    design = forms.ChoiceField(label="Re-annotated by")
    workers = forms.CharField(
        required=False,
        max_length=2000,
        label="Workers",
        widget=forms.TextInput(attrs={"placeholder": "all trained workers"}),
    )

    def __init__(self, *args: Any, triplets: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        designs = [("team", f"{triplets} generators and a consolidator"), ("1", "1 generator")]
        designs += [(str(number), f"{number} generators") for number in range(2, 10)]
        set_choices(self, design=designs)

    def generators(self) -> int | None:
        """Return the number of generators per item, or None for a whole team."""
        design = self.cleaned_data["design"]
        return None if design == "team" else int(design)

    def clean_workers(self) -> list[Worker]:
        names = {name.strip().upper() for name in self.cleaned_data["workers"].split(",")} - {""}
        workers = list(Worker.objects.filter(pseudonym__in=names).order_by("pseudonym"))
        if unknown := sorted(names - {worker.pseudonym for worker in workers}):
            raise forms.ValidationError(f"There is no worker {unknown[0]}.")
        return workers
