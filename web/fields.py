"""Form fields that several apps use."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.formats import get_format
from django.utils.text import capfirst

ANY = ("", "Any")


def sentence_case(choices: Iterable[tuple[Any, Any]]) -> list[tuple[Any, str]]:
    """Return the choices with a capital first letter, for labels that are also used in sentences."""
    return [(value, capfirst(str(label))) for value, label in choices]


class CountField(forms.IntegerField):
    """A field for a whole number, with a numeric keypad on phones."""

    widget = forms.NumberInput(attrs={"inputmode": "numeric"})


class PeriodForm(forms.Form):
    """A form with a period, whose end must not be before its start.

    `PERIOD` names the fields of the start and the end.
    """

    PERIOD: tuple[str, str] = ("first_day", "last_day")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        first, last = (data.get(name) for name in self.PERIOD)
        if first and last and last < first:
            name = self.fields[self.PERIOD[0]].label or self.PERIOD[0]
            self.add_error(self.PERIOD[1], f"The end of the period is before its start ({name}).")
        return data


class DaysForm(PeriodForm):
    """A filter form with the fields of `web.days.Days`."""

    first_day = forms.DateField(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"})
    )
    last_day = forms.DateField(
        required=False, label="To", widget=forms.DateInput(attrs={"type": "date"})
    )


def set_choices(form: forms.BaseForm, **choices: Iterable[tuple[Any, Any]]) -> None:
    """Set the choices of the form's fields, by their names."""
    for name, values in choices.items():
        field = form.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(values)


# The most cents that an integer of the database holds, in dollars
MAX_STORED_DOLLARS = Decimal(2**31 - 1) / 100


class DollarsField(forms.DecimalField):
    """A field for dollars that returns whole cents. An empty value is None."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"inputmode": "decimal", "step": "0.01"}
        options = {"widget": forms.NumberInput(attrs=attrs), **kwargs}
        super().__init__(min_value=0, max_digits=11, decimal_places=2, required=False, **options)

    def to_python(self, value: Any) -> Any:
        """Return the amount. Its decimal separator is a point, or that of the page's language."""
        if isinstance(value, str):
            value = value.replace(get_format("DECIMAL_SEPARATOR"), ".")
        return super().to_python(value)

    def clean(self, value: Any) -> Any:
        dollars = super().clean(value)
        return None if dollars is None else int(dollars * 100)

    def prepare_value(self, value: Any) -> Any:
        return f"{value / 100:.2f}" if isinstance(value, int) else value
