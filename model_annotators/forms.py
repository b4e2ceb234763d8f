"""Forms that register a model and choose the round that it takes."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from model_annotators.domain.register import ModelPlan
from qualification.models import Round
from web.fields import CountField, DollarsField

CENTS = 100
MAX_EXAMPLES = 20
MAX_DOLLARS = 100_000


def _price(label: str) -> forms.DecimalField:
    return forms.DecimalField(
        label=label, min_value=0, max_value=10_000, max_digits=9, decimal_places=4, initial=0
    )


class ModelForm(forms.Form):
    name = forms.CharField(max_length=60, help_text="For your team, such as “Qwen 3, 8B”.")
    url = forms.CharField(
        max_length=300,
        label="Address",
        help_text="The base address of a server that speaks the chat-completions protocol, such as "
        "https://models.example/v1.",
    )
    model = forms.CharField(max_length=200, label="Model", help_text="Its name on the server.")
    key = forms.CharField(
        max_length=500,
        required=False,
        label="API key",
        help_text="Stored encrypted, and never shown again.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    requests_per_minute = CountField(
        required=False, min_value=1, max_value=10_000, help_text="Leave empty for no limit."
    )
    temperature = forms.FloatField(min_value=0, max_value=2, initial=0)
    examples = CountField(
        min_value=0,
        max_value=MAX_EXAMPLES,
        initial=4,
        help_text="Items with expert gold that each request shows. Test data is never shown.",
    )
    input_price = _price("Dollars per million input tokens")
    output_price = _price("Dollars per million output tokens")
    cap = DollarsField(
        label="Cap in dollars",
        max_value=MAX_DOLLARS,
        help_text="No request is sent once the answers have cost this much.",
    )

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"]
        if not (key.isascii() and key.isprintable()):
            raise forms.ValidationError("An API key has ASCII letters, digits and symbols only.")
        return key

    def clean_cap(self) -> int:
        cap: int | None = self.cleaned_data["cap"]
        if cap is None:
            raise forms.ValidationError("Enter a cap. It may be 0 for a model that costs nothing.")
        return cap

    def plan(self, *, command: str = "") -> ModelPlan:
        """Return the plan of the model, which runs the operator's `command` if it is not empty."""
        data = self.cleaned_data
        return ModelPlan(
            name=data["name"],
            url=data["url"],
            command=command,
            model=data["model"],
            key=data["key"],
            requests_per_minute=data["requests_per_minute"] or 0,
            temperature=data["temperature"],
            examples=data["examples"],
            input_price_cents=data["input_price"] * CENTS,
            output_price_cents=data["output_price"] * CENTS,
            cap_cents=data["cap"],
        )


class RoundField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Round) -> str:
        return obj.title


class RunForm(forms.Form):
    """What the model annotates: a training round, or the next unpublished items."""

    round = RoundField(
        Round.objects.none(), required=False, label="Items", empty_label="Unpublished items"
    )
    count = CountField(
        required=False,
        min_value=1,
        max_value=1_000_000,
        initial=100,
        label="Number of unpublished items",
        help_text="In the order in which they will be published. Batches can use the annotations.",
    )

    def __init__(self, *args: Any, rounds: QuerySet[Round], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["round"]
        assert isinstance(field, RoundField)
        field.queryset = rounds

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not data.get("round") and not data.get("count"):
            self.add_error("count", "Enter how many items the model should annotate.")
        return data
