"""The form for exporting gold."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import RegexValidator

from consolidation.enums import GoldSource
from datasets.domain.exports.export_submissions import ANNOTATIONS, JSONL
from web.fields import ANY, sentence_case, set_choices


class ExportForm(forms.Form):
    """The contents and format of an export.

    `items` counts the items with gold by source, and `annotations` the individual annotations, which
    can have `annotation_formats`. Only gold of a project that `is_fitted` can have certainty. `sections`
    are the pairs (domain, partition) of the project's sentences.
    """

    source = forms.ChoiceField(label="Contents")
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

    annotations = forms.BooleanField(
        required=False,
        initial=True,
        label="With individual annotations",
    )

    certainty = forms.BooleanField(required=False, label="With certainty")

    def __init__(
        self,
        *args: Any,
        formats: Sequence[str],
        items: Mapping[str, int],
        annotations: int,
        is_fitted: bool,
        annotation_formats: Sequence[str],
        sections: Sequence[tuple[str, str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        domains, partitions = (
            [ANY, *((name, name) for name in sorted({section[at] for section in sections} - {""}))]
            for at in (0, 1)
        )
        sources = [
            (value, f"{label} gold ({items[value]:,})")
            for value, label in sentence_case(GoldSource.choices)
            if value in items
        ]
        if annotations:
            sources.append((ANNOTATIONS, f"Annotations only ({annotations:,})"))
        else:
            del self.fields["annotations"]
        if not is_fitted:
            del self.fields["certainty"]
        self.annotation_formats = annotation_formats
        fmt = [(name, name) for name in dict.fromkeys([*formats, *annotation_formats])]
        set_choices(
            self, source=sources, fmt=fmt, domain=domains, partition=sentence_case(partitions)
        )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        formats = self.annotation_formats
        if data.get("source") == ANNOTATIONS and data.get("fmt", JSONL) not in formats:
            self.add_error("fmt", f"Individual annotations have the formats {', '.join(formats)}.")
        return data
