"""The form for exporting gold."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import RegexValidator

from consolidation.enums import GoldSource
from web.fields import ANY


class ExportForm(forms.Form):
    """The gold and format of an export.

    `items` counts the items with gold by source. `sections` are the pairs (domain, partition) of
    the project's sentences.
    """

    source = forms.ChoiceField(label="Gold (items)")
    fmt = forms.ChoiceField(label="Format")
    domain = forms.ChoiceField(required=False)
    partition = forms.ChoiceField(required=False)
    licence = forms.CharField(
        required=False,
        max_length=80,
        label="Licence (SPDX)",
        validators=[
            RegexValidator(r"^[A-Za-z0-9.+-]*$", "Enter an SPDX identifier, such as CC-BY-SA-4.0.")
        ],
    )

    def __init__(
        self,
        *args: Any,
        formats: Sequence[str],
        items: Mapping[str, int],
        sections: Sequence[tuple[str, str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        source, fmt = self.fields["source"], self.fields["fmt"]
        assert isinstance(source, forms.ChoiceField)
        assert isinstance(fmt, forms.ChoiceField)
        for at, name in enumerate(("domain", "partition")):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [
                ANY,
                *((value, value) for value in sorted({s[at] for s in sections} - {""})),
            ]
        source.choices = [
            (value, f"{label} ({items[value]:,})")
            for value, label in GoldSource.choices
            if value in items
        ]
        fmt.choices = [(name, name) for name in formats]
