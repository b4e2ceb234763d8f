"""The form for exporting gold."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import RegexValidator

from consolidation.enums import GoldSource
from web.fields import ANY, sentence_case, set_choices


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
        domains, partitions = (
            [ANY, *((name, name) for name in sorted({section[at] for section in sections} - {""}))]
            for at in (0, 1)
        )
        sources = [
            (value, f"{label} ({items[value]:,})")
            for value, label in sentence_case(GoldSource.choices)
            if value in items
        ]
        fmt = [(name, name) for name in formats]
        set_choices(
            self, source=sources, fmt=fmt, domain=domains, partition=sentence_case(partitions)
        )
